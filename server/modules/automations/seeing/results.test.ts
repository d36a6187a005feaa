import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { readResults } from './results.ts'

const { pool, workspaceId } = await testWorkspace()
const query = <Row>(text: string, values: unknown[] = []) =>
  queryInScope<Row & object>(pool, workspaceId, { text, values })

const [{ id }] = (await query<{ id: string }>(
  `with a as (
    insert into automations (workspace_id, name, draft, published_version, entry_open) values ($1, 'Carts', '{}', 2, true) returning id
  ), v as (
    insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, n, '{}' from a, generate_series(1, 2) n
  ) select id from a`,
  [workspaceId],
)) as [{ id: string }]
const key = { workspaceId, id }
const days = { from: '2025-03-01T08:00:00Z', to: '2025-03-04T00:00:00Z' }

/** Twelve who came in on three days: six of each version, of whom the last three are held out. */
await query(
  `with n as (select n, timestamptz '2025-03-03T12:00Z' - make_interval(days => n % 3) as at, 1 + (n > 6)::int as version from generate_series(1, 12) n)
   insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, state, node,
     visit, ended_at, goal_at, goal_value)
   select $1, n, now(), $2, version, n, '', at, case when n > 9 then 'held_out' else 'completed' end, 'end', 1, at,
     case when n in (1, 4, 8) then at end, case when n in (1, 4) then 10.25 end from n`,
  [workspaceId, id],
)
await query(
  `insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit, state,
     at, at_position, goal_at, goal_value)
   select $1, n, $2, 2, n, '', now(), timestamptz '2025-03-03T12:00Z' - make_interval(days => n - 20), 0, 'd1', 1, 'waiting', now(), n,
     case when n = 20 then now() end, case when n = 20 then 5 end from generate_series(20, 21) n`,
  [workspaceId, id],
)

test('what came of people is told by the day they came in and by version, those held out apart', async () => {
  const { series, versions, totals } = await readResults(pool, key, days)
  assert.deepEqual(totals, { entered: 11, goals: 4, value: 25.5, heldOut: 3 })
  assert.deepEqual(
    series.map(({ at, entered, goals, heldOut }) => [at.slice(0, 10), entered, goals, heldOut]),
    [
      ['2025-03-01', 3, 1, 1],
      ['2025-03-02', 4, 2, 1],
      ['2025-03-03', 4, 1, 1],
    ],
  )
  assert.deepEqual(versions, [
    { version: 2, entered: 5, goals: 2, value: 5, heldOut: 3 },
    { version: 1, entered: 6, goals: 2, value: 20.5, heldOut: 0 },
  ])
})

test('one version alone, and a span without anybody, sum up to what they show', async () => {
  const one = await readResults(pool, key, { ...days, version: 1 })
  assert.deepEqual(one.totals, { entered: 6, goals: 2, value: 20.5, heldOut: 0 })
  assert.deepEqual(one.versions.length, 1)
  const before = await readResults(pool, key, { to: days.from })
  assert.deepEqual([before.series.length, before.totals.entered, before.versions], [31, 0, []])
  await assert.rejects(readResults(pool, { workspaceId, id: '999' }, {}), { code: 'not-found' })
})
