import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { scriptedTransport } from '../../../../test/support/scripted-transport.ts'
import { SENDER, storeIntegration, storeVerifiedDomain, testSecrets } from '../../../../test/support/sending-world.ts'
import { takeSendJobs } from '../../../../test/support/turn-jobs.ts'
import { callerOf, testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { HOUR_MS } from '../../../platform/durations.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { runTurn } from '../../../platform/lanes/run-turn.ts'
import type { SendingSettingsChange } from '../../confirmations/schemas.ts'
import { updateSettings } from '../../confirmations/update-settings.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { explainMessage } from '../../emails/explain-message.ts'
import { createPacer } from '../../pacing/pacer.ts'
import { mergeContacts } from '../../personal-data/merge-contacts.ts'
import { planMessages } from '../ledger/plan-messages.ts'
import type { MessageSource, SourceKind } from '../message-source.ts'
import { openStream, type Priority, setStreamPriority, setStreamState } from '../streams.ts'
import { createHandingMarks } from '../turn/mark-handing.ts'
import { createResultRecorder } from '../turn/result-recorder.ts'
import { type SendDeps, sendTurns } from '../turn/send-messages.ts'
import { releaseHeldMessages } from './release-held-messages.ts'

const { pool, workspaceId } = await testWorkspace({ connections: 20 })
await migrateJobs(pool, ['default', 'broadcasts'])
const secrets = testSecrets()
await storeIntegration(pool, workspaceId, { port: 1 })
await storeVerifiedDomain(pool, secrets, { workspaceId })
const caller = callerOf(workspaceId)
const never = new AbortController().signal
let transport = scriptedTransport()
const onError = (error: unknown) => assert.fail(String(error))
const source = (kind: SourceKind): MessageSource => ({
  kind,
  senderOf: async () => ({ integrationId: null, fromEmail: null, fromName: null }),
  prepare: async () => ({
    contentOf: async ({ destination }) => ({
      ...{ from: { address: SENDER, name: null }, to: [{ address: destination, name: null }], subject: 'Hello' },
      ...{ html: '<p>Hello</p>', text: null, oneClickUrl: 'https://mail.example/u/1' },
    }),
  }),
})
const deps: SendDeps = {
  ...{ pool, secrets, onError, isCatcher: () => false, pacer: createPacer({ pool, onError }) },
  sources: new Map((['broadcast', 'automation'] as const).map((kind) => [kind, source(kind)])),
  marks: createHandingMarks(pool, onError),
  recorder: createResultRecorder({ pool, onRecorded: () => undefined, onError }),
  transports: { of: () => transport },
  returnPathOf: () => null,
  unsubscribeAddressOf: () => 'out@bounces.example',
  messageIdOf: ({ messageId }) => `${messageId}@bounces.example`,
}
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const settings = (change: SendingSettingsChange) =>
  updateSettings({ sql: pool }, caller, { change, ifMatch: undefined })

/** Hours around the present, by the clock of UTC. */
const around = (fromHours: number, untilHours: number) => {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16)
  return { from: at(fromHours), until: at(untilHours), zone: 'UTC' }
}

beforeEach(async () => {
  await takeSendJobs(pool)
  await settings({ quietHours: null, frequencyCap: null })
  transport = scriptedTransport()
})

let made = 0
const person = async (timeZone: string | null = null) =>
  createContact({ sql: pool, onCreated: async () => undefined }, caller, { email: `p${++made}@held.example`, timeZone })

type Mail = {
  kind?: 'broadcast' | 'automation'
  purpose?: 'marketing' | 'service'
  notAfter?: string
  priority?: Priority
}

