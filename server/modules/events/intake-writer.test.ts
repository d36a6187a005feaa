import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { handTimers } from '../../../test/support/hand-timers.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { createWorkspace, secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { ensurePartitions, partitionAt } from '../../platform/db/partitions.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { RANGE_ROWS_MAX, registerGroups } from '../../platform/outbox/consumer.ts'
import { Problem } from '../../platform/problem.ts'
import { createIntakeWriter } from './event-intakes.ts'
import { forgetOldClientIds } from './forget-client-ids.ts'
import { persistEvent } from './persist-event.ts'
import { OUTBOX_PARTITIONS } from './queries.ts'
import { recordEvents } from './record-events.ts'
import type { EventInput, RecordedEvent } from './recorded-event.ts'

const { database, pool, workspaceId } = await testWorkspace({ patient: false })
let commits: number[] = []
const intake = createIntakeWriter({ sql: pool, onCommitted: (events) => commits.push(events) })
const record = (events: EventInput[], id = workspaceId) => recordEvents({ intake }, { workspaceId: id, events })

type Row = {
  workspace_id: string
  type: string
  name: string
  subject: string
  contact_id: string | null
  data: string
}

async function rows(): Promise<Row[]> {
  const found = await pool.query<Row>(
    'select workspace_id, type, name, subject, contact_id, data from outbox order by tx, position',
  )
  return found.rows
}
const names = async () => (await rows()).map(({ name }) => name)

/** As a request that got past the checks would look: the database is what refuses it. */
const plain = (action: string, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  clientId: null,
  action,
  subjectId: 's',
  email: null,
  phone: null,
  properties: '{}',
  occurredAt: null,
  ...more,
})
const write = (...events: RecordedEvent[]) => intake.write({ workspaceId, events }, 100)

beforeEach(async () => {
  commits = []
  await pool.query('delete from outbox')
})

test('what is recorded keeps its order, its type is the system’s, and the name is the caller’s', async () => {
  const actions = Array.from({ length: 1_000 }, (_, n) => `action ${n}`)
  await record(actions.map((action) => ({ action, subjectId: 'ada', properties: { action } })))
  const found = await rows()
  assert.deepEqual(
    found.map(({ name }) => name),
    actions,
  )
  for (const row of found) {
    assert.deepEqual(
      [row.type, row.workspace_id, row.subject, row.contact_id],
      ['event.recorded', workspaceId, 'ada', null],
    )
    assert.equal(row.data, `{"action":"${row.name}"}`)
  }
  assert.deepEqual(commits, [1_000])
})

test('a batch is recorded whole or not at all', async () => {
  const good = Array.from({ length: 30 }, (_, n) => ({ action: `fine ${n}`, subjectId: 'ada' }))
  const refused = async (events: EventInput[]): Promise<Problem> => {
    const problem = await record(events).catch((error) => error)
    assert.ok(problem instanceof Problem)
    return problem
  }
  const rule = await refused([...good, { action: 'contact.created', subjectId: 'ada' }])
  assert.deepEqual([rule.statusCode, rule.errors?.[0]?.pointer], [422, '/events/30/action'])
  const shape = await refused([{ action: 'email.sent', subjectId: 'ada' }, ...good, { action: 'nobody' }])
  assert.equal(shape.statusCode, 400)
  assert.deepEqual(
    shape.errors?.map(({ pointer }) => pointer),
    ['/events/0/action', '/events/31'],
  )
  const many = await refused(Array.from({ length: 500 }, () => ({ action: '', subjectId: 'ada' })))
  assert.equal(many.errors?.length, 20)
  await assert.rejects(write(plain('in front'), plain('bad', { occurredAt: '2026-13-01T00:00:00Z' }), plain('behind')))
  assert.deepEqual(await names(), [])
  assert.deepEqual(commits, [])
})

