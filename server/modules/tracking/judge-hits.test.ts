import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createWorkspace, signalsOf, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import type { Hit } from './hit-queries.ts'
import { insertHits } from './hit-queries.ts'
import { COMPANY_MS } from './judge-hit.ts'
import { judgeDueHits, nextJudgingInMs } from './judge-hits.ts'
import { readHitReport } from './link-report.ts'
import { eraseHits, hitsOfMessages } from './message-hits.ts'

const { pool, workspaceId } = await testWorkspace()
const BROADCAST = '5'
const signals = signalsOf(pool)
const judge = (id = workspaceId) => judgeDueHits({ pool }, id)
const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })

let people = 0
/** A message of the broadcast, delivered an hour ago. */
async function message(more: { destination?: string; state?: string; isSingle?: boolean } = {}): Promise<string> {
  const { destination = `p${++people}@example.com`, state = 'accepted', isSingle = false } = more
  const [row] = await query<{ id: string }>(
    `insert into messages
        (workspace_id, purpose, source_kind, source_id, contact_id, destination, state, reason, settled_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now() - interval '1 hour') returning id`,
    [
      ...(isSingle ? ['transactional', 'email', null] : ['marketing', 'broadcast', BROADCAST]),
      String(people),
      destination,
      state,
      state === 'uncertain' ? 'process_lost' : null,
    ],
  )
  return row!.id
}

const aged = (messageId: string, more: Partial<Hit & { ageMs: number }> = {}): Hit & { ageMs: number } => ({
  workspaceId,
  messageId,
  kind: 'click',
  link: 0,
  url: 'https://example.com/',
  ip: '192.0.2.1',
  userAgent: 'Firefox',
  signals: [],
  ageMs: 60_000,
  ...more,
})
const opened = (messageId: string, more: Partial<Hit & { ageMs: number }> = {}) =>
  aged(messageId, { kind: 'open', link: null, url: null, ...more })
const store = (...hits: (Hit & { ageMs: number })[]) =>
  inTransaction(pool, ALL_WORKSPACES, (tx) => insertHits(tx, { writer: randomUUID(), number: 1 }, hits))
const report = () => inTransaction(pool, workspaceId, (tx) => readHitReport(tx, workspaceId, BROADCAST))

type Told = { name: string; email: string; data: string }
async function told() {
  const rows = await query<Told>(`delete from outbox where workspace_id = $1 returning name, email, data`)
  return rows.map(({ name, email, data }) => ({ name, email, ...JSON.parse(data) }))
}
async function forget() {
  await query('delete from hit_totals where workspace_id = $1')
  await told()
}

test('what a person opened and clicked is noted on the message, told in events and added up', async () => {
  const id = await message({ destination: 'ada@example.com' })
  assert.deepEqual(
    await store(opened(id, { ageMs: 90_000 }), aged(id, { link: 3 }), aged(id, { link: 3, ageMs: 20_000 })),
    [workspaceId],
  )
  assert.equal(await judge(), false)
  const [row] = await query(
    'select opened_at is not null as opened, clicked_at is not null as clicked from messages where workspace_id = $1 and id = $2',
    [id],
  )
  assert.deepEqual(row, { opened: true, clicked: true })
  const common = {
    workspaceId: Number(workspaceId),
    contactId: people,
    email: 'ada@example.com',
    messageId: Number(id),
  }
  const where = { purpose: 'marketing', surface: 'broadcast', broadcastId: Number(BROADCAST), machine: false }
  const click = { name: 'email.clicked', ...common, ...where, url: 'https://example.com/', link: 3 }
  assert.deepEqual(await told(), [{ name: 'email.opened', ...common, ...where }, click, click])
  assert.deepEqual(signals, ['outbox'])
  const counts = { humanHits: 2, machineHits: 0, humanMessages: 1, machineMessages: 0 }
  assert.deepEqual(await report(), {
    opens: { ...counts, humanHits: 1 },
    clicks: counts,
    links: [{ link: 3, url: 'https://example.com/', ...counts }],
  })
  await forget()
})