/** A mail to each of these people from a source of its own; answers the messages' ids. */
async function mail(
  ids: readonly string[],
  { kind = 'automation', purpose = 'marketing', notAfter, priority }: Mail = {},
) {
  const from = { kind, id: String(++made) }
  const stream = await inTx((tx) => openStream(tx, workspaceId, from))
  if (priority) await inTx((tx) => setStreamPriority(tx, { workspaceId, source: from, priority }))
  const recipients = ids.map((contactId) => ({ contactId, dueAt: null, notAfter: notAfter ?? null }))
  const plan = { ...stream, source: from, purpose, createdAt: new Date().toISOString() }
  await inTx((tx) => planMessages(tx, plan, recipients))
  const found = await rows<{ id: string }>(
    'select id from messages where workspace_id = $1 and source_id = $2 order by id',
    [from.id],
  )
  return { stream, ids: found.map(({ id }) => id) }
}

type Sent = Awaited<ReturnType<typeof mail>>

/** Has everything that is due by the queue sent, a stream after the other, or those of these streams. */
async function send(...mails: readonly Sent[]): Promise<void> {
  for (const { stream } of mails) {
    const jobId = crypto.randomUUID()
    await rows(
      `update send_lanes set state = 'waiting', job_id = $3 where workspace_id = $1 and stream_id = $2 and slot = 0`,
      [stream.streamId, jobId],
    )
    await runTurn(sendTurns(deps), { ...stream, slot: 0, jobId }, never)
  }
}

async function stateOf(id: string) {
  const [row] = await rows<{ state: string; reason: string | null; held: string | null; due: string | null }>(
    `select m.state, m.reason, q.held_for as held, q.due_at as due from messages m
      left join message_queue q on q.workspace_id = m.workspace_id and q.message_id = m.id
      where m.workspace_id = $1 and m.id = $2`,
    [id],
  )
  return row!
}
const words = async (id: string) => {
  const { state, reason, held } = await stateOf(id)
  return [state, reason ?? held].filter(Boolean).join(' ')
}
const dueNow = (id: string) =>
  rows('update message_queue set due_at = now() where workspace_id = $1 and message_id = $2', [id])

test('marketing mail waits for the end of the quiet hours of its person and goes then; service mail goes at once', async () => {
  const quietHours = around(-2, 3)
  await settings({ quietHours })
  const [here, far] = [await person(), await person('Asia/Tokyo')]
  const [news, invoice] = [await mail([here.id, far.id]), await mail([here.id], { purpose: 'service' })]
  await send(news, invoice)
  assert.deepEqual(await Promise.all([...news.ids, ...invoice.ids].map(words)), [
    'pending quiet_hours',
    'accepted',
    'accepted',
  ])
  const { due } = await stateOf(news.ids[0]!)
  assert.equal(new Date(due!).toISOString().slice(11, 16), quietHours.until)
  const told = await explainMessage({ sql: pool, sender: deps }, workspaceId, news.ids[0]!)
  assert.match(told.summary, /quiet hours of the person/)

  await settings({ quietHours: null })
  await releaseHeldMessages(pool, workspaceId, never)
  await send(news)
  assert.equal(await words(news.ids[0]!), 'accepted')
  const timeline = await rows<{ outcome: string; cause: string }>(
    'select outcome, cause from message_attempts where workspace_id = $1 and message_id = $2',
    [news.ids[0]],
  )
  assert.deepEqual(timeline, [{ outcome: 'held', cause: 'quiet_hours' }])
})

test('a mail that is no use after the quiet hours is skipped at once, and says so', async () => {
  await settings({ quietHours: around(-2, 3) })
  const { id } = await person()
  const late = await mail([id], { notAfter: new Date(Date.now() + HOUR_MS).toISOString() })
  await send(late)
  assert.equal(await words(late.ids[0]!), 'skipped quiet_hours')
})

test('a turn that puts mail off and skips other mail comes to the allowance behind the ledger', async () => {
  await settings({ quietHours: around(-2, 3) })
  const [here, east] = [await person(), await person('Africa/Johannesburg')]
  const news = await mail([here.id, east.id], { notAfter: new Date(Date.now() + 2 * HOUR_MS).toISOString() })
  const allowance = 'select in_flight from send_allowances where workspace_id = $1'
  const before = await rows(allowance)
  const locking = 'select from messages where workspace_id = $1 and id = any ($2::int8[]) for update'
  const ledger = await openTransaction(pool, (tx) => tx.query(locking, [workspaceId, news.ids]), workspaceId)
  const sending = send(news)
  await somebodyWaits(pool)
  await rows(`${allowance} for update nowait`)
  await ledger.commit()
  await sending
  assert.deepEqual(await Promise.all(news.ids.map(words)), ['skipped quiet_hours', 'pending quiet_hours'])
  assert.deepEqual(await rows(allowance), before)
})

