import { Type } from 'typebox'
import { PROBLEMS } from '../../catalogue/problems.ts'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { sendPage } from '../../platform/http/page.ts'
import { Problem } from '../../platform/problem.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { RESET_PAGE, type ResetDeps, requestPasswordReset } from '../account/request-password-reset.ts'
import { readReset, resetPassword } from '../account/reset-password.ts'
import { originOf } from '../auth/guard-site.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../auth/password-rule.ts'
import { cardPage, notice, PASSWORD_HINT } from './app-page.ts'
import { orFault } from './login-pages.ts'
import { deadLinkPage, secretLinkPage } from './secret-link.ts'

const PATH = `/app/${RESET_PAGE}`
const TITLE = 'Choose a new password'
const field = Type.String({ maxLength: 2_000 })
const open = { schema: { hide: true }, config: { withoutSession: true } } as const

/** For who has forgotten their password: asking for a link, and what the link opens. */
export function resetPages(pages: HttpApp, deps: ResetDeps): void {
  pages.get(PATH, open, async (_request, reply) => sendPage(reply, secretLinkPage(TITLE, PATH)))

  pages.post(
    PATH,
    { ...open, schema: { hide: true, body: closed({ token: field, password: Type.Optional(field) }) } },
    async (request, reply) => {
      const { token, password } = request.body
      const email = await readReset(deps, token).then(({ email }) => email, goneOr)
      if (email === undefined) return sendPage(reply, deadLink(), 404)
      if (password === undefined) return sendPage(reply, passwordPage({ token, email }))
      const again = (fault: string, status: number) => sendPage(reply, passwordPage({ token, email, fault }), status)
      return orFault(reply, again, async () => {
        await resetPassword(deps, { token, password, origin: originOf(request) })
        const done = html`<p>It is set, and every session of yours has ended.</p>
<p><a class="button" href="/app/login">Log in</a></p>`
        return sendPage(reply, cardPage('Your password is changed', done))
      })
    },
  )

  pages.get('/app/forgot-password', open, async (_request, reply) => sendPage(reply, forgotPage({})))

  pages.post(
    '/app/forgot-password',
    { ...open, schema: { hide: true, body: closed({ email: field }) } },
    async (request, reply) => {
      const { email } = request.body
      const again = (fault: string, status: number) => sendPage(reply, forgotPage({ email, fault }), status)
      return orFault(reply, again, async () => {
        await requestPasswordReset(deps, { email, origin: originOf(request) })
        const sent = html`<p>If ${email} has an account, a mail with a link is on its way. It is good for an hour.</p>`
        const kept = html`<p class="soft">This instance sends no mail to people; who runs it reads the link with
<code>./postroom mail list</code>.</p>`
        return sendPage(reply, cardPage('Look into your mail', deps.mailer.sends ? sent : html`${sent}${kept}`), 202)
      })
    },
  )
}

/** Undefined for a link that leads nowhere; what else went wrong goes on. */
export function goneOr(error: unknown): undefined {
  if (error instanceof Problem && error.code === PROBLEMS.notFound.code) return undefined
  throw error
}

function deadLink() {
  return deadLinkPage(TITLE, html`<a href="/app/forgot-password">Ask for a new one</a>`)
}

function passwordPage({ token, email, fault }: { token: string; email: string; fault?: string }) {
  return cardPage(
    TITLE,
    html`${notice(fault)}<p class="soft">For ${email}</p><form class="stack" method="post" action="${PATH}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" autocomplete="username" value="${email}" disabled>
<label for="password">New password</label><p class="hint" id="rule">${PASSWORD_HINT}</p>
<input aria-describedby="rule" id="password" name="password" type="password" autocomplete="new-password" required autofocus
  minlength="${PASSWORD_CHARS_MIN}" maxlength="${PASSWORD_CHARS_MAX}">
<button>Set the password</button></form>`,
  )
}

function forgotPage({ email, fault }: { email?: string; fault?: string }) {
  return cardPage(
    'Forgot your password?',
    html`${notice(fault)}<form class="stack" method="post" action="/app/forgot-password">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<button>Mail me a link</button></form><p><a href="/app/login">Back to the login</a></p>`,
  )
}
