import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

/** Body of the worker thread that `bench/net.ts` posts to: answers 200 once the request is read, tells its port first. */
const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.end('ok'))
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
