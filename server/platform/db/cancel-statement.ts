import { connect } from 'node:net'
import type pg from 'pg'

/** PostgreSQL protocol, CancelRequest: length, code, process id, secret key. */
const REQUEST_BYTES = 16
const CANCEL_CODE = 80_877_102
const WITHIN_MS = 2_000

type Keyed = pg.Client & { processID: number | null; secretKey: number | null }

/**
 * Asks the server to cancel what a session is doing, over a connection of its own that takes no place of the server's. It
 * may come too late or not at all, and nobody is told: what it was for must not depend on it.
 */
export function cancelStatement(session: pg.Client): void {
  const { host, port, processID, secretKey } = session as Keyed
  if (processID === null || secretKey === null) return
  const request = Buffer.alloc(REQUEST_BYTES)
  for (const [n, value] of [REQUEST_BYTES, CANCEL_CODE, processID, secretKey].entries())
    request.writeInt32BE(value, n * 4)
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  socket.unref()
  socket.on('error', () => undefined)
  socket.setTimeout(WITHIN_MS, () => socket.destroy())
  socket.end(request)
}
