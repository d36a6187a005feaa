import net from 'node:net'
import { parentPort } from 'node:worker_threads'

/* Body of the thread behind arrival-sink.ts: a mail server that takes everything and notes when each message was whole. */

const END_OF_CONTENT = '\r\n.\r\n'

const BEAT_MS = 2

/**
 * Between which two moments each message was whole here, on the machine's monotonic clock in ms, by the recipient's
 * domain. A thread that gets no processor notes late what came in time: at the last beat but one it was not there yet.
 */
let arrivals: Record<string, { after: number; by: number }[]> = {}
let beats = [monotonicMs(), monotonicMs()] as [number, number]
setInterval(() => {
  beats = [beats[1], monotonicMs()]
}, BEAT_MS)

function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

const server = net.createServer((socket) => {
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => undefined)
  socket.write('220 sink ESMTP\r\n')
  let pending = ''
  let domain = ''
  let inContent = false
  socket.on('data', (chunk: string) => {
    const arrival = { after: beats[0], by: monotonicMs() }
    pending += chunk
    let answer = ''
    for (;;) {
      const end = pending.indexOf(inContent ? END_OF_CONTENT : '\r\n')
      if (end < 0) break
      const line = pending.slice(0, end)
      pending = pending.slice(end + (inContent ? END_OF_CONTENT.length : 2))
      if (inContent) {
        const times = arrivals[domain] ?? []
        arrivals[domain] = times
        times.push(arrival)
        inContent = false
        answer += '250 2.0.0 taken\r\n'
      } else if (line === 'DATA') {
        inContent = true
        answer += '354 go on\r\n'
      } else if (line.startsWith('EHLO')) answer += '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n'
      else if (line === 'QUIT') answer += '221 bye\r\n'
      else {
        domain = /^RCPT TO:<.*@(.*)>/i.exec(line)?.[1] ?? domain
        answer += '250 2.1.0 fine\r\n'
      }
    }
    if (answer !== '') socket.write(answer)
  })
})

parentPort?.on('message', () => {
  parentPort?.postMessage(arrivals)
  arrivals = {}
})
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as net.AddressInfo).port))
