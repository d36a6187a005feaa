import { lazyPart } from '../lib/load-part.ts'
import { loginAsked } from '../lib/session-end.ts'
import { useSignal } from '../lib/signal.ts'

const LoginDialog = lazyPart(() => import('./login-dialog.tsx'))

/** The login, once a request has found the session over; its form is loaded then. */
export function LoginOverPage() {
  return useSignal(loginAsked) ? <LoginDialog /> : null
}