test('one bad request in a shared commit fails alone', async () => {
  const bad: Record<number, Partial<RecordedEvent>> = {
    7: { occurredAt: '2026-13-01T00:00:00Z' },
    20: { properties: '{broken' },
    21: { clientId: 'x'.repeat(65) },
    33: { properties: '{}', clientId: 'ok-too', occurredAt: 'not a time' },
  }
  const requests = Array.from({ length: 40 }, (_, n) => write(plain(`r${n}a`), plain(`r${n}b`, bad[n] ?? {})))
  const answers = await Promise.allSettled(requests)
  assert.deepEqual(
    answers.flatMap(({ status }, n) => (status === 'rejected' ? [n] : [])),
    Object.keys(bad).map(Number),
  )
  const expected = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [`r${n}a`, `r${n}b`] : []))
  assert.deepEqual((await names()).sort(), expected.sort())
  assert.equal(
    commits.reduce((sum, events) => sum + events, 0),
    expected.length,
    'what is reported as committed is what was',
  )
})

test('requests that come together share commits, and an idle writer does not wait for others', async () => {
  await Promise.all(Array.from({ length: 200 }, (_, n) => record([{ action: `a${n}`, subjectId: 'ada' }])))
  assert.equal((await rows()).length, 200)
  assert.ok(commits.length <= 20, `${commits.length} commits for 200 requests`)
  const alone: number[] = []
  for (let n = 0; n < 20; n++) {
    const begunMs = performance.now()
    await record([{ action: 'single', subjectId: 'ada' }])
    alone.push(performance.now() - begunMs)
  }
  // A busy machine makes some of them late, a writer that waits each of them.
  assert.ok(Math.min(...alone) < 100, `${alone} ms`)
})

test('a commit has at most 4,000 events and 8 MiB, but any one request fits', async () => {
  const batch = Array.from({ length: 900 }, (_, n) => plain(`b${n}`))
  await Promise.all(Array.from({ length: 20 }, () => write(...batch)))
  assert.equal((await rows()).length, 18_000)
  assert.ok(Math.max(...commits) <= 4_000, `${commits}`)
  commits = []
  const heavy = () => intake.write({ workspaceId, events: [plain('heavy')] }, 3 * 1024 * 1024)
  await Promise.all(Array.from({ length: 12 }, heavy))
  assert.ok(Math.max(...commits) <= 2, `${commits}`)
  await intake.write({ workspaceId, events: [plain('huge')] }, 20 * 1024 * 1024)
  assert.ok((await names()).includes('huge'))
})

test('when too much waits the answer is 503 and nothing of it is recorded', async (t) => {
  const MIB = 1024 * 1024
  const blocker = await secondProcess(database).connect()
  await blocker.query('begin; lock table outbox in access exclusive mode')
  const time = handTimers(t)
  const impatient = createIntakeWriter({
    sql: secondProcess(database, { patient: false }),
    onCommitted: () => undefined,
  })
  const send = (action: string, bytes: number) => impatient.write({ workspaceId, events: [plain(action)] }, bytes)
  const overloaded = { statusCode: 503, code: 'overloaded', headers: { 'retry-after': '1' } }
  // Three commits are on their way; the others wait for one of them.
  const inFlight: Promise<void>[] = []
  for (const action of ['one', 'two', 'three']) {
    inFlight.push(send(action, 1))
    time.advance(100)
  }
  const waiting = [send('waits', 30 * MIB), send('waits too', 30 * MIB)]
  await assert.rejects(send('too much', 5 * MIB), overloaded)
  const answers = Promise.allSettled([...inFlight, ...waiting, send('small', 1)])
  await withClient(database.superuserUrl, async (client) => {
    const locked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while (Number((await client.query(locked)).rowCount) < inFlight.length);
  })
  time.advance(1_400)
  assert.equal(await Promise.race([...inFlight, ...waiting, setImmediate('not yet')]), 'not yet')
  // All are answered within 2 s, while the table is still locked, whether they were sent to the database or not.
  time.advance(600)
  const settled = await answers
  for (const answer of settled) assert.equal(answer.status, 'rejected')
  for (const answer of settled.slice(3)) {
    assert.ok(answer.status === 'rejected')
    assert.deepEqual({ ...answer.reason }.code, 'overloaded')
  }
  time.release()
  await blocker.query('rollback')
  blocker.release()
  await record([{ action: 'afterwards', subjectId: 'ada' }])
  const found = await names()
  for (const action of ['waits', 'waits too', 'too much', 'small']) assert.ok(!found.includes(action), action)
  assert.ok(found.includes('afterwards'))
})