test('nobody gets more than the cap lets them, however many sources send at once, and room is given again', async () => {
  await settings({ frequencyCap: { messages: 2, days: 7, waitHours: 48 } })
  const people = await Promise.all(Array.from({ length: 5 }, () => person()))
  const ids = people.map(({ id }) => id)
  const mails = await Promise.all(
    Array.from({ length: 6 }, (_, n) => mail(ids, { kind: n % 2 === 0 ? 'broadcast' : 'automation' })),
  )
  const atMost = (most: number) => {
    for (const { email } of people) assert.ok(transport.sent.filter(({ to }) => to === email).length <= most)
  }
  await Promise.all(mails.map((one) => send(one)))
  atMost(2)
  // Mail that met another at a place is looked at again.
  await rows(`update message_queue set due_at = now() where workspace_id = $1 and due_at < now() + interval '1 minute'`)
  await send(...mails)
  for (const { email } of people) assert.equal(transport.sent.filter(({ to }) => to === email).length, 2)
  const held = (await Promise.all(mails.flatMap((one) => one.ids.map(words)))).filter((one) => one !== 'accepted')
  assert.deepEqual(new Set(held), new Set(['pending frequency_cap']))
  assert.equal(held.length, 20)

  await rows(`update frequency_slots set taken_at = now() - interval '8 days' where workspace_id = $1`)
  for (const id of mails.flatMap((one) => one.ids)) await dueNow(id)
  await send(...mails)
  for (const { email } of people) assert.equal(transport.sent.filter(({ to }) => to === email).length, 4)
})

test('who loses a race for one of several places looks again, even where mail waits for nothing', async () => {
  await settings({ frequencyCap: { messages: 2, days: 7, waitHours: 0 } })
  const { id } = await person()
  const taking = `insert into frequency_slots (workspace_id, contact_id, slot, message_id, message_created_at, taken_at)
    values ($1, $2, 1, 1, now(), now())`
  const other = await openTransaction(pool, (tx) => tx.query(taking, [workspaceId, id]), workspaceId)
  const news = await mail([id])
  const sending = send(news)
  await somebodyWaits(pool)
  await other.commit()
  await sending
  assert.equal(await words(news.ids[0]!), 'pending frequency_cap')
  const [waits] = await rows<{ since: string | null; seconds: number }>(
    `select capped_since as since, extract(epoch from due_at - now())::float8 as seconds from message_queue
      where workspace_id = $1 and message_id = $2`,
    [news.ids[0]],
  )
  assert.equal(waits!.since, null)
  assert.ok(waits!.seconds <= 5, `${waits!.seconds} seconds`)

  await dueNow(news.ids[0]!)
  await send(news)
  assert.equal(await words(news.ids[0]!), 'accepted')
  const third = await mail([id])
  await send(third)
  assert.equal(await words(third.ids[0]!), 'skipped frequency_cap')
})

test('a message that came to nothing takes nobody’s room', async () => {
  await settings({ frequencyCap: { messages: 1, days: 7, waitHours: 48 } })
  const { id } = await person()
  const [refused, next] = [await mail([id]), await mail([id])]
  transport.script = async () => ({
    outcome: 'refused',
    reply: { code: 550, enhanced: '5.7.1', text: 'no', phase: 'data' } as const,
  })
  await send(refused)
  assert.match(await words(refused.ids[0]!), /^failed/)
  transport = scriptedTransport()
  await send(next)
  assert.equal(await words(next.ids[0]!), 'accepted')
})

