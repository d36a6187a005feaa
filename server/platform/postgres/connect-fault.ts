import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { errorCode } from '../db/errors.ts'
import { credentialsFile, HOST } from './credentials.ts'
import { PostgresStartError, unusable } from './start-error.ts'

/** The system's words for an address that it has no way to. */
const NO_WAY = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Why no further try to reach the embedded server will do better. Undefined where one may: the server is only beginning. */
export function lastingFault(cause: unknown, dataDir: string): PostgresStartError | undefined {
  const code = errorCode(cause) ?? ''
  if (code.startsWith('28')) {
    const remedy = `remove ${credentialsFile(dataDir)} to have new ones made`
    return new PostgresStartError(`the database of ${dataDir} does not accept the kept passwords: ${remedy}`, { cause })
  }
  return NO_WAY.has(code) ? noWay(HOST, cause) : undefined
}

/** Throws where the machine lacks the address at which the embedded server would listen, before one is made. */
export async function requireAddress(host: string = HOST): Promise<void> {
  const server = createServer()
  try {
    await once(server.listen(0, host), 'listening')
    // Listening is no proof: where `lo` is down there is no way to it.
    const socket = connect((server.address() as AddressInfo).port, host)
    await once(socket, 'connect')
    socket.destroy()
  } catch (error) {
    if (NO_WAY.has(errorCode(error) ?? '')) throw noWay(host, error)
  } finally {
    server.close()
  }
}

const noWay = (host: string, cause: unknown) =>
  unusable(`this machine has no address ${host} to reach the embedded database at (ip link set lo up)`, cause)