test('a missing partition is made on the way, for all who need it at once', async () => {
  for (let step = 0; step <= 1; step++) {
    await pool.query(`drop table ${partitionAt(OUTBOX_PARTITIONS, new Date(), step).name}`)
  }
  const others = [intake, createIntakeWriter({ sql: secondProcess(database), onCommitted: () => undefined })]
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      recordEvents({ intake: others[n % 2]! }, { workspaceId, events: [{ action: `p${n}`, subjectId: 'ada' }] }),
    ),
  )
  assert.equal((await rows()).length, 60)
  await ensurePartitions(pool, OUTBOX_PARTITIONS)
})

test('a client id makes a repeat harmless: in one batch, in another one, in another workspace', async () => {
  const event = (id: string, action: string) => ({ id, action, subjectId: 'ada' })
  await record([
    event('one', 'first'),
    event('two', 'other'),
    event('one', 'repeat'),
    { action: 'without', subjectId: 'a' },
  ])
  await record([event('one', 'again'), event(' two ', 'again'), event('three', 'new')])
  assert.deepEqual(await names(), ['first', 'other', 'without', 'new'])
  await record([event('one', 'elsewhere')], await createWorkspace(pool))
  assert.deepEqual((await names()).at(-1), 'elsewhere')
  await record([event('one', 'again')])
  assert.equal((await rows()).length, 5)
})

test('a client id of a batch that was not recorded is free again', async () => {
  const bad = plain('bad', { occurredAt: 'nonsense' })
  await assert.rejects(write(plain('good', { clientId: 'free' }), bad))
  await write(plain('good', { clientId: 'free' }))
  assert.deepEqual(await names(), ['good'])
})

test('overlapping client ids in any order, from two processes at once: each is recorded once, nobody deadlocks', async (t) => {
  const seed = seedFrom('INTAKE_SEED')
  t.diagnostic(`INTAKE_SEED=${seed}`)
  const random = seededRandom(seed)
  const writers = [pool, secondProcess(database), secondProcess(database)].map((sql) =>
    createIntakeWriter({ sql, onCommitted: () => undefined }),
  )
  const wanted = new Set<string>()
  const batches = Array.from({ length: 300 }, () => {
    const ids = Array.from({ length: 20 }, () => `overlap-${Math.floor(random() * 200)}`)
    for (const id of ids) wanted.add(id)
    return ids.map((id) => plain(id, { clientId: id }))
  })
  await Promise.all(batches.map((events, n) => writers[n % 3]!.write({ workspaceId, events }, 4_000)))
  const found = await names()
  assert.equal(found.length, wanted.size)
  assert.deepEqual(new Set(found), wanted)
})

test('client ids are forgotten when their events have left by age', async () => {
  await write(plain('old', { clientId: 'old-id' }), plain('young', { clientId: 'young-id' }))
  await write(...Array.from({ length: 30 }, (_, n) => plain(`aged ${n}`, { clientId: `aged-${n}` })))
  await queryInScope(pool, ALL_WORKSPACES, {
    text: `update event_client_ids set recorded_at = now() - interval '11 days' where client_id ~ '^(old|aged)-'`,
  })
  assert.equal(await forgetOldClientIds(pool, 10, 4), 31, 'all of them, a few a step')
  await write(plain('old again', { clientId: 'old-id' }), plain('young again', { clientId: 'young-id' }))
  const named = await names()
  assert.deepEqual(
    named.filter((name) => !name.startsWith('aged')),
    ['old', 'young', 'old again'],
  )
})

test('numbers keep all their digits from the body to the log and to the kept event', async () => {
  const properties =
    '{"at": 9007199254740993, "max": 9223372036854775807, "deep": [{"pi": 3.14159265358979323846264338327950288}]}'
  const body = parseExactJson(`{"events":[{"action":"exact","subjectId":"ada","properties":${properties}}]}`)
  await record((body as { events: EventInput[] }).events)
  const compact = properties.replaceAll(' ', '')
  assert.equal((await rows())[0]?.data, compact)
  await registerGroups(pool, [persistEvent])
  await readAll(watched(pool), persistEvent, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  const [kept] = await queryInScope<{ data: string }>(pool, workspaceId, {
    text: `select data::text as data from events where name = 'exact'`,
  })
  for (const number of compact.match(/\d[\d.]+/g) ?? []) assert.ok(kept?.data.includes(number), number)
})
