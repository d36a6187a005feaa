import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parentPort } from 'node:worker_threads'

/* Body of the thread behind counting-receiver.ts: answers 200 once the request is read, and remembers when that was. */

const SENT_AT = /"sentAtMs":([0-9.]+)/

let arrivals = { count: 0, firstAtMs: 0, lastAtMs: 0, latenciesMs: [] as number[] }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.end('ok')
    const nowMs = performance.timeOrigin + performance.now()
    if (arrivals.count === 0) arrivals.firstAtMs = nowMs
    arrivals.count++
    arrivals.lastAtMs = nowMs
    const [, sentAtMs] = SENT_AT.exec(chunks.join('')) ?? []
    if (sentAtMs !== undefined) arrivals.latenciesMs.push(nowMs - Number(sentAtMs))
  })
})
server.keepAliveTimeout = 60_000

parentPort?.on('message', (asked: 'report' | 'reset') => {
  parentPort?.postMessage(arrivals)
  if (asked === 'reset') arrivals = { count: 0, firstAtMs: 0, lastAtMs: 0, latenciesMs: [] }
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
