import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { promisify } from 'node:util'
import type pg from 'pg'
import { startInstance } from '../test/support/instance.ts'
import { cpuUseOf, cpuUseText } from './cpu-use.ts'
import { withDatabase } from './instance-database.ts'
import { startSmtpSink } from './smtp-sink.ts'

const MESSAGES = 8_000
const MESSAGE_BYTES = 25_000
const CONNECTIONS = 20
const GATHER_MS = 10
const LIMIT_MS = 300_000

const signOnThreadPool = promisify(sign)

/**
 * The least that a mail can cost: it is hashed, signed, written to a socket, marked before and recorded after with its event,
 * durably, and nothing else is done with it. Nobody is asked for, nothing is rendered, no limit is kept. [messages]
 */
export async function run([messages]: readonly string[] = []): Promise<void> {
  const count = Number(messages ?? MESSAGES)
  const sink = await startSmtpSink()
  // Its database alone is used.
  const instance = await startInstance({ env: { ROLE: 'web' } })
  try {
    await withDatabase(instance, async (client) => {
      await fill(client, count)
      const own = { pid: process.pid, dataDir: instance.dataDir }
      const before = await cpuUseOf(own)
      const startedMs = performance.now()
      await sendAll(client, sink.port, count)
      const seconds = (performance.now() - startedMs) / 1_000
      const { signed } = await sink.take(count, LIMIT_MS)
      if (signed !== count) throw new Error(`${signed} of ${count} came signed`)
      console.log(`CPU time a message: ${cpuUseText(before, await cpuUseOf(own), count)}`)
      console.log(`  "other threads" is the server that takes the mail; ${Math.round(count / seconds)} messages/s`)
    })
  } finally {
    await instance.stop()
    await sink.close()
  }
}

async function fill(client: pg.Client, count: number): Promise<void> {
  await client.query(`select n::bigint as id, null::timestamptz as handed_at into floor_queue from generate_series(1, ${count}) n;
    select n::bigint as id, 'pending' as state, null::timestamptz as settled_at into floor_ledger from generate_series(1, ${count}) n;
    select null::json as data into floor_events where false;
    alter table floor_queue add primary key (id); alter table floor_ledger add primary key (id);
    alter table floor_events add position bigint generated always as identity primary key`)
}

async function sendAll(client: pg.Client, port: number, count: number): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const mark = gathering((ids) =>
    client.query({ name: 'mark', text: 'update floor_queue set handed_at = now() where id = any ($1)', values: [ids] }),
  )
  const record = gathering((ids) =>
    client.query({
      name: 'record',
      text: `with done as (delete from floor_queue where id = any ($1)),
        settled as (update floor_ledger set state = 'accepted', settled_at = now() where id = any ($1))
        insert into floor_events (data) select json_build_object('messageId', id, 'type', 'email.sent') from unnest($1::int8[]) id`,
      values: [ids],
    }),
  )
  let next = 0
  const recorded: Promise<void>[] = []
  const lane = async () => {
    const server = await connect(port)
    while (next < count) {
      const id = ++next
      const bytes = await signed(id, privateKey)
      await server.ask(`MAIL FROM:<a@b.example>\r\nRCPT TO:<p${id}@c.example>\r\nDATA\r\n`, 3)
      await mark(id)
      await server.ask(bytes, 1)
      recorded.push(record(id))
    }
    server.end()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, lane))
  await Promise.all(recorded)
}

const body = Buffer.alloc(MESSAGE_BYTES, 'lorem ipsum dolor sit amet, consetetur sadipscing elitr\r\n')

async function signed(id: number, key: KeyObject): Promise<Buffer> {
  const head = `From: a@b.example\r\nTo: p${id}@c.example\r\nSubject: Hello ${id}\r\n`
  const signature = await signOnThreadPool('sha256', Buffer.from(head + hash('sha256', body, 'base64')), key)
  const front = `DKIM-Signature: v=1; b=${signature.toString('base64')}\r\n${head}\r\n`
  return Buffer.concat([Buffer.from(front), body, Buffer.from('\r\n.\r\n')])
}

/** Calls that come within a moment, or while one statement is under way, share the next one. */
function gathering(write: (ids: number[]) => Promise<unknown>): (id: number) => Promise<void> {
  let waiting: { id: number; done: () => void }[] = []
  let last = Promise.resolve()
  return (id) =>
    new Promise((done, failed) => {
      waiting.push({ id, done })
      if (waiting.length > 1) return
      last = Promise.all([last, new Promise((resolve) => setTimeout(resolve, GATHER_MS))]).then(async () => {
        const batch = waiting
        waiting = []
        await write(batch.map((one) => one.id)).catch(failed)
        for (const one of batch) one.done()
      })
    })
}

/** A connection that is ready for mail. `ask` resolves when so many lines have come. */
async function connect(port: number) {
  const socket = net.connect(port, '127.0.0.1').setNoDelay(true)
  let missing = 0
  let arrived: () => void = () => undefined
  socket.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 0x0a) missing--
    if (missing <= 0) arrived()
  })
  const ask = (bytes: string | Buffer, lines: number) =>
    new Promise<void>((resolve) => {
      missing = lines
      arrived = resolve
      socket.write(bytes)
    })
  await once(socket, 'connect')
  await ask('EHLO bench.example\r\n', 5)
  return { ask, end: () => socket.end('QUIT\r\n') }
}
