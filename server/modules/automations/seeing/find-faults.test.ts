import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastMs } from '../../../../test/support/processor-time.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { persistEvent } from '../../events/persist-event.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { type AutomationFault, checkAutomations, lastFaults } from './find-faults.ts'

/** Each compared with each takes a minute. */
const PEOPLE = 30_000

const { pool, workspaceId } = await testWorkspace()
await registerGroups(pool, [persistEvent, enrollAutomations])
const query = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
const found = async (): Promise<Partial<Record<AutomationFault, number>>> =>
  Object.fromEntries((await checkAutomations(pool)).filter((one) => one.found > 0).map((one) => [one.fault, one.found]))

async function automationOf(name: string): Promise<string> {
  const [row] = (await query(
    `with a as (
      insert into automations (workspace_id, name, draft, published_version, entry_open) values ($1, $2, '{}', 1, true) returning id
    ), v as (
      insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, 1, '{}' from a
    ) select id from a`,
    [workspaceId, name],
  )) as [{ id: string }]
  return row.id
}
const id = await automationOf('Carts')

/** Three people at one node, as a turn leaves them. */
await query(
  `with made as (
    insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit, state,
      at, at_position)
    select $1, n, $2, 1, n, '', now(), now(), 0, 'd1', 1, 'waiting', now(), n from generate_series(1, 3) n
  ), timers as (
    insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
    select $1, $2, n % 2, n, n, 'timer', 9223372036854775807, now() + interval '1 day' from generate_series(1, 3) n
  )
  insert into run_steps (workspace_id, run_id, visit, created_at, automation_id, version, node, way, next_node, next_version, came_at,
    left_at)
  select $1, n, 0, now(), $2, 1, '', 'entered', 'd1', 1, now(), now() from generate_series(1, 3) n`,
  [workspaceId, id],
)

test('as turns leave them there is nothing wrong with people inside, and that is kept', async () => {
  assert.deepEqual(await lastFaults(pool), [])
  assert.deepEqual(await found(), {})
  assert.deepEqual(
    (await lastFaults(pool)).map((one) => [one.fault, one.found]),
    [
      ['hours', 0],
      ['overdue', 0],
      ['sums', 0],
      ['unlooked', 0],
      ['unswept', 0],
      ['untimed', 0],
    ],
  )
})

test('somebody whom nothing will move is found, unless parked', async () => {
  await query('delete from run_queue where workspace_id = $1 and run_id = 1', [workspaceId])
  assert.deepEqual(await found(), { untimed: 1 })
  await query(`update runs set state = 'parked' where workspace_id = $1 and id = 1`, [workspaceId])
  assert.deepEqual(await found(), {})
})

test('what is overdue is found, unless the automation is paused', async () => {
  await query(`update run_queue set due_at = now() - interval '2 minutes' where workspace_id = $1 and run_id = 2`, [
    workspaceId,
  ])
  assert.deepEqual(await found(), { overdue: 1 })
  await query('update automations set paused_at = now() where workspace_id = $1', [workspaceId])
  assert.deepEqual(await found(), {})
  await query('update automations set paused_at = null where workspace_id = $1', [workspaceId])
  await query(`update run_queue set due_at = now() + interval '1 day' where workspace_id = $1`, [workspaceId])
})

test('a run that was not looked after is found', async () => {
  await query(`update run_queue set looks = true, due_at = '1970-01-01' where workspace_id = $1 and run_id = 3`, [
    workspaceId,
  ])
  assert.deepEqual(await found(), {})
  await query(`update run_steps set done_at = now() - interval '2 minutes' where workspace_id = $1 and run_id = 3`, [
    workspaceId,
  ])
  assert.deepEqual(await found(), { unlooked: 1 })
  await query('update run_queue set looks = false where workspace_id = $1', [workspaceId])
  await query(`update run_queue set due_at = now() + interval '1 day' where workspace_id = $1`, [workspaceId])
})

test('a sum that does not fit is found, whichever side is wrong', async () => {
  await query(`update runs set node = 'd2' where workspace_id = $1 and id = 2`, [workspaceId])
  assert.deepEqual(await found(), { sums: 2 })
  await query(`update runs set node = 'd1' where workspace_id = $1 and id = 2`, [workspaceId])
  await query('update node_totals set total = total + 1 where workspace_id = $1', [workspaceId])
  assert.equal((await found()).sums, 1)
})

test('a total that is not the sum of its hours is found, and entries that are not that of their quarters', async () => {
  await query('update node_totals set total = total - 1 where workspace_id = $1', [workspaceId])
  assert.deepEqual(await found(), {})
  await query('update node_hours set total = total + 1 where workspace_id = $1', [workspaceId])
  assert.deepEqual(await found(), { hours: 2 })
  await query('update node_hours set total = total - 1 where workspace_id = $1', [workspaceId])
  await query('update entry_quarters set held_out = held_out + 1 where workspace_id = $1', [workspaceId])
  assert.deepEqual(await found(), { hours: 1 })
})

test('a queue that no statistics know of is held against many people inside, and not each with each', async () => {
  const full = await automationOf('Full')
  await query(
    `with made as (
      insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit, state,
        at, at_position)
      select $1, n, $2, 1, n, '', now(), now(), 0, 'd1', 1, 'waiting', now(), n from generate_series(100, $3::int) n
    )
    insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
    select $1, $2, n % 2, n, n, 'timer', 9223372036854775807, now() + interval '1 day' from generate_series(100, $3::int) n
    union all select $1, $2, n % 2, n, 0, 'entry', n, now() + interval '1 day' from generate_series($3, 3 * $3) n`,
    [workspaceId, full, PEOPLE],
  )
  await pool.query('analyze runs')
  const tookMs = await leastMs(10_000, async () => {
    const beganMs = performance.now()
    assert.equal((await found()).untimed, undefined)
    return performance.now() - beganMs
  })
  assert.ok(tookMs <= 10_000, `${tookMs.toFixed(0)} ms`)
})
