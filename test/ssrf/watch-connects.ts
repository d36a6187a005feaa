import { once } from 'node:events'
import net from 'node:net'

export type ConnectWatch = {
  /** Addresses the process began to connect to, as `address:port`, oldest first. */
  readonly attempts: readonly string[]
  /** Calls of connect, whether or not an address was ever reached. */
  readonly calls: number
  stop(): void
}

/** Counts every TCP connection this process begins (TLS included) by wrapping what all of them go through. */
export function watchConnects(): ConnectWatch {
  const attempts: string[] = []
  let calls = 0
  const original = net.Socket.prototype.connect
  net.Socket.prototype.connect = function connect(this: net.Socket, ...args: unknown[]) {
    calls += 1
    this.on('connectionAttempt', (address: string, port: number) => attempts.push(`${address}:${port}`))
    return Reflect.apply(original, this, args)
  } as typeof original
  return {
    attempts,
    get calls() {
      return calls
    },
    stop() {
      net.Socket.prototype.connect = original
    },
  }
}

export type Canaries = {
  readonly ports: readonly number[]
  /** Connections that came. */
  readonly connections: number
  close(): Promise<void>
}

/**
 * Listens where nobody may ever connect: on each port (0 = a free one) at every host. The host `0.0.0.0` stands for all
 * IPv4 addresses of this machine, the whole of 127.0.0.0/8 included.
 */
export async function startCanaries(options: {
  hosts: readonly string[]
  ports: readonly number[]
}): Promise<Canaries> {
  let connections = 0
  const servers: net.Server[] = []
  async function listen(host: string, port: number): Promise<number> {
    const server = net.createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    servers.push(server)
    server.listen({ host, port, ipv6Only: true })
    await once(server, 'listening')
    return (server.address() as net.AddressInfo).port
  }
  const ports: number[] = []
  for (const wanted of options.ports) {
    let port = wanted
    for (const host of options.hosts) port = await listen(host, port)
    ports.push(port)
  }
  return {
    ports,
    get connections() {
      return connections
    },
    async close() {
      for (const server of servers) {
        server.close()
        await once(server, 'close')
      }
    },
  }
}
