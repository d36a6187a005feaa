import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * How a proxy treats its connections. `refuse`: nobody listens and open connections are reset. `swallow`: connections are
 * accepted and stay open, and every byte disappears, in both directions.
 */
export type ProxyMode = 'pass' | 'refuse' | 'swallow'

export type TcpProxy = {
  readonly port: number
  /** Connections open now. */
  connections(): number
  become(mode: ProxyMode): Promise<void>
  /** The next bytes of the server that contain the text disappear, and their connection is reset. Resolves then. */
  loseAnswer(containing: string): Promise<void>
  close(): Promise<void>
}

type Pair = { client: Socket; upstream: Socket; isLoggedIn: boolean; isForsaken?: boolean }

/** The message of PostgreSQL after which a session is one. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5])

/**
 * Takes the server from a client that has not logged in, without its knowing: a server that waits for the rest of a login makes no
 * database and drops none, for whoever, until it gives up after a minute.
 */
function forsake(pair: Pair): void {
  pair.isForsaken = true
  pair.upstream.destroy()
}

/** A proxy on loopback in front of a server on loopback, for tests that take the server away. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let mode: ProxyMode = 'pass'
  let losing: { text: string; lost: () => void } | undefined
  let server = await listen(0)
  const { port } = server.address() as AddressInfo

  function listen(at: number): Promise<Server> {
    const made = createServer(join)
    made.listen(at, '127.0.0.1')
    return once(made, 'listening').then(() => made)
  }

  function join(client: Socket): void {
    const upstream = connect(targetPort, '127.0.0.1')
    const pair: Pair = { client, upstream, isLoggedIn: false }
    pairs.add(pair)
    if (mode === 'swallow') forsake(pair)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // Swallowed bytes are lost for good, as on a path that drops packets for longer than the peers wait.
      from.on('data', (bytes) => {
        if (from === upstream && losing && bytes.includes(losing.text)) {
          losing.lost()
          losing = undefined
          client.resetAndDestroy()
        } else if (mode === 'pass') to.write(bytes)
        if (from === upstream) pair.isLoggedIn ||= bytes.includes(READY_FOR_QUERY)
      })
      from.on('error', () => undefined)
      from.once('close', () => {
        if (from === upstream && pair.isForsaken) return
        pairs.delete(pair)
        to.destroy()
      })
    }
  }

  async function stopListening(): Promise<void> {
    if (!server.listening) return
    server.close()
    for (const { client } of pairs) client.resetAndDestroy()
    await once(server, 'close')
  }

  return {
    port,
    connections: () => pairs.size,
    async become(next) {
      const before = mode
      mode = next
      if (next === 'swallow') for (const pair of pairs) if (!pair.isLoggedIn) forsake(pair)
      if (next === 'refuse') await stopListening()
      else if (!server.listening) server = await listen(port)
      // A connection that has lost bytes can never be used again.
      if (before === 'swallow' && next === 'pass') for (const { client } of pairs) client.resetAndDestroy()
    },
    loseAnswer: (text) =>
      new Promise((lost) => {
        losing = { text, lost }
      }),
    close: stopListening,
  }
}
