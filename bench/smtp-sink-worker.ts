import net from 'node:net'
import { parentPort } from 'node:worker_threads'

/* Body of the thread behind smtp-sink.ts: takes every message, as fast as a connection brings it, and counts. */

const END_OF_CONTENT = Buffer.from('\r\n.\r\n')

let arrivals = { count: 0, bytes: 0, firstAtMs: 0, lastAtMs: 0, signed: 0 }

const server = net.createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.write('220 sink ESMTP\r\n')
  let pending: Buffer = Buffer.alloc(0)
  let inContent = false
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    let answer = ''
    for (;;) {
      if (inContent) {
        const end = pending.indexOf(END_OF_CONTENT)
        if (end < 0) break
        count(pending.subarray(0, end))
        pending = pending.subarray(end + END_OF_CONTENT.length)
        inContent = false
        answer += '250 2.0.0 taken\r\n'
        continue
      }
      const end = pending.indexOf('\r\n')
      if (end < 0) break
      const line = pending.toString('latin1', 0, end).toUpperCase()
      pending = pending.subarray(end + 2)
      if (line.startsWith('EHLO')) answer += '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n'
      else if (line === 'DATA') {
        inContent = true
        answer += '354 go on\r\n'
      } else if (line === 'QUIT') answer += '221 bye\r\n'
      else answer += '250 2.1.0 fine\r\n'
    }
    if (answer !== '') socket.write(answer)
  })
})

function count(content: Buffer): void {
  const nowMs = performance.timeOrigin + performance.now()
  if (arrivals.count === 0) arrivals.firstAtMs = nowMs
  arrivals.count++
  arrivals.bytes += content.length
  arrivals.lastAtMs = nowMs
  if (content.subarray(0, 200).includes('DKIM-Signature:')) arrivals.signed++
}

parentPort?.on('message', (asked: 'report' | 'reset') => {
  parentPort?.postMessage(arrivals)
  if (asked === 'reset') arrivals = { count: 0, bytes: 0, firstAtMs: 0, lastAtMs: 0, signed: 0 }
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as net.AddressInfo).port))
