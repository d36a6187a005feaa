import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { Type } from 'typebox'
import { tooManyRequests } from '../../catalogue/problems.ts'
import { AGENT_SCOPES, type AgentScope } from '../../catalogue/scopes.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { sendPage } from '../../platform/http/page.ts'
import type { Limiter } from '../../platform/rate-limit/limiter.ts'
import { closed } from '../../platform/schema/schemas.ts'
import { originOf } from '../auth/guard-site.ts'
import { type Membership, membershipsOf } from '../auth/people.ts'
import { ROLE_PERMISSIONS } from '../auth/roles.ts'
import { declarePages } from '../pages/declare-pages.ts'
import { orFault } from '../pages/login-pages.ts'
import { proofAsked, type Shown } from '../second-factor/step-up.ts'
import { readCode } from '../second-factor/take-code.ts'
import { isDocumentAddress } from './client-document.ts'
import { connectAgent } from './connect-agent.ts'
import { type Choice, consentPage, nothingToGivePage, refusedPage } from './consent-page.ts'
import { type FindClientDeps, findClient } from './find-client.ts'
import { CONNECT_PAGE_PATH, issuerOf, resourceOf } from './metadata.ts'
import { readAuthorization } from './read-authorization.ts'
import { answeredAt, isNamedRedirect } from './redirect-uri.ts'
import { openRequest, SEALED_CHARS_MAX, type ShownRequest, sealRequest } from './sealed-request.ts'

/** `people` counts what one of them has us fetch. */
export type ConnectPagesDeps = FindClientDeps & { sql: pg.Pool; secrets: SecretBox; baseUrl: URL; people: Limiter }

/** The description of a client may be far away. */
const DEADLINE_MS = 8_000
/** Descriptions that one person has us fetch a minute: each is an address of their choice, and may take its whole deadline. */
export const FETCHES_PER_MINUTE_MAX = 10
const TOO_LATE = 'The question is over. Have the program ask again.'
const CLIENT_GONE = 'Its redirect_uri is not one that it has named before.'

const scopeFields = Object.fromEntries(AGENT_SCOPES.map((scope) => [scope, Type.Optional(Type.Literal('on'))]))
const Answer = closed({
  ...scopeFields,
  request: Type.String({ maxLength: SEALED_CHARS_MAX }),
  workspace: Type.Optional(Type.String({ maxLength: 63 })),
  password: Type.Optional(Type.String({ maxLength: 2_000 })),
  code: Type.Optional(Type.String({ maxLength: 2_000 })),
  answer: Type.Union([Type.Literal('connect'), Type.Literal('refuse')]),
})

/** Where clients send a person (RFC 6749 section 3.1), and where the person answers. Nobody is led on without having pressed a button. */
export function connectPages(app: HttpApp, deps: ConnectPagesDeps): void {
  declarePages(app, (pages) => {
    pages.get(CONNECT_PAGE_PATH, { schema: { hide: true }, config: { deadlineMs: DEADLINE_MS } }, (request, reply) =>
      ask(request, reply, deps),
    )
    pages.post(CONNECT_PAGE_PATH, { schema: { hide: true, body: Answer } }, (request, reply) =>
      heed(request, reply, { deps, ...answerOf(request.body) }),
    )
  })
}

async function ask(request: FastifyRequest, reply: FastifyReply, deps: ConnectPagesDeps): Promise<FastifyReply> {
  const reading = readAuthorization(request.query as Record<string, unknown>, resourceOf(deps.baseUrl))
  if (reading.outcome === 'wrong') return sendPage(reply, refusedPage(reading.words), 400)
  const { user } = request.session
  // Nothing is fetched for people who may connect nothing.
  const workspaces = await workspacesToGive(deps.sql, user.id)
  if (workspaces.length === 0) return sendPage(reply, nothingToGivePage(), 403)
  if (isDocumentAddress(reading.asked.clientId)) requireFetch(deps, user.id)
  const found = await findClient(deps, reading.asked.clientId)
  if (found.outcome === 'unknown') return sendPage(reply, refusedPage(found.words), 400)
  const shown = { asked: reading.asked, client: found.client }
  if (!isNamedRedirect(shown.asked.redirectUri, shown.client.redirectUris))
    return sendPage(reply, refusedPage(CLIENT_GONE), 400)
  const sealed = sealRequest(deps.secrets, user.id, shown)
  const asks = await proofAsked(deps, user.id)
  return sendPage(reply, consentPage({ ...shown, sealed, email: user.email, workspaces, asks }))
}

function requireFetch({ people }: ConnectPagesDeps, userId: string): void {
  const { allowed, resetSeconds } = people.take(`describe:${userId}`, FETCHES_PER_MINUTE_MAX)
  if (!allowed) throw tooManyRequests(resetSeconds)
}

type Answered = { sealed: string; answer: 'connect' | 'refuse'; proof: Shown; chosen: Required<Choice> }

async function heed(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, sealed, answer, proof, chosen }: Answered & { deps: ConnectPagesDeps },
): Promise<FastifyReply> {
  const { session } = request
  const shown = openRequest(deps.secrets, session.user.id, sealed)
  if (shown === undefined) return sendPage(reply, refusedPage(TOO_LATE), 400)
  if (answer === 'refuse') return leadBack(reply, deps, { shown, answer: { error: 'access_denied' } })
  const workspaces = await workspacesToGive(deps.sql, session.user.id)
  const asks = await proofAsked(deps, session.user.id)
  const page = { ...shown, sealed, email: session.user.email, workspaces, chosen, asks }
  const again = (fault: string, status: number) => sendPage(reply, consentPage({ ...page, fault }), status)
  return orFault(reply, again, async () => {
    const consent = { ...shown, scopes: chosen.scopes as AgentScope[], slug: chosen.workspace ?? '' }
    const code = await connectAgent(deps, session, { ...consent, shown: proof, origin: originOf(request) })
    return leadBack(reply, deps, { shown, answer: { code } })
  })
}

function leadBack(
  reply: FastifyReply,
  { baseUrl }: ConnectPagesDeps,
  { shown, answer }: { shown: ShownRequest; answer: Record<string, string> },
): FastifyReply {
  const { redirectUri, state } = shown.asked
  return reply.redirect(answeredAt(redirectUri, { ...answer, state, iss: issuerOf(baseUrl) }), 303)
}

function answerOf(body: Record<string, unknown>): Answered {
  const { request, answer, password, code, workspace } = body as Record<string, string | undefined>
  const scopes = AGENT_SCOPES.filter((scope) => body[scope] === 'on')
  const proof = { ...(password === undefined ? {} : { password }), ...(code === undefined ? {} : readCode(code)) }
  return { sealed: request!, answer: answer as Answered['answer'], proof, chosen: { workspace, scopes } }
}

async function workspacesToGive(sql: pg.Pool, userId: string): Promise<Membership[]> {
  const all = await membershipsOf(sql, userId)
  return all.filter(({ role }) => ROLE_PERMISSIONS[role].has('tokens:write'))
}
