import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { shownCode } from '../features/second-factor/shown-code.ts'
import { isProblem } from '../lib/problem.ts'
import { goOn, loginAsked } from '../lib/session-end.ts'
import { useSignal } from '../lib/signal.ts'
import { site } from '../lib/site.ts'
import type { Session } from '../lib/site-types.ts'
import { keyOf } from '../lib/use-site.ts'
import { Button } from '../ui/controls.tsx'
import { useFormFaults } from '../ui/form.ts'
import { Form, FormField } from '../ui/form-field.tsx'
import { PasswordField } from '../ui/password-field.tsx'
import { StayingDialog } from '../ui/staying-dialog.tsx'
import { TextField } from '../ui/text-field.tsx'

const EXPIRED = 'login-expired'

/** The login when a session has ended in the middle of work: over the page, whose drafts and requests wait below. */
export default function LoginDialog() {
  const asked = useSignal(loginAsked)
  const client = useQueryClient()
  const before = client.getQueryData<Session>(keyOf('GET /site/auth/session'))
  const [email, setEmail] = useState(before?.user.email ?? '')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [ticket, setTicket] = useState<string>()
  const [busy, setBusy] = useState(false)
  const faults = useFormFaults(['/email'])

  const enter = async () => {
    setBusy(true)
    try {
      const answer =
        ticket === undefined
          ? await site('POST /site/auth/login', { body: { email: email || before?.user.email || '', password } })
          : await site('POST /site/auth/second-factor', {
              body: { ticket, ...shownCode(code) },
            })
      if ('secondFactor' in answer) {
        setTicket(answer.ticket)
        return
      }
      // Another person has other drafts and other rights: their page is loaded anew, and nothing that waits is done in their name.
      if (before && before.user.id !== answer.user.id) return location.reload()
      setPassword('')
      setCode('')
      setTicket(undefined)
      client.setQueryData(keyOf('GET /site/auth/session'), answer)
      goOn()
    } catch (error) {
      // Whoever looked for their code for too long begins with the password again.
      if (isProblem(error) && error.code === EXPIRED) setTicket(undefined)
      faults.take(error)
    } finally {
      setBusy(false)
    }
  }

  return (
    <StayingDialog title="Your session has ended" opened={asked} onClose={() => location.assign('/app/login')}>
      <Form
        isKept
        faults={faults}
        onSubmit={enter}
        actions={
          <Button type="submit" kind="primary" busy={busy}>
            Log in
          </Button>
        }
      >
        <p className="soft">Log in to go on. Nothing that you typed is lost.</p>
        {ticket === undefined ? (
          <>
            <FormField
              label="Email"
              type="email"
              pointer="/email"
              faults={faults}
              value={email || before?.user.email || ''}
              onChange={setEmail}
            />
            <PasswordField
              label="Password"
              value={password}
              autoComplete="current-password"
              data-autofocus
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
          </>
        ) : (
          <TextField
            label="Code"
            description="Of your authenticator, or one of your recovery codes."
            value={code}
            autoComplete="one-time-code"
            data-autofocus
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
      </Form>
    </StayingDialog>
  )
}
