import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { databaseBefore } from '../../../../test/support/migrated-before.ts'
import { seededRandom, seedFrom } from '../../../../test/support/seeded-random.ts'
import { migrate } from '../../../platform/db/migrate.ts'
import { ensurePartitions } from '../../../platform/db/partitions.ts'
import { createPool } from '../../../platform/db/pool.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { persistEvent } from '../../events/persist-event.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { automationPartitions } from '../run-partitions.ts'
import { findFaults } from './find-faults.ts'
import { foldSums } from './fold-sums.ts'
import { readResults } from './results.ts'

const database = await databaseBefore('entry_quarters')
const pool = createPool({ name: 'pgx', url: database.url, max: 2 })
after(async () => {
  await pool.end()
  await database.drop()
})
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** The sums as they must be, counted from the runs one by one. */
const COUNTED = `select automation_id, version, date_bin('15 minutes', entered_at, 'epoch') as quarter,
    count(*) filter (where not held)::int as entered, count(goal_at) filter (where not held)::int as goals,
    coalesce(sum(goal_value) filter (where not held), 0)::float8 as value, count(*) filter (where held)::int as held_out
  from (
    select automation_id, version, entered_at, false as held, goal_at, goal_value from runs
    union all select automation_id, version, entered_at, state = 'held_out', goal_at, goal_value from ended_runs) r
  group by 1, 2, 3 order by 1, 2, 3`
const KEPT = `select automation_id, version, quarter, sum(entered)::int as entered, sum(goals)::int as goals,
    sum(value)::float8 as value, sum(held_out)::int as held_out
  from entry_quarters where quarter > '-infinity'
  group by 1, 2, 3 having (sum(entered), sum(held_out)) <> (0, 0) order by 1, 2, 3`
const assertKept = async () => assert.deepEqual(await rows(KEPT), await rows(COUNTED))

/** People who come in, of two automations with two versions each, the one in fifty hours, the other in ten minutes. */
const COME = `insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit,
    state, at, at_position)
  select 1, $1::bigint + n, 1 + n % 2, 1, 1 + n % 7, '', now(), now() - n * case n % 2 when 0 then interval '50 minutes' else interval '10 seconds' end,
    0, 'd1', 1, 'waiting', now(), n from generate_series(1, 60) n`
const COLUMNS = `workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id, event_at, state, reason,
  node, visit, ended_at, goal_at, goal_value`
const ENDED = `with gone as (delete from runs where id % $1 = 0 returning *)
  insert into ended_runs (${COLUMNS})
  select workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, event_id, event_at, 'completed', null,
    node, visit, at, goal_at, goal_value from gone`
const HELD_OUT = `insert into ended_runs (${COLUMNS})
  select 1, $1::bigint + n, now(), 2, 1, n, '', now() - n * interval '3 hours', null, null, 'held_out', null, '', 0, now(), null, null
  from generate_series(1, 5) n`

test('runs that were there before are counted by their entries, and those whose month is gone by nothing', async () => {
  await rows(`insert into workspaces (slug, name) values ('w', 'W')`)
  await Promise.all(automationPartitions(400).map((table) => ensurePartitions(pool, table)))
  await rows(
    `insert into automations (workspace_id, id, name, draft, published_version) overriding system value
     select 1, n, 'A' || n, '{}', 2 from generate_series(1, 2) n`,
  )
  await rows(
    `insert into automation_versions (workspace_id, automation_id, version, definition)
     select 1, a, v, '{}' from generate_series(1, 2) a, generate_series(1, 2) v`,
  )
  await rows(COME, [0])
  await rows(HELD_OUT, [1_000])
  await rows(`update runs set goal_at = now(), goal_value = 2.5 where id % 4 = 0`)
  await rows(ENDED, [3])
  // The trace has counted a hundred entries, of whom there are thirty.
  await rows(
    `insert into node_totals (workspace_id, automation_id, version, node, kind, shard, total)
     values (1, 2, 1, '', 'left:entered', 1, 100), (1, 2, 1, '', 'ended:held_out', 1, 5), (1, 2, 1, '', 'refused:mode', 1, 9),
       (1, 1, 1, '', 'left:entered', 0, 30)`,
  )
  await migrate({ url: database.url })
  await registerGroups(pool, [persistEvent, enrollAutomations])
  await assertKept()
  assert.deepEqual(
    await rows(`select automation_id, entered, held_out from entry_quarters where quarter = '-infinity'`),
    [{ automation_id: '2', entered: '70', held_out: '0' }],
  )
  assert.deepEqual(await hoursFound(), 0)
})

const hoursFound = async () => (await findFaults(pool)).find(({ fault }) => fault === 'hours')!.found

test('whoever comes in, reaches the goal, is moved, merged or erased, or ends is in the sums at every moment', async () => {
  const seed = seedFrom('QUARTERS_SEED')
  const random = seededRandom(seed)
  const below = (most: number) => Math.floor(random() * most)
  const acts = [
    () => rows(COME, [10_000 * (1 + below(1_000_000))]),
    () => rows(HELD_OUT, [10_000 * (1_000_001 + below(1_000_000))]),
    () => rows(ENDED, [2 + below(40)]),
    () =>
      rows('update runs set goal_at = now(), goal_value = 1.25 where goal_at is null and id % $1 = 0', [2 + below(9)]),
    () => rows('update runs set goal_value = null where id % $1 = 0', [2 + below(9)]),
    () => rows('update runs set version = 2 where id % $1 = 0', [2 + below(9)]),
    () => rows(`update runs set node = 'd2', visit = visit + 1 where id % $1 = 0`, [2 + below(3)]),
    () => rows('update runs set contact_id = contact_id + 1 where id % $1 = 0', [2 + below(9)]),
    () => rows('update ended_runs set contact_id = null where id % $1 = 0', [2 + below(9)]),
    () => rows(`update entry_quarters set shard = shard where quarter > '-infinity'`),
  ]
  try {
    for (let n = 0; n < 60; n++) {
      await acts[below(acts.length)]!().catch((error) => {
        if (error.code !== '23505') throw error
      })
      if (n % 15 === 0) await assertKept()
      if (n % 25 === 0) await foldSums(pool, () => false)
    }
    await assertKept()
    await foldSums(pool, () => false)
    await assertKept()
  } catch (error) {
    throw new Error(`QUARTERS_SEED=${seed}`, { cause: error })
  }
  const unfolded = await rows(`select from entry_quarters where shard > 0 and quarter < now() - interval '49 hours'`)
  assert.deepEqual(unfolded, [])
})

test('days are those of every zone, whatever quarter of an hour they begin at', async () => {
  const { series } = await readResults(pool, { workspaceId: '1', id: '1' }, { timeZone: 'Asia/Kathmandu' })
  const counted = await rows<{ at: string; entered: number }>(
    `select date_trunc('day', entered_at, 'Asia/Kathmandu') as at, count(*)::int as entered from (
       select entered_at, automation_id, '' as state from runs union all select entered_at, automation_id, state from ended_runs) r
     where automation_id = 1 and state <> 'held_out' group by 1 order by 1`,
  )
  const shown = series.filter(({ entered }) => entered > 0).map(({ at, entered }) => ({ at, entered }))
  assert.deepEqual(shown, counted)
  assert.match(shown[0]!.at, /T18:15:00/)
})
