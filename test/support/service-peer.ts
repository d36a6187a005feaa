import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A number that a double would change, as these services write it. */
export const LONG_NUMBER = JSON.rawJSON('9007199254740993')

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown }

/** The API of another service on loopback: what it answers to GET, by path and query. Undefined is 404. */
export async function startServicePeer(
  isLoggedIn: (headers: IncomingHttpHeaders) => boolean,
  answerTo: (path: string, query: URLSearchParams) => Answer | undefined,
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    asked.push(`${request.method} ${pathname}`)
    const refused: Answer = { status: 401, body: { message: 'invalid API credentials' } }
    const found = isLoggedIn(request.headers) ? answerTo(pathname, searchParams) : refused
    const { status = 200, headers = {}, body } = found ?? { status: 404, body: { message: 'not found' } }
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A stretch of a list, by the names of its parameters. */
export function stretchOf<T>(items: readonly T[], { offset, limit }: { offset: number; limit: number }): T[] {
  return items.slice(offset, offset + limit)
}
