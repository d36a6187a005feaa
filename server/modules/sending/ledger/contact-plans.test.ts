import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { ofContact } from '../message-source.ts'
import { analyzeGrownLedger } from './analyze-ledger.ts'

const { pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
const fill = (kind: string, purpose: string, id: string) =>
  queryInScope(pool, workspaceId, {
    text: `insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination)
      select $1, '${purpose}', '${kind}', ${id}, n, n || '@example.com' from generate_series(1, 5000) n`,
    values: [workspaceId],
  })
await fill('broadcast', 'marketing', '7')
await fill('automation', 'service', '7')
await fill('email', 'transactional', 'null')
await analyzeGrownLedger(pool)

for (const which of ['= $2', '= any (array[$2, 7]::bigint[])', '= (select $2::bigint)']) {
  test(`messages of contacts (${which}) are looked for in the index of broadcasts' and in that of all others`, async () => {
    const text = `select m.id from messages m where m.workspace_id = $1 and ${ofContact(which)}`
    const rows = await queryInScope<{ 'QUERY PLAN': string }>(pool, workspaceId, {
      text: `explain (costs off) ${text}`,
      values: [workspaceId, '11'],
    })
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert.doesNotMatch(plan, /Seq Scan/)
    for (const index of ['contact_id_source_id_created__idx', 'contact_id_id_idx']) {
      assert.match(plan, new RegExp(`${index}\\n\\s+Index Cond: \\(\\(workspace_id = \\S+\\) AND \\(contact_id = `))
    }
    const found = await queryInScope(pool, workspaceId, { text, values: [workspaceId, '11'] })
    assert.equal(found.length, which.includes('any') ? 6 : 3)
  })
}
