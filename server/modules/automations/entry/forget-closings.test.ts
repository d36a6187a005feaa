import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { forgetClosings } from './forget-closings.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

test('times at which an entry was closed are kept as long as somebody can be judged by them, one behind the other', async () => {
  const [{ id } = { id: '' }] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft, entry_open, published_version) values ($1, 'Often', '{}', false, 1) returning id`,
    [workspaceId],
  )
  const turn = (open: boolean) => rows('update automations set entry_open = $2 where id = $1', [id, open])
  const kept = () =>
    rows<{ from_tx: string; to_tx: string | null; first: boolean; ordered: boolean }>(
      `select from_tx, to_tx, from_at = '-infinity' as first,
         from_tx >= coalesce(lag(to_tx) over w, 0) and from_at >= coalesce(lag(to_at) over w, '-infinity') as ordered
       from automation_closings where automation_id = $1 window w as (order by from_tx, to_tx)`,
      [id],
    )
  const log = () =>
    rows(
      `insert into outbox (workspace_id, type, name, subject, data, occurred_at) values ($1, 'event.recorded', 'x', 'x', '{}', now())`,
      [workspaceId],
    )
  await turn(true)
  await log()
  await turn(false)
  // As its partitions are dropped; and a clock that is put back.
  await rows('delete from outbox')
  await rows(`update automation_closings set from_at = from_at + interval '1 hour' where to_tx is null`)
  await turn(true)
  await turn(false)
  await turn(true)
  await log()
  await turn(false)
  const before = await kept()
  assert.deepEqual(
    before.map(({ ordered, first }) => [ordered, first]),
    [
      [true, true],
      [true, false],
      [true, false],
      [true, false],
    ],
  )
  await rows(
    `update automation_closings set from_at = from_at - interval '401 days', to_at = to_at - interval '401 days'
     where to_at > '-infinity'`,
  )
  await rows('update automations set paused_at = now() where id = $1', [id])
  await forgetClosings(pool)
  assert.equal((await kept()).length, 4, 'somebody may have waited since before the pause')
  await rows('update automations set paused_at = null where id = $1', [id])
  await forgetClosings(pool)
  assert.deepEqual(
    (await kept()).map(({ first, to_tx }) => [first, to_tx === null]),
    [
      [true, false],
      [false, true],
    ],
  )
})