test('a message that waits in a stream that does not move leaves its room to others, and takes one anew', async () => {
  await settings({ frequencyCap: { messages: 1, days: 7, waitHours: 48 } })
  const { id } = await person()
  const [halted, next] = [await mail([id]), await mail([id])]
  transport.script = async () => ({ outcome: 'unsent', cause: 'connection_refused', message: 'nobody there' })
  await send(halted)
  const place = () =>
    rows('select message_id as id from frequency_slots where workspace_id = $1 and contact_id = $2', [id])
  assert.deepEqual(await place(), [{ id: halted.ids[0] }])
  transport = scriptedTransport()
  const steer = (state: 'open' | 'paused') => inTx((tx) => setStreamState(tx, { ...halted.stream, state }))
  await steer('paused')
  await steer('open')
  await send(next)
  assert.equal(await words(next.ids[0]!), 'pending frequency_cap', 'a stream that moves keeps its places')
  await steer('paused')
  await dueNow(next.ids[0]!)
  await send(next)
  assert.equal(await words(next.ids[0]!), 'accepted')
  assert.deepEqual(await place(), [{ id: next.ids[0] }])
  await steer('open')
  await dueNow(halted.ids[0]!)
  await send(halted)
  assert.equal(await words(halted.ids[0]!), 'pending frequency_cap')
})

test('who comes too late for the place of a message that is claimed again gets none', async () => {
  await settings({ frequencyCap: { messages: 1, days: 7, waitHours: 48 } })
  const { id } = await person()
  const [halted, next] = [await mail([id]), await mail([id])]
  await rows(
    `insert into frequency_slots (workspace_id, contact_id, slot, message_id, message_created_at, taken_at)
      select workspace_id, contact_id, 1, id, created_at, now() - interval '1 hour' from messages where workspace_id = $1 and id = $2`,
    [halted.ids[0]],
  )
  await inTx((tx) => setStreamState(tx, { ...halted.stream, state: 'paused' }))
  const again = 'update frequency_slots set taken_at = now() where workspace_id = $1 and message_id = $2'
  const other = await openTransaction(pool, (tx) => tx.query(again, [workspaceId, halted.ids[0]]), workspaceId)
  const sending = send(next)
  await somebodyWaits(pool)
  await other.commit()
  await sending
  assert.equal(await words(next.ids[0]!), 'pending frequency_cap')
})

test('of those that wait for room the higher priority goes first, then the older; and one that finds none in time is skipped', async () => {
  await settings({ frequencyCap: { messages: 1, days: 7, waitHours: 48 } })
  const { id } = await person()
  const first = await mail([id])
  await send(first)
  const [low, old, young, high] = [
    await mail([id], { priority: 'low' }),
    await mail([id]),
    await mail([id]),
    await mail([id], { priority: 'high' }),
  ]
  await send(young, old, low, high)
  const order: string[] = []
  for (let n = 0; n < 3; n++) {
    await rows(`update frequency_slots set taken_at = now() - interval '8 days' where workspace_id = $1`)
    const waiting = [low, young, old, high].filter(({ ids }) => !order.includes(ids[0]!))
    for (const { ids } of waiting) await dueNow(ids[0]!)
    await send(...waiting)
    for (const { ids } of waiting) if ((await words(ids[0]!)) === 'accepted') order.push(ids[0]!)
  }
  assert.deepEqual(
    order,
    [high, old, young].map(({ ids }) => ids[0]),
  )

  await rows(
    `update message_queue set capped_since = now() - interval '49 hours', due_at = now() where workspace_id = $1`,
  )
  await send(low)
  assert.equal(await words(low.ids[0]!), 'skipped frequency_cap')
})

test('a contact that is merged into another brings the room along that it has used', async () => {
  await settings({ frequencyCap: { messages: 2, days: 7, waitHours: 0 } })
  const [kept, other] = [await person(), await person()]
  await send(await mail([kept.id]), await mail([other.id]))
  const merging = { sql: pool, enqueueSweep: async () => undefined } as unknown as Parameters<typeof mergeContacts>[0]
  await mergeContacts(merging, caller, { id: kept.id, otherId: other.id })
  const third = await mail([kept.id])
  await send(third)
  assert.equal(await words(third.ids[0]!), 'skipped frequency_cap')
})
