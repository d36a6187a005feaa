import { once } from 'node:events'
import net from 'node:net'
import { createPacer, type Pacer, type Reservation } from '../../server/modules/pacing/pacer.ts'
import { createPool } from '../../server/platform/db/pool.ts'

/*
 * A process of its own that sends through integrations as fast as their limits allow until its input ends:
 * `node paced-sender.ts '{"databaseUrl":…,"port":…,"connections":…,"streams":[{…reservation, "domain":…}]}'`.
 */

export type PacedSenderTask = {
  databaseUrl: string
  port: number
  /** To the server, for each stream. */
  connections: number
  streams: (Reservation & { domain: string })[]
}

const CONTENT = `Subject: paced\r\n\r\n${'x'.repeat(70)}\r\n.\r\n`

/** A session that has said EHLO: says something, and answers the server's answer. */
async function openSession(port: number): Promise<(text: string) => Promise<string>> {
  const socket = net.connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  const say = async (text: string) => {
    socket.write(text)
    let answer = ''
    while (!/^\d{3} .*\r\n$/m.test(answer)) answer += (await once(socket, 'data'))[0]
    return answer
  }
  await once(socket, 'data')
  await say('EHLO paced.example\r\n')
  return say
}

async function sendMany(pacer: Pacer, stream: PacedSenderTask['streams'][number], port: number, signal: AbortSignal) {
  const say = await openSession(port)
  while (!signal.aborted) {
    await say('MAIL FROM:<a@paced.example>\r\n')
    await say(`RCPT TO:<b@${stream.domain}>\r\n`)
    await say('DATA\r\n')
    for (let mayGo = false; !mayGo; ) mayGo = await (await pacer.reserve(stream, signal)).begin()
    await say(CONTENT)
  }
}

const task = JSON.parse(process.argv[2] ?? '') as PacedSenderTask
const ending = new AbortController()
const pool = createPool({ name: 'pgx', url: task.databaseUrl, max: 4 })
const pacer = createPacer({
  pool,
  onError(error) {
    throw error
  },
})
for (const stream of task.streams) {
  for (let n = 0; n < task.connections; n++) {
    sendMany(pacer, stream, task.port, ending.signal).catch((error: unknown) => {
      if (!ending.signal.aborted) throw error
    })
  }
}
process.stdin.resume().once('end', () => {
  ending.abort()
  setTimeout(() => process.exit(0), 100)
})
