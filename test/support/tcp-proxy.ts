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

/** A proxy on loopback in front of a server on loopback, for tests that take the server away. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<{ client: Socket; upstream: Socket }>()
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
    const pair = { client, upstream }
    pairs.add(pair)
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
      })
      from.on('error', () => undefined)
      from.once('close', () => {
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
