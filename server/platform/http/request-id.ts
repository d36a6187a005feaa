import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export const REQUEST_ID_HEADER = 'x-request-id'
const CLIENT_ID = /^[\x21-\x7e]{1,128}$/

/** The client's own `X-Request-Id` when it is 1 to 128 visible ASCII characters, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers[REQUEST_ID_HEADER]
  return typeof given === 'string' && CLIENT_ID.test(given) ? given : randomUUID()
}