test('an open and a click have the time of the hit, on the message and in their events, whenever they are judged', async () => {
  const id = await message()
  await store(opened(id, { ageMs: 3_000_000 }), aged(id, { ageMs: 2_400_000 }), aged(id, { ageMs: 1_200_000 }))
  await judge()
  const hits = await query<{ kind: string; at: string }>(
    'select kind, at from message_hits where workspace_id = $1 and message_id = $2 order by at',
    [id],
  )
  const [marks] = await query<{ opened: string; clicked: string }>(
    'select opened_at as opened, clicked_at as clicked from messages where workspace_id = $1 and id = $2',
    [id],
  )
  assert.deepEqual(marks, { opened: hits[0]!.at, clicked: hits[1]!.at })
  const events = await query<{ at: string }>(
    'select occurred_at as at from outbox where workspace_id = $1 order by occurred_at',
  )
  assert.deepEqual(
    events.map(({ at }) => at),
    hits.map(({ at }) => at),
  )
  await forget()
})

test('what a machine did is told as such, added up beside the people’s, and noted on no message', async () => {
  const id = await message()
  const sweep = [0, 1, 2, 3].map((link) =>
    aged(id, { link, ageMs: 60_000 - link * 300, url: `https://example.com/${link}` }),
  )
  await store(...sweep, opened(id, { signals: ['privacy_proxy'], ip: '17.0.0.1' }))
  await judge()
  await store(aged(id, { link: 2, url: 'https://example.com/2', ip: '198.51.100.7', ageMs: 30_000 }))
  await judge()
  const [row] = await query(
    'select opened_at as opened, clicked_at is not null as clicked from messages where workspace_id = $1 and id = $2',
    [id],
  )
  assert.deepEqual(row, { opened: null, clicked: true })
  assert.deepEqual(
    (await told()).map(({ machine }) => machine),
    [true, true, true, true, true, false],
  )
  const { opens, clicks, links } = await report()
  assert.deepEqual(opens, { humanHits: 0, machineHits: 1, humanMessages: 0, machineMessages: 1 })
  assert.deepEqual(clicks, { humanHits: 1, machineHits: 4, humanMessages: 1, machineMessages: 1 })
  assert.deepEqual(
    links.map(({ link, url, humanHits, machineHits }) => [link, url, humanHits, machineHits]),
    [0, 1, 2, 3].map((link) => [link, `https://example.com/${link}`, link === 2 ? 1 : 0, 1]),
  )
  await forget()
})

test('a message counts once for a link, and once for all of them, in whatever order and turns its hits are judged', async () => {
  const ids = await Promise.all([message(), message(), message()])
  for (const [turn, id] of [...ids, ...ids].entries()) {
    const ageMs = 900_000 - turn * 100_000
    const link = turn % 2
    await store(
      aged(id, { link, ageMs }),
      aged(id, { link, ageMs: ageMs - 9_000 }),
      aged(id, { link: 7, ageMs: ageMs - 30_000 }),
    )
    await judge()
  }
  const { clicks, links } = await report()
  assert.deepEqual([clicks.humanMessages, clicks.humanHits], [3, 18])
  assert.deepEqual(
    links.map(({ link, humanMessages, humanHits }) => [link, humanMessages, humanHits]),
    [
      [0, 3, 6],
      [1, 3, 6],
      [7, 3, 6],
    ],
  )
  await forget()
})

test('a hit is judged once, when what belongs to it can have come', async () => {
  const id = await message()
  await store(aged(id, { ageMs: 9_000 }))
  assert.equal(await judge(), false)
  assert.deepEqual(await told(), [])
  await query(`update message_hits set at = at - interval '2 seconds' where workspace_id = $1 and message_id = $2`, [
    id,
  ])
  await Promise.all([judge(), judge()])
  await judge()
  assert.equal((await told()).length, 1)
  await forget()
})

test('a person’s click shows that an uncertain message was accepted', async () => {
  const id = await message({ state: 'uncertain' })
  await store(aged(id))
  await judge()
  assert.deepEqual(await query('select state from messages where workspace_id = $1 and id = $2', [id]), [
    { state: 'accepted' },
  ])
  await forget()
})

