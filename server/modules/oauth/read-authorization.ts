import { AGENT_SCOPES, type AgentScope } from '../../catalogue/scopes.ts'

/** The question of a client: to be let into a workspace (RFC 6749 section 4.1.1, RFC 7636, RFC 8707). */
export type Authorization = {
  clientId: string
  redirectUri: string
  scopes: readonly AgentScope[]
  codeChallenge: string
  state: string | null
}

export type ReadAuthorization = { outcome: 'read'; asked: Authorization } | { outcome: 'wrong'; words: string }

export const CLIENT_ID_CHARS_MAX = 2_100
export const STATE_CHARS_MAX = 2_000
/** SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/

/** Reads the parameters that a client sends a person with. Those that are not ours are passed over (RFC 6749 section 3.1). */
export function readAuthorization(given: Readonly<Record<string, unknown>>, resource: string): ReadAuthorization {
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : '')
  const [clientId, redirectUri, codeChallenge] = [text('client_id'), text('redirect_uri'), text('code_challenge')]
  if (Object.values(given).some(Array.isArray)) return wrong('A parameter is given twice.')
  if (text('response_type') !== 'code') return wrong('The response_type has to be code.')
  if (clientId === '' || clientId.length > CLIENT_ID_CHARS_MAX) return wrong('The client_id is missing, or too long.')
  if (redirectUri === '') return wrong('The redirect_uri is missing.')
  if (text('code_challenge_method') !== 'S256' || !CHALLENGE.test(codeChallenge))
    return wrong('A code_challenge with the code_challenge_method S256 is needed (PKCE).')
  if (given.resource !== undefined && !isResource(text('resource'), resource))
    return wrong(`The resource has to be ${resource}.`)
  if (text('state').length > STATE_CHARS_MAX) return wrong('The state is too long.')
  const state = given.state === undefined ? null : text('state')
  const asked = { clientId, redirectUri, codeChallenge, state, scopes: agentScopesOf(text('scope')) }
  return { outcome: 'read', asked }
}

/** Whether an address names our resource; in any spelling that means the same. */
export function isResource(given: string, resource: string): boolean {
  return URL.canParse(given) && new URL(given).href === new URL(resource).href
}

/** Scopes that an agent can have at all; of none of them, all. */
export function agentScopesOf(given: string): readonly AgentScope[] {
  const named = new Set(given.split(' '))
  const known = AGENT_SCOPES.filter((scope) => named.has(scope))
  return known.length === 0 ? AGENT_SCOPES : known
}

function wrong(words: string): ReadAuthorization {
  return { outcome: 'wrong', words }
}
