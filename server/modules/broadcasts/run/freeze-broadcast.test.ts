import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { broadcastDeps } from '../../../../test/support/broadcast-deps.ts'
import { eventually } from '../../../../test/support/eventually.ts'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testSecrets } from '../../../../test/support/sending-world.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { QUEUES } from '../../../catalogue/queues.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { createSegment } from '../../segments/manage-segments.ts'
import { createBroadcast } from '../manage-broadcasts.ts'
import { explainBroadcast } from '../report/explain-broadcast.ts'
import { readReport } from '../report/read-report.ts'
import { advanceBroadcast } from './advance-broadcast.ts'
import { scheduleBroadcast, sendBroadcast, unscheduleBroadcast } from './start-broadcast.ts'
import { cancelBroadcast } from './steer-broadcast.ts'

const LATCH = 4_712
const { database, pool, caller, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, QUEUES)
const deps = { ...broadcastDeps(pool), secrets: testSecrets(), shouldYield: () => true }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R & Record<string, unknown>>(pool, workspaceId, { text, values })

const PEOPLE = 4_500
await rows(
  `insert into contacts (workspace_id, email, first_name, time_zone)
   select $1, 'p' || n || '@example.com', case when n % 2 = 0 then 'even' else 'odd' end,
     case when n % 3 = 0 then 'Asia/Tokyo' else 'America/New_York' end
   from generate_series(1, $2::int) n`,
  [workspaceId, PEOPLE],
)
const even = JSON.stringify({ combinator: 'and', rules: [{ field: 'first_name', operator: '=', value: 'even' }] })
const segmentId = (await createSegment(deps, caller, { name: 'even', definition: even })).id

/** Writing a chunk down takes so long for each of its contacts, as telling its members would. */
async function slow(msPerContact: number): Promise<void> {
  await pool.query(`create or replace function take_time() returns trigger language plpgsql as $$
    begin perform pg_sleep(cardinality(new.contact_ids) * ${msPerContact} / 1000.0); return new; end $$`)
  await pool.query(
    'create or replace trigger take_time before insert on broadcast_chunks for each row execute function take_time()',
  )
}
afterEach(() => pool.query('drop trigger if exists take_time on broadcast_chunks'))

const draft = async (audience: { segmentId?: string } = {}) =>
  (await createBroadcast(deps, caller, { name: 'News', subject: 'a', body: 'b', ...audience })).id
const report = (id: string) => readReport(pool, { workspaceId, id })
const frozen = async (id: string) =>
  (
    await rows<{ total: string; after: string; size: number | null }>(
      'select frozen_total as total, freeze_after_id as after, freeze_size as size from broadcasts where id = $1',
      [id],
    )
  )[0]!

/** One step of a run that then dies: nothing of it is left but what is in the database. */
const step = (id: string, stretchMs: number) => advanceBroadcast({ ...deps, stretchMs }, { workspaceId, id })

/** Goes on step by step until `done`, and answers what the report said after each. */
async function advanceUntil(id: string, stretchMs: number, done: () => Promise<boolean>) {
  const seen: Awaited<ReturnType<typeof report>>[] = []
  for (let n = 0; n < 100; n++) {
    const { end } = await step(id, stretchMs)
    seen.push(await report(id))
    if (end === 'done' || (await done())) return seen
  }
  throw new Error('it does not end')
}
const never = async () => false

test('an audience that one statement does not gather in its time is gathered in stretches, each person once', async () => {
  await slow(0.8)
  const id = await draft({ segmentId })
  await sendBroadcast(deps, caller, { id })
  const stretchMs = 1_200
  await advanceUntil(id, stretchMs, async () => (await frozen(id)).total !== '0')
  const { total, size } = await frozen(id)
  assert.deepEqual([total, size], ['500', 1_000], 'half of the first thousand')
  const { findings } = await explainBroadcast(deps, { workspaceId, id })
  assert.ok(findings.some(({ detail }) => detail === 'Its audience is still being gathered: 500 so far.'))
  // A contact that comes now came after the start; one that goes before being looked at is not there.
  const { id: late } = await createContact(deps, caller, { email: 'late@example.com', firstName: 'even' })
  const [gone] = await rows<{ id: string }>(
    `delete from contacts where id = (select max(id) from contacts where first_name = 'even' and id <> $1) returning id`,
    [late],
  )
  const seen = await advanceUntil(id, stretchMs, never)
  const expected = PEOPLE / 2 - 1
  for (const { recipientsTotal, pendingCount, addsUp } of seen) {
    assert.ok(addsUp)
    assert.deepEqual([recipientsTotal, pendingCount], recipientsTotal === 0 ? [0, 0] : [expected, expected])
  }
  const planned = await rows<{ id: string }>('select contact_id as id from messages where source_id = $1', [id])
  assert.deepEqual([planned.length, new Set(planned.map((one) => one.id)).size], [expected, expected])
  for (const left of [late, gone!.id]) assert.ok(!planned.some((one) => one.id === left))
  await rows('delete from contacts where id = $1', [late])
})

