import { sessionCookieName } from './modules/auth/session-cookie.ts'
import { describedEvents } from './modules/webhooks/described-events.ts'
import type { Surface } from './platform/http/openapi.ts'
import { VERSION } from './version.ts'

export const API_DOCUMENT_PATH = '/api/openapi.json'
/** The first with samples of each operation, for the page at /docs. */
export const SAMPLES_DOCUMENT_PATH = '/docs/openapi.json'
export const SITE_DOCUMENT_PATH = '/site/openapi.json'

const MANNERS = `- **Ids** are 64-bit numbers written as decimal strings. **Times** are RFC 3339 in UTC. An unset field is \`null\`.
- **Lists** take \`page\` and \`pageSize\` (25, at most 1000) and answer with \`totalItems\` and \`totalPages\`; logs take \`cursor\`.
- **Changes** by \`PATCH\` are merged: absent fields stay, \`null\` clears. \`If-Match\` with an \`ETag\` keeps them from overwriting others.
- **Errors** are RFC 9457 problems with a stable \`code\`; [all of them](/docs/problems).`

/** The management API, for programs, and what is sent to their endpoints. */
export const API_SURFACE: Surface = {
  prefix: '/api/',
  info: {
    title: 'Postroom API',
    version: VERSION,
    description: `The management API. [Guides](/docs/guides/) tell how each part is used.

- **Authentication**: \`Authorization: Bearer prt_…\`. Each operation names the scope that its token needs.
${MANNERS}
- **Repeats**: each \`POST\` may carry an \`Idempotency-Key\`; sent again under it, it is carried out once.
- **Webhooks** are what is sent to your endpoints: each event with its payload.

Paths also answer without the prefix \`/api\`.`,
  },
  security: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'prt_…' } },
  needs({ scope = 'any' }) {
    const sentence = scope === 'any' ? 'Needs any valid token.' : `Needs the scope \`${scope}\`.`
    return { extensions: { 'x-required-scope': scope }, sentence }
  },
  webhooks: describedEvents,
}

/** The dashboard API, for people who are logged in. */
export function siteSurface(https: boolean): Surface {
  return {
    prefix: '/site/',
    info: {
      title: 'Postroom dashboard API',
      version: VERSION,
      description: `The requests of the dashboard; it changes with the dashboard. Programs use the management API.

- **Authentication**: the session cookie that \`POST /site/auth/login\` sets. Each operation names the permission that the
  person's role in the workspace must include.
${MANNERS}
- **Repeats**: each \`POST\` under \`/site/workspaces/{slug}/\` may carry an \`Idempotency-Key\`, as in the management API.`,
    },
    security: { session: { type: 'apiKey', in: 'cookie', name: sessionCookieName(https) } },
    needs({ permission, withoutSession }) {
      if (withoutSession) return { extensions: {}, sentence: 'Needs no login.', open: true }
      if (permission === undefined) return { extensions: {}, sentence: 'Needs a login.' }
      const sentence =
        permission === 'any' ? 'Needs to be a member of the workspace.' : `Needs the permission \`${permission}\`.`
      return { extensions: { 'x-required-permission': permission }, sentence }
    },
  }
}