test('hits of single mail are told and listed, and belong to no broadcast', async () => {
  const id = await message({ isSingle: true })
  await store(opened(id), aged(id, { ageMs: 40_000 }))
  await judge()
  const events = await told()
  assert.deepEqual(
    events.map(({ surface, broadcastId }) => [surface, broadcastId]),
    [
      ['transactional', undefined],
      ['transactional', undefined],
    ],
  )
  assert.deepEqual(await report(), {
    opens: { humanHits: 0, machineHits: 0, humanMessages: 0, machineMessages: 0 },
    clicks: { humanHits: 0, machineHits: 0, humanMessages: 0, machineMessages: 0 },
    links: [],
  })
  const listed = () => inTransaction(pool, workspaceId, (tx) => hitsOfMessages(tx, workspaceId, [id]))
  assert.deepEqual(
    (await listed()).map(({ kind, link, verdict, ip, userAgent }) => [kind, link, verdict, ip, userAgent]),
    [
      ['open', null, 'human', '192.0.2.1', 'Firefox'],
      ['click', 0, 'human', '192.0.2.1', 'Firefox'],
    ],
  )
  await inTransaction(pool, workspaceId, (tx) => eraseHits(tx, workspaceId, [id]))
  assert.deepEqual(await listed(), [])
})

test('what nobody can be behind is not stored: messages that are not there, another workspace’s, an erased person’s', async () => {
  const theirs = await createWorkspace(pool)
  const id = await message()
  const erased = await message({ destination: '' })
  assert.deepEqual(await store(aged('999999'), aged(id, { workspaceId: theirs }), aged(erased)), [])
})

test('a hit that was stored while its person was being erased counts, and is erased when it is judged', async () => {
  await forget()
  const id = await message()
  await store(aged(id), opened(id, { ageMs: 2_000 }))
  await query(`update messages set destination = '' where workspace_id = $1 and id = $2`, [id])
  await judge()
  assert.deepEqual(await query('select from message_hits where workspace_id = $1 and message_id = $2', [id]), [])
  assert.deepEqual(await told(), [])
  assert.equal((await report()).clicks.humanHits, 1)
  await forget()
})

test('one link of one message is noted at most twenty times, and the others go on being noted', async () => {
  const id = await message()
  for (let n = 0; n < 3; n++)
    await store(...Array.from({ length: 15 }, () => aged(id)), aged(id, { link: 1 }), opened(id))
  const rows = await query(
    'select kind, link, count(*)::int as hits from message_hits where workspace_id = $1 and message_id = $2 group by 1, 2 order by 1, 2',
    [id],
  )
  assert.deepEqual(rows, [
    { kind: 'click', link: 0, hits: 20 },
    { kind: 'click', link: 1, hits: 3 },
    { kind: 'open', link: null, hits: 3 },
  ])
})

test('a person’s click is noted however often machines have followed the link, whose hits have a limit of their own', async () => {
  await forget()
  const id = await message()
  await store(...Array.from({ length: 20 }, () => aged(id, { signals: ['privacy_proxy'], ip: '17.0.0.1' })))
  await judge()
  const isClicked = async () =>
    (await query('select clicked_at from messages where id = $2 and workspace_id = $1', [id]))[0]
  assert.deepEqual(await isClicked(), { clicked_at: null })
  await store(aged(id, { ip: '198.51.100.7', ageMs: 30_000 }))
  await judge()
  assert.notDeepEqual(await isClicked(), { clicked_at: null })
  await query(
    `insert into message_hits (workspace_id, message_id, at, kind, link, url, signals, verdict)
     select $1, $2, now(), 'click', 0, 'https://example.com/', '{}', 'machine' from generate_series(1, 199)`,
    [id],
  )
  assert.deepEqual(await store(aged(id)), [])
  await forget()
})

test('a hit that came while an earlier one waited is looked for again when it is due', async () => {
  await forget()
  const id = await message()
  await store(opened(id), aged(id, { ageMs: 2_000 }))
  await judge()
  const inMs = (await nextJudgingInMs({ pool }, workspaceId))!
  assert.ok(inMs > 5_000 && inMs <= COMPANY_MS - 2_000, `${inMs}`)
  await query(`update message_hits set at = at - interval '1 minute' where workspace_id = $1`)
  await judge()
  assert.equal(await nextJudgingInMs({ pool }, workspaceId), null)
})
