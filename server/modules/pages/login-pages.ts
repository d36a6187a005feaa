import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { PROBLEMS } from '../../catalogue/problems.ts'
import { html } from '../../platform/html.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { sendPage } from '../../platform/http/page.ts'
import { Problem } from '../../platform/problem.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { originOf, presentedSession } from '../auth/guard-site.ts'
import { logIn, logOut } from '../auth/log-in.ts'
import { clearedSessionCookie, sessionCookie } from '../auth/session-cookie.ts'
import { completeLogin } from '../second-factor/complete-login.ts'
import type { FactorDeps } from '../second-factor/manage-factor.ts'
import { readCode } from '../second-factor/take-code.ts'
import { cardPage, notice, safeNext } from './app-page.ts'
import { faultText } from './declare-pages.ts'

const field = Type.String({ maxLength: 2_000 })
/** A question of an agent's client is longer than other addresses of ours. */
const nextField = Type.String({ maxLength: 10_000 })
const open = { schema: { hide: true }, config: { withoutSession: true } } as const
const AUTOFOCUS = html` autofocus`

export type LoginPagesDeps = FactorDeps & { appUrl: URL | undefined }

/** Logging in and out with forms, the second factor included. */
export function loginPages(pages: HttpApp, deps: LoginPagesDeps): void {
  const https = deps.appUrl?.protocol === 'https:'

  pages.get(
    '/app/login',
    { ...open, schema: { hide: true, querystring: closed({ next: Type.Optional(nextField) }) } },
    async (request, reply) => sendPage(reply, loginPage({ next: safeNext(request.query.next) })),
  )

  pages.post(
    '/app/login',
    { ...open, schema: { hide: true, body: closed({ email: field, password: field, next: nextField }) } },
    async (request, reply) => {
      const { email, password } = request.body
      const next = safeNext(request.body.next)
      const input = { email, password, origin: originOf(request), presented: presentedSession(request, deps) }
      const again = (fault: string, status: number) => sendPage(reply, loginPage({ next, email, fault }), status)
      return orFault(reply, again, async () => {
        const login = await logIn(deps, input)
        if (login.outcome === 'second_factor_required') return sendPage(reply, codePage({ next, ticket: login.ticket }))
        return reply.header('set-cookie', sessionCookie(login.sessionId, https)).redirect(next, 303)
      })
    },
  )

  pages.post(
    '/app/login/code',
    { ...open, schema: { hide: true, body: closed({ ticket: field, code: field, next: nextField }) } },
    async (request, reply) => {
      const { ticket } = request.body
      const next = safeNext(request.body.next)
      const input = {
        ...readCode(request.body.code),
        ticket,
        origin: originOf(request),
        presented: presentedSession(request, deps),
      }
      // No code does any more: they begin with the password again.
      const again = (fault: string, status: number, code: string) => {
        const isOver = code === PROBLEMS.loginExpired.code
        return sendPage(reply, isOver ? loginPage({ next, fault }) : codePage({ next, ticket, fault }), status)
      }
      return orFault(reply, again, async () => {
        const { sessionId } = await completeLogin(deps, input)
        return reply.header('set-cookie', sessionCookie(sessionId, https)).redirect(next, 303)
      })
    },
  )

  pages.post('/app/logout', open, async (request, reply) => {
    const session = presentedSession(request, deps)
    if (session) await logOut(deps, session, originOf(request))
    return reply.header('set-cookie', clearedSessionCookie(https)).redirect('/app/login', 303)
  })
}

/** Shows the form again with what was wrong with it; what is nobody's input goes on to the page of faults. */
export async function orFault(
  reply: FastifyReply,
  again: (fault: string, status: number, code: string) => FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || error.statusCode >= 500) throw error
    const { 'www-authenticate': _, ...headers } = error.headers
    reply.headers(headers)
    return again(faultText(error), error.statusCode, error.code)
  }
}

function loginPage({ next, email, fault }: { next: string; email?: string; fault?: string }) {
  return cardPage(
    'Log in',
    html`${notice(fault)}<form class="stack" method="post" action="/app/login">
<input type="hidden" name="next" value="${next}">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}"${email === undefined && AUTOFOCUS}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email !== undefined && AUTOFOCUS}>
<button>Log in</button></form><p><a href="/app/forgot-password">Forgot your password?</a></p>`,
  )
}

function codePage({ next, ticket, fault }: { next: string; ticket: string; fault?: string }) {
  return cardPage(
    'One more step',
    html`${notice(fault)}<p>Enter the code of your authenticator, or one of your recovery codes.</p>
<form class="stack" method="post" action="/app/login/code">
<input type="hidden" name="next" value="${next}"><input type="hidden" name="ticket" value="${ticket}">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" required autofocus>
<button>Log in</button></form>`,
  )
}
