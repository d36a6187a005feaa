import type { FastifyReply, FastifyRequest } from 'fastify'
import type pg from 'pg'
import { tooManyRequests } from '../../catalogue/problems.ts'
import type { SecretKeys } from '../../platform/crypto/secret-box.ts'
import { takeForms } from '../../platform/http/form-body.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { toProblem } from '../../platform/http/to-problem.ts'
import type { Limiter } from '../../platform/rate-limit/limiter.ts'
import { clientIp } from '../auth/client-ip.ts'
import { RESOURCE_METADATA_PATH } from '../auth/guard-api.ts'
import { originOf } from '../auth/guard-site.ts'
import { addressSubject } from '../auth/limit-requests.ts'
import { readClientMetadata } from './client-metadata.ts'
import { giveBackToken } from './end-connection.ts'
import { REGISTER_PATH, REVOKE_PATH, resourceMetadata, resourceOf, serverMetadata, TOKEN_PATH } from './metadata.ts'
import { isResource } from './read-authorization.ts'
import { registeredClientId } from './registered-client.ts'
import { type Code, type Refresh, spendSecret } from './spend-secret.ts'

export type OAuthDeps = { sql: pg.Pool; keys: SecretKeys; baseUrl: URL; limiter: Limiter }

/** Requests of one network a minute, to everything below `/oauth`: nobody has shown who they are there. */
export const REQUESTS_PER_MINUTE_MAX = 120

const schema = { hide: true } as const
const VERIFIER = /^[\w.~-]{43,128}$/

type Form = Readonly<Record<string, string | undefined>>

/** Endpoints for clients of agents that have no token yet, in the language of OAuth: errors have `error`, not our problems. */
export function oauthRoutes(app: HttpApp, deps: OAuthDeps): void {
  const { baseUrl } = deps
  for (const path of [RESOURCE_METADATA_PATH, '/.well-known/oauth-protected-resource'])
    app.get(path, { schema }, () => resourceMetadata(baseUrl))
  app.get('/.well-known/oauth-authorization-server', { schema }, () => serverMetadata(baseUrl))

  app.register(async (scope: HttpApp) => {
    speakOAuth(scope, deps)
    scope.post(REGISTER_PATH, { schema }, (request, reply) => register(request, reply, deps))
  })
  app.register(async (scope: HttpApp) => {
    takeForms(scope)
    speakOAuth(scope, deps)
    scope.post(TOKEN_PATH, { schema }, (request, reply) => giveTokens(request, reply, deps))
    scope.post(REVOKE_PATH, { schema }, (request, reply) => takeBack(request, reply, deps))
  })
}

function speakOAuth(scope: HttpApp, { limiter }: OAuthDeps): void {
  scope.addHook('onRequest', (request, _reply, next) => {
    const { allowed, resetSeconds } = limiter.take(addressSubject(clientIp(request)), REQUESTS_PER_MINUTE_MAX)
    next(allowed ? undefined : tooManyRequests(resetSeconds))
  })
  scope.setErrorHandler((error, _request, reply) => {
    const problem = toProblem(error)
    scope.tellFault(problem, reply)
    const { statusCode, headers, detail, title } = problem
    const name = statusCode >= 500 ? 'server_error' : 'invalid_request'
    return reply
      .headers(headers)
      .code(statusCode)
      .send({ error: name, error_description: detail ?? title })
  })
}

function refuse(reply: FastifyReply, error: string, words: string): FastifyReply {
  return reply.code(400).send({ error, error_description: words })
}

/** RFC 7591: what a client asks for beyond what there is, it does not get, and is told so by the answer. */
function register(request: FastifyRequest, reply: FastifyReply, { keys }: OAuthDeps): FastifyReply {
  const reading = readClientMetadata(request.body)
  if (reading.outcome === 'refused') return refuse(reply, reading.error, reading.words)
  const { described } = reading
  const clientId = registeredClientId(described, keys)
  if (clientId === undefined)
    return refuse(reply, 'invalid_client_metadata', 'Name and redirects are too long together.')
  return reply.code(201).send({
    client_id: clientId,
    client_id_issued_at: Math.floor(Date.now() / 1_000),
    client_name: described.name,
    redirect_uris: described.redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
}

async function giveTokens(request: FastifyRequest, reply: FastifyReply, deps: OAuthDeps): Promise<FastifyReply> {
  const form = (request.body ?? {}) as Form
  const shown = shownBy(form)
  if (typeof shown === 'string') {
    const isKnown = form.grant_type === 'authorization_code' || form.grant_type === 'refresh_token'
    return refuse(reply, isKnown ? 'invalid_request' : 'unsupported_grant_type', shown)
  }
  if (form.resource !== undefined && !isResource(form.resource, resourceOf(deps.baseUrl)))
    return refuse(reply, 'invalid_target', `The resource has to be ${resourceOf(deps.baseUrl)}.`)
  const spent = await spendSecret(deps, shown)
  if (spent.outcome === 'refused') return refuse(reply, spent.error, spent.words)
  return reply.send({
    access_token: spent.access,
    token_type: 'Bearer',
    expires_in: spent.seconds,
    refresh_token: spent.refresh,
    scope: spent.scopes.join(' '),
  })
}

/** The secret that a client shows, or in words what it did not say. */
function shownBy(form: Form): Code | Refresh | string {
  const { client_id: clientId = '', code = '', redirect_uri: redirectUri = '', code_verifier: verifier = '' } = form
  if (clientId === '') return 'The client_id is missing.'
  switch (form.grant_type) {
    case 'authorization_code':
      if (code === '' || redirectUri === '') return 'The code or the redirect_uri is missing.'
      if (!VERIFIER.test(verifier)) return 'The code_verifier is missing, or none.'
      return { kind: 'code', secret: code, clientId, redirectUri, verifier }
    case 'refresh_token':
      return form.refresh_token
        ? { kind: 'refresh', secret: form.refresh_token, clientId }
        : 'The refresh_token is missing.'
    default:
      return 'The grant_type has to be authorization_code or refresh_token.'
  }
}

async function takeBack(request: FastifyRequest, reply: FastifyReply, deps: OAuthDeps): Promise<FastifyReply> {
  const { token, client_id: clientId } = (request.body ?? {}) as Form
  if (!token || !clientId) return refuse(reply, 'invalid_request', 'The token or the client_id is missing.')
  const isDone = await giveBackToken(deps, { secret: token, clientId, origin: originOf(request) })
  return isDone ? reply.code(200).send() : refuse(reply, 'invalid_client', 'The token was given to another client.')
}
