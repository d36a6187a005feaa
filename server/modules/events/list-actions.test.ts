import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { actionsStatement, listActions } from './list-actions.ts'

const { pool, workspaceId } = await testWorkspace()
const NAMES = 20_000
const FIRST = { page: 1, pageSize: 25 }

type Plan = { 'Node Type': string; 'Actual Rows': number; Plans?: Plan[] }

await queryInScope(pool, workspaceId, {
  text: `insert into event_actions (workspace_id, name, last_seen_at, event_id)
    select $1, 'order.' || lpad(n::text, 6, '0'), now(), n from generate_series(1, ${NAMES}) n`,
  values: [workspaceId],
})
await pool.query('vacuum analyze event_actions')

test('a page of many names is walked to in their index, and they are counted in it', async () => {
  const statement = actionsStatement(workspaceId, null, FIRST)
  const rows = await inTransaction(pool, workspaceId, async (tx) => {
    const explain = { ...statement, name: undefined, text: `explain (analyze, format json) ${statement.text}` }
    return (await tx.query<{ 'QUERY PLAN': string }>(explain)).rows
  })
  const [{ Plan: root }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Plan }]
  const nodes: Plan[] = []
  for (const waiting = [root]; waiting.length > 0; ) {
    const node = waiting.pop()!
    nodes.push(node)
    waiting.push(...(node.Plans ?? []))
  }
  const whole = nodes.filter((node) => node['Actual Rows'] > FIRST.pageSize)
  assert.deepEqual([...new Set(whole.map((node) => node['Node Type']))], ['Index Only Scan'])
})

test('pages follow one another, and the total is of all that the search finds', async () => {
  const list = (page: number, search?: string) => listActions(pool, workspaceId, { page, pageSize: 2, search })
  const names = (found: Awaited<ReturnType<typeof list>>) => found.items.map(({ action }) => action)
  const second = await list(2)
  assert.deepEqual([names(second), second.total], [['order.000003', 'order.000004'], NAMES])
  const found = await list(1, 'ORDER.01999')
  assert.deepEqual([names(found), found.total], [['order.019990', 'order.019991'], 10])
  const behind = await list(NAMES, 'order.01999')
  assert.deepEqual([names(behind), behind.total], [[], 10])
})
