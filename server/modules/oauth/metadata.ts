import { AGENT_SCOPES } from '../../catalogue/scopes.ts'
import { MCP_PATH } from '../auth/guard-api.ts'

export const CONNECT_PAGE_PATH = '/app/connect-agent'
export const TOKEN_PATH = '/oauth/token'
export const REGISTER_PATH = '/oauth/register'
export const REVOKE_PATH = '/oauth/revoke'

/** The resource that tokens are given for, as clients name it (RFC 8707). */
export function resourceOf(baseUrl: URL): string {
  return new URL(MCP_PATH, baseUrl).href
}

/** The name of the one who gives tokens: an origin has no slash at its end. */
export function issuerOf(baseUrl: URL): string {
  return baseUrl.origin
}

/** RFC 9728: who gives tokens for the endpoint of agents. */
export function resourceMetadata(baseUrl: URL) {
  return {
    resource: resourceOf(baseUrl),
    authorization_servers: [issuerOf(baseUrl)],
    scopes_supported: AGENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Postroom',
    resource_documentation: new URL('/docs/guides/agents', baseUrl).href,
  }
}

/** RFC 8414, RFC 9207, and the draft of client ID metadata documents: how they are given. */
export function serverMetadata(baseUrl: URL) {
  const at = (path: string) => new URL(path, baseUrl).href
  return {
    issuer: issuerOf(baseUrl),
    authorization_endpoint: at(CONNECT_PAGE_PATH),
    token_endpoint: at(TOKEN_PATH),
    registration_endpoint: at(REGISTER_PATH),
    revocation_endpoint: at(REVOKE_PATH),
    scopes_supported: AGENT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: at('/docs/guides/agents'),
  }
}
