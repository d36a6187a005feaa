import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { cursorsOf } from '../../../platform/schema/paging.ts'
import { readRuns } from './read-runs.ts'
import { RUNS_LOOKED_THROUGH_MAX } from './run-queries.ts'

const { pool, workspaceId } = await testWorkspace()
const cursorAt = (runId: number) => cursorsOf('runs', [/^\d+$/]).encode([String(runId)])

test('a page of those at one node looks through so many runs at the most, and all of them are found page by page', async () => {
  const live = RUNS_LOOKED_THROUGH_MAX + 20
  const [{ id }] = (await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `with a as (
        insert into automations (workspace_id, name, draft, published_version) values ($1, 'Carts', '{}', 1) returning id
      ), v as (
        insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, 1, '{}' from a
      ) select id from a`,
    values: [workspaceId],
  })) as [{ id: string }]
  await queryInScope(pool, workspaceId, {
    text: `with live as (
        insert into runs (workspace_id, id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit,
          state, at, at_position)
        select $1, n, $2, 1, n, '', now(), now(), 0, case when n in (3, 5) then 'rare' else 'rest' end, 1, 'waiting', now(), n
        from generate_series(1, $3::int) n
      )
      insert into ended_runs (workspace_id, id, created_at, automation_id, version, contact_id, entry_key, entered_at, state, node,
        visit, ended_at)
      select $1, $3 + n, now(), $2, 1, n, '', now(), 'completed', case n when 2 then 'rare' else 'rest' end, 1, now()
      from generate_series(1, 4) n`,
    values: [workspaceId, id, live],
  })
  const read = async (filter: { node?: string; state?: string; cursor?: string; limit?: number }) => {
    const { items, nextCursor } = await readRuns(pool, { workspaceId, id }, filter)
    return { ids: items.map((run) => Number(run.id)), nextCursor }
  }
  const first = await read({ node: 'rare' })
  assert.deepEqual(first, { ids: [live + 2], nextCursor: cursorAt(live - RUNS_LOOKED_THROUGH_MAX + 1) })
  assert.deepEqual(await read({ node: 'rare', cursor: first.nextCursor! }), { ids: [5, 3], nextCursor: undefined })
  assert.deepEqual(await read({ node: 'rare', cursor: cursorAt(6), limit: 1 }), { ids: [5], nextCursor: cursorAt(5) })
  assert.deepEqual(await read({ node: 'rare', state: 'completed' }), { ids: [live + 2], nextCursor: undefined })
  assert.deepEqual(await read({ state: 'parked' }), { ids: [], nextCursor: undefined })
  assert.deepEqual(await read({ limit: 2 }), { ids: [live + 4, live + 3], nextCursor: cursorAt(live + 3) })
})
