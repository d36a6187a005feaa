import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { readCredentials, superuserUrl } from '../../server/platform/postgres/credentials.ts'
import { type Answer, send } from '../support/http-client.ts'
import { type Instance, startInstance, until } from '../support/instance.ts'
import { runPostroom } from '../support/postroom-process.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSendingServer } from '../support/sending-server.ts'

/*
 * A service with an embedded database whose files are copied while a broadcast is under way, which then goes on, and whose
 * files are put back: nobody is mailed twice, no id is given twice, and who wants no mail or was erased stays so.
 */

const PEOPLE = 24
const SENT_AT_BACKUP = 3
const WITHIN_MS = 120_000
const run = promisify(execFile)

const stay = setInterval(() => undefined, 60_000)
const dataDir = path.join(tmpdir(), `postroom-restored-${process.pid}`)
const backup = `${dataDir}.backup`
const sink = await startSendingServer({ answerMs: () => 0 })
const receiver = await startReceiver()
const env = {
  WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  MAILBOX_ADDR: 'off',
  BOOTSTRAP_TOKEN: 'restored-restored-restored-restored-1',
}
let instance: Instance | undefined
after(async () => {
  await instance?.stop()
  await Promise.all([sink.close(), receiver.close()])
  await Promise.all([dataDir, backup].map((place) => rm(place, { recursive: true, force: true })))
  clearInterval(stay)
})

async function startAgain(more: Record<string, string> = {}): Promise<Instance> {
  instance = await startInstance({ dataDir, env: { ...env, ...more } })
  return instance
}

async function call(method: string, at: string, json?: object): Promise<Answer> {
  const answer = await send(method, `${instance!.baseUrl}/api${at}`, {
    token: env.BOOTSTRAP_TOKEN,
    ...(json ? { json } : {}),
  })
  assert.ok(answer.status < 300, `${method} ${at}: ${answer.text}`)
  return answer
}

/** One statement behind the service's back. */
async function sql<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({
    connectionString: `${superuserUrl((await readCredentials(dataDir))!).replace(/\/[^/]*$/, '')}/postroom`,
  })
  await client.connect()
  return client
    .query<R>(text, values)
    .then(
      ({ rows }) => rows,
      (error) => {
        throw error
      },
    )
    .finally(() => client.end())
}

/** The cluster's files: those that a restore brings back. */
async function cluster(): Promise<string> {
  const { clusterDir } = JSON.parse(await readFile(path.join(dataDir, 'postgres.json'), 'utf8'))
  return clusterDir ?? path.join(dataDir, 'postgres')
}

const arrived = () => [...sink.copies().values()].flat().length
const contact = async (email: string) => (await call('POST', '/contacts', { email })).json.id as string
const metric = async () => /^postroom_installation_held(?:\{[^}]*\})? (\d)/m.exec(await instance!.metrics())?.[1]
const ready = async () => (await send('GET', `${instance!.baseUrl}/readyz`)).json
const restored = (...args: string[]) => runPostroom(['restored', ...args], { ...env, DATA_DIR: dataDir })

test('a service whose database is put back goes on without a second mail, a second id or a lost opt-out', async () => {
  await startAgain()
  const from = 'news@sender.example'
  const config = { kind: 'smtp', host: '127.0.0.1', port: sink.port, tls: 'none', from }
  const { json: integration } = await call('POST', '/integrations', {
    name: 'sink',
    config,
    isDefault: true,
    maxPerSecond: 2,
  })
  await call('POST', '/sending-domains', { domain: 'sender.example' })
  await sql('update sending_domain_keys set verified_at = now()')
  await call('POST', '/webhooks', { url: `${receiver.url}/hook` })
  const people = await Promise.all(Array.from({ length: PEOPLE }, (_, n) => contact(`p${n}@many.example`)))
  const body = '<p>Hello. <a href="{{ unsubscribe_url }}">Out</a></p>'
  const { json: broadcast } = await call('POST', '/broadcasts', { name: 'Many', subject: 'Hello', body })
  const underWay = sink.arrivals(SENT_AT_BACKUP)
  await call('POST', `/broadcasts/${broadcast.id}/send`)
  await underWay
  await instance!.stop()
  await run('cp', ['-a', await cluster(), backup])

  // Nothing is lost: the same files, and what the file beside them knows is in them.
  await startAgain()
  assert.deepEqual(await ready(), { status: 'ok' })
  await call('PATCH', `/integrations/${integration.id}`, { maxPerSecond: null })
  await until('everybody has it', async () => sink.copies().size >= PEOPLE, WITHIN_MS)
  await call('POST', '/unsubscribes', { destination: 'p1@many.example', sendingSource: 'everything' })
  await call('POST', '/suppressions', { destination: 'p2@many.example' })
  await call('DELETE', `/contacts/${people[3]}`)
  const lost = await contact('lost@many.example')
  await until(
    'it is told',
    async () => receiver.requests.some(({ body }) => String(body).includes('lost@many.example')),
    WITHIN_MS,
  )
  await instance!.stop()

  await rm(await cluster(), { recursive: true })
  await run('cp', ['-a', backup, await cluster()])
  await startAgain()
  assert.equal((await ready()).held.reason, 'behind')
  assert.equal(await metric(), '1')
  assert.match((await restored('--status')).stdout, /^Held since .*: the database does not know what it had committed/)
  const sent = arrived()
  const next = await contact('next@many.example')
  assert.ok(BigInt(next) > BigInt(lost), `${next} was given before`)
  await call('POST', '/emails', { destination: 'one@single.example', subject: 'Your receipt', text: 'Thank you.' })
  const told = receiver.requests.length

  const confirmed = await restored('--confirm')
  assert.match(confirmed.stdout, /Sending and deliveries go on/, confirmed.stderr)
  await until('what came later is sent', async () => sink.copies().has('one@single.example'), WITHIN_MS)
  await until('and told', async () => receiver.requests.length > told, WITHIN_MS)
  assert.equal(arrived(), sent + 1, 'nothing that was queued went out')
  for (const [address, copies] of sink.copies())
    assert.equal(copies.length, 1, `${address} has it ${copies.length} times`)
  const names = new Map<string, string>()
  for (const { headers, body: payload } of receiver.requests) {
    const id = String(headers['webhook-id'])
    const event = String(payload)
    assert.equal(names.get(id) ?? event, event, `${id} names two events`)
    names.set(id, event)
  }
  const gone = await sql(
    'select destination from unsubscribes union all select destination from suppressions order by 1',
  )
  assert.deepEqual(
    gone.map(({ destination }) => destination),
    ['p1@many.example', 'p2@many.example'],
  )
  assert.deepEqual(await sql('select id from contacts where workspace_id = 1 and id = $1', [people[3]]), [])
  const [sum] = await sql(`select count(*) filter (where state = 'uncertain' and reason = 'restored')::int as uncertain,
    count(*) filter (where state = 'pending')::int as pending from messages where source_kind = 'broadcast'`)
  assert.equal(sum!.pending, 0)
  assert.ok(sum!.uncertain > 0 && sum!.uncertain <= PEOPLE - SENT_AT_BACKUP)
})
