import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import { closedAt } from './closings.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** An automation whose entry was closed from one transaction of the log to another; null: it still is. */
async function closed(closings: readonly [from: number, to: number | null][]): Promise<string> {
  const [{ id } = { id: '' }] = await rows<{ id: string }>(
    `insert into automations (workspace_id, name, draft) values ($1, 'Closed', '{}') returning id`,
    [workspaceId],
  )
  await rows('delete from automation_closings where automation_id = $1', [id])
  await rows(
    `insert into automation_closings (workspace_id, automation_id, from_tx, to_tx, from_at, to_at)
     select $1, $2, c.from_tx, c.to_tx, now(), case when c.to_tx is not null then now() end
     from unnest($3::int8[], $4::int8[]) as c(from_tx, to_tx)`,
    [workspaceId, id, closings.map(([from]) => from), closings.map(([, to]) => to)],
  )
  return id
}
const ASKED = `select e.tx::int, ${closedAt('e.tx')} as closed from unnest($3::int8[]) as e(tx)
  cross join (select $1::bigint as workspace_id, $2::bigint as automation_id) l order by e.tx`

test('an event came to a closed entry where its transaction is behind a beginning and not behind its end', async () => {
  const id = await closed([
    [0, 2],
    [2, 2],
    [4, 7],
    [7, 7],
    [7, 8],
    [9, null],
  ])
  const told = await rows<{ tx: number; closed: boolean }>(ASKED, [workspaceId, id, [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]])
  assert.deepEqual(
    told.filter((one) => one.closed).map(({ tx }) => tx),
    [1, 2, 5, 7, 8, 10, 11],
  )
})

test('one closing is looked at, however many there were, also where nothing happened between them', async () => {
  const often = Array.from({ length: 3_000 }, (_, n): [number, number] => [n, n + 1])
  const idle = Array.from({ length: 3_000 }, (): [number, number] => [3_000, 3_000])
  const id = await closed([...often, ...idle])
  await rows('analyze automation_closings')
  const explained = await rows<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, timing off) ${ASKED}`, [
    workspaceId,
    id,
    [2_000, 3_001],
  ])
  const text = explained.map((line) => line['QUERY PLAN']).join('\n')
  assert.match(
    text,
    /Index (Only )?Scan Backward using automation_closings_in_order on automation_closings k \(actual rows=1(\.00)? loops=2\)/,
    text,
  )
})
