import { Type } from 'typebox'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { type Page, sendPage } from '../../platform/http/page.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { NAME_CHARS_MAX } from '../auth/accounts.ts'
import { originOf, type SiteGuardDeps, signedInBy } from '../auth/guard-site.ts'
import { PASSWORD_CHARS_MAX, PASSWORD_CHARS_MIN } from '../auth/password-rule.ts'
import type { Role } from '../auth/roles.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import { acceptInvitation, type OpenInvitation, readInvitation } from '../members/accept-invitation.ts'
import { INVITATION_PAGE } from '../members/invitation-mail.ts'
import { cardPage, notice, PASSWORD_HINT } from './app-page.ts'
import { orFault } from './login-pages.ts'
import { goneOr } from './reset-page.ts'
import { deadLinkPage, secretLinkPage } from './secret-link.ts'

const PATH = `/app/${INVITATION_PAGE}`
const TITLE = 'You are invited'
const field = Type.String({ maxLength: 2_000 })
const open = { schema: { hide: true }, config: { withoutSession: true } } as const
const Answer = closed({
  token: field,
  accept: Type.Optional(field),
  name: Type.Optional(Type.String({ maxLength: NAME_CHARS_MAX, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })),
  password: Type.Optional(field),
})

/** Pages that the link of an invitation opens: who invites to what, and how to accept. */
export function invitationPages(pages: HttpApp, deps: SiteGuardDeps): void {
  pages.get(PATH, open, async (_request, reply) => sendPage(reply, secretLinkPage(TITLE, PATH)))

  pages.post(PATH, { ...open, schema: { hide: true, body: Answer } }, async (request, reply) => {
    const { token, accept, name, password } = request.body
    const invitation = await readInvitation(deps, token).catch(goneOr)
    if (invitation === undefined) return sendPage(reply, deadLinkPage(TITLE, html`Ask for another one.`), 404)
    const signedIn = await signedInBy(request, deps)
    const shown = { token, invitation, loggedInAs: signedIn?.user.email }
    if (accept === undefined) return sendPage(reply, invitationPage(shown))
    const chosen = { ...(name?.trim() ? { name } : {}), ...(password === undefined ? {} : { password }) }
    const again = (fault: string, status: number) => sendPage(reply, invitationPage({ ...shown, fault }), status)
    return orFault(reply, again, async () => {
      const input = { token, signedIn: signedIn?.user, ...chosen, origin: originOf(request) }
      const { sessionId } = await acceptInvitation(deps, input)
      const https = deps.appUrl?.protocol === 'https:'
      if (sessionId !== undefined) reply.header('set-cookie', sessionCookie(sessionId, https))
      return reply.redirect('/app', 303)
    })
  })
}

const A_ROLE: Readonly<Record<Role, string>> = {
  owner: 'an owner',
  admin: 'an admin',
  member: 'a member',
  viewer: 'a viewer',
}

type Shown = { token: string; invitation: OpenInvitation; loggedInAs: string | undefined; fault?: string }

function invitationPage({ token, invitation, loggedInAs, fault }: Shown): Page {
  const { email, role, workspaceName, inviterName, accountExists } = invitation
  const by = inviterName === null ? 'You are invited' : `${inviterName} invites you`
  const intro = html`${notice(fault)}<p>${by} to <strong>${workspaceName}</strong> as ${A_ROLE[role]}.</p>
<p class="soft">For ${email}</p>`
  const hidden = html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="accept" value="yes">`
  if (loggedInAs === email) {
    return cardPage(
      TITLE,
      html`${intro}<form class="stack" method="post" action="${PATH}">${hidden}<button>Accept</button></form>`,
    )
  }
  if (accountExists || loggedInAs !== undefined) {
    const first = loggedInAs === undefined ? 'Log in' : `You are logged in as ${loggedInAs}. Log out, log in`
    return cardPage(
      TITLE,
      html`${intro}<p>${first} as ${email}, then open the link of the mail again.</p>
<p><a class="button" href="/app/login">Log in</a></p>`,
    )
  }
  return cardPage(
    TITLE,
    html`${intro}<form class="stack" method="post" action="${PATH}">${hidden}
<label for="name">Your name</label><input id="name" name="name" autocomplete="name" maxlength="${NAME_CHARS_MAX}" autofocus>
<label for="password">Choose a password</label><p class="hint" id="rule">${PASSWORD_HINT}</p>
<input aria-describedby="rule" id="password" name="password" type="password" autocomplete="new-password" required
  minlength="${PASSWORD_CHARS_MIN}" maxlength="${PASSWORD_CHARS_MAX}">
<button>Accept the invitation</button></form>`,
  )
}
