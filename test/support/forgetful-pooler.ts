import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type ForgetfulPooler = { readonly port: number; close(): Promise<void> }

/** Length and protocol version, which stand before the parameters of a startup message. */
const HEAD_BYTES = 8

/**
 * A proxy on loopback before a PostgreSQL that takes the parameter `options` from each connection's startup message, as PgBouncer
 * does whose `ignore_startup_parameters` has it: the connection is made, and nothing is set in it.
 */
export async function startForgetfulPooler(target: { host: string; port: number }): Promise<ForgetfulPooler> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    // The startup message is short, and the client sends nothing else before it is answered.
    client.once('data', (startup: Buffer) => {
      upstream.write(withoutOptions(startup))
      client.pipe(upstream)
    })
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function withoutOptions(startup: Buffer): Buffer {
  const words = startup.toString('utf8', HEAD_BYTES).split('\0')
  const kept: string[] = []
  for (let at = 0; at + 1 < words.length && words[at] !== ''; at += 2)
    if (words[at] !== 'options') kept.push(words[at]!, words[at + 1]!)
  const parameters = Buffer.from(`${kept.join('\0')}\0\0`)
  const head = Buffer.from(startup.subarray(0, HEAD_BYTES))
  head.writeUInt32BE(HEAD_BYTES + parameters.length, 0)
  return Buffer.concat([head, parameters])
}