test('while an audience is gathered it holds nobody’s events back', async () => {
  const latch = await secondProcess(database, { connections: 1 }).connect()
  await latch.query('select pg_advisory_lock($1)', [LATCH])
  // The first chunk is about to be written: everybody in it is found.
  await pool.query(`create or replace function take_time() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${LATCH}); return new; end $$`)
  await pool.query(
    'create or replace trigger take_time before insert on broadcast_chunks for each row execute function take_time()',
  )
  const id = await draft({ segmentId })
  await sendBroadcast(deps, caller, { id })
  const freezing = step(id, 60_000)
  const waiting = `select a.backend_xid as id from pg_stat_activity a join pg_locks l using (pid)
    where a.datname = current_database() and l.locktype = 'advisory' and not l.granted`
  await eventually('it is about to write', async () => (await latch.query(waiting)).rowCount === 1)
  assert.deepEqual((await latch.query(waiting)).rows, [{ id: null }], 'it has written nothing')
  await latch.query('select pg_advisory_unlock($1)', [LATCH])
  latch.release()
  await freezing
  const seen = await advanceUntil(id, 60_000, never)
  const [expected] = await rows<{ people: number }>(
    `select count(*)::int as people from contacts where first_name = 'even'`,
  )
  assert.equal(seen.at(-1)!.recipientsTotal, expected!.people)
})

test('two runs at once gather everybody once', async () => {
  await slow(0.4)
  const id = await draft({ segmentId })
  await sendBroadcast(deps, caller, { id })
  await rows('update broadcasts set freeze_size = 1000, freeze_to_id = (select max(id) from contacts) where id = $1', [
    id,
  ])
  const run = () => advanceBroadcast({ ...deps, shouldYield: () => false }, { workspaceId, id })
  await Promise.all([run(), run()])
  const { recipientsTotal, pendingCount, addsUp } = await report(id)
  const [{ count } = { count: 0 }] = await rows<{ count: number }>(
    `select count(*)::int as count from contacts where first_name = 'even'`,
  )
  assert.deepEqual([recipientsTotal, pendingCount, addsUp], [count, count, true])
})

test('in stretches, too, those whose local time comes first are planned first', async () => {
  const id = await draft()
  await scheduleBroadcast(deps, caller, { id, body: { localTime: '2036-01-01T09:00' } })
  await rows(
    `update broadcasts set status = 'sending', started_at = now(), freeze_size = 1000, stream_id = 1,
       freeze_to_id = (select max(id) from contacts) where id = $1`,
    [id],
  )
  await advanceUntil(id, 60_000, async () => (await report(id)).recipientsTotal > 0)
  const chunks = await rows<{ number: number; due: string; size: number }>(
    'select number, due_at as due, cardinality(contact_ids) as size from broadcast_chunks where broadcast_id = $1 order by 1',
    [id],
  )
  const tokyo = '2036-01-01T00:00:00Z'
  const stretches = chunks.length / 2
  assert.ok(stretches > 1, 'of several stretches')
  assert.deepEqual(
    chunks.map(({ number, due }) => [number, due === tokyo]),
    chunks.map((_, n) => [n, n < stretches]),
  )
  await rows('delete from broadcasts where id = $1', [id])
})

test('canceled while it is gathered it has nobody, and what was gathered is forgotten', async () => {
  await slow(0.8)
  const id = await draft()
  await sendBroadcast(deps, caller, { id })
  await advanceUntil(id, 2_000, async () => (await frozen(id)).total !== '0')
  await cancelBroadcast(deps, caller, id)
  await advanceUntil(id, 2_000, never)
  const { status, recipientsTotal, addsUp } = await report(id)
  assert.deepEqual([status, recipientsTotal, addsUp], ['canceled', 0, true])
  assert.deepEqual(await rows('select from broadcast_chunks where broadcast_id = $1', [id]), [])
})

test('one whose smallest stretch takes too long fails and says why, and can be sent once that is mended', async () => {
  await slow(1_000)
  const id = await draft({ segmentId })
  await sendBroadcast(deps, caller, { id })
  const waits: unknown[] = []
  for (let n = 0; n < 12 && (await report(id)).status === 'sending'; n++) waits.push(await step(id, 50))
  assert.equal((await report(id)).status, 'failed')
  assert.equal(waits.filter((one) => (one as { end: string }).end === 'wait').length, 4, 'and rests between its tries')
  const { summary } = await explainBroadcast(deps, { workspaceId, id })
  assert.match(summary, /failed before anybody was written to: Its audience cannot be gathered: .* Narrow their rules/)
  await pool.query('drop trigger take_time on broadcast_chunks')
  await unscheduleBroadcast(deps, caller, id)
  await sendBroadcast(deps, caller, { id })
  await advanceUntil(id, 60_000, never)
  const { recipientsTotal, pendingCount, addsUp } = await report(id)
  assert.ok(recipientsTotal > 2_000)
  assert.deepEqual([pendingCount, addsUp], [recipientsTotal, true])
})
