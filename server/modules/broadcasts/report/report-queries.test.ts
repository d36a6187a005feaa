import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { recipientsOfStatement } from './report-queries.ts'

const { pool, workspaceId } = await testWorkspace()
const BROADCAST = '7'
const PEOPLE = 1_000

type Plan = { 'Temp Written Blocks': number }

test('recipients that are looked through for a few of them are not carried along whole', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into messages (workspace_id, created_at, purpose, source_kind, source_id, contact_id, destination, state, reply)
      select $1, now(), 'marketing', 'broadcast', $2, n, 'person' || n || '@example.com', 'accepted', repeat('250 queued ', 10)
      from generate_series(1, ${PEOPLE}) n`,
    values: [workspaceId, BROADCAST],
  })
  const key = { workspaceId, id: BROADCAST }
  const { text, values = [] } = recipientsOfStatement({ key, filter: { state: 'failed' }, afterId: '0', limit: 26 })
  const rows = await inTransaction(pool, workspaceId, async (tx) => {
    // Room for what says of each where it is and whether it fits, and for a third of what there is to say of it.
    await tx.query("set local work_mem = '128kB'")
    return (await tx.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers, format json) ${text}`, [...values]))
      .rows
  })
  const [{ Plan: plan }] = JSON.parse(rows[0]!['QUERY PLAN']) as [{ Plan: Plan }]
  assert.equal(plan['Temp Written Blocks'], 0)
})
