import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { analyzeGrownLedger } from '../ledger/analyze-ledger.ts'
import type { Claim } from './claim-messages.ts'
import { createHandingMarks } from './mark-handing.ts'

const { database, pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)

/** After so many uses a connection keeps a plan that is made without the values. */
const USES = 7
const PEOPLE = 5_000

test('a connection that has marked while the ledger was empty finds everything by its key when a broadcast is planned', async () => {
  const one = secondProcess(database, { connections: 1 })
  const marks = createHandingMarks(one, (error) => assert.fail(String(error)))
  const claim = { workspaceId, id: '1', slot: 0, turn: '1' } as Claim
  for (let n = 0; n < USES; n++) assert.equal(await marks.mark(claim), false)
  const plan = () =>
    inTransaction(one, ALL_WORKSPACES, async (tx) => {
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
        `explain (costs off) execute mark_handing('{${workspaceId}}', '{1}', '{0}', '{1}')`,
      )
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
  for (const text of [
    `insert into contacts (workspace_id, email) select $1, 'p' || n || '@example.com' from generate_series(1, ${PEOPLE}) n`,
    `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination)
     select workspace_id, 'marketing', 'broadcast', 1, id, email from contacts where workspace_id = $1`,
  ]) {
    await queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  }
  const [partition, ...others] = await analyzeGrownLedger(pool)
  assert.match(partition!, /^messages_p\d{6}$/)
  assert.deepEqual(others, [])
  assert.deepEqual(await analyzeGrownLedger(pool), [], 'once, until it has grown again')
  const kept = await plan()
  const ofTheRow = new RegExp(`using \\S+ on ${partition} \\S+\\n\\s+Index Cond: (.*)`).exec(kept)?.[1] ?? kept
  for (const column of ['workspace_id', 'id', 'created_at']) assert.match(ofTheRow, new RegExp(`\\(${column} = `), kept)
  assert.match(kept, /contacts_pkey on contacts c\n\s+Index Cond: \(\(workspace_id = [^)]+\) AND \(id = /)
  assert.doesNotMatch(kept, /contacts_by_update/)
})
