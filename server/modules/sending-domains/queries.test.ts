import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { withClient } from '../../../test/support/test-server.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { DUE_DOMAINS } from './check-queries.ts'
import { domainsPageStatement, domainsTotalStatement } from './queries.ts'

const OTHERS = 20_000

const { pool, database, workspaceId } = await testWorkspace()

before(async () => {
  const others = await createWorkspace(pool)
  await withClient(database.superuserUrl, async (client) => {
    await client.query(
      `with d as (
         insert into sending_domains (workspace_id, domain, next_check_at)
         select case when n <= 40 then $1 else $2 end::bigint, 'd' || n || '.example', now() + n * interval '1 second'
         from generate_series(1, ${OTHERS}) n returning workspace_id, id
       )
       insert into sending_domain_keys (workspace_id, domain_id, role, selector, public_key, private_key)
       select workspace_id, id, 'current', 'postroom', 'x', 'x' from d`,
      [workspaceId, others],
    )
    await client.query('analyze sending_domains, sending_domain_keys')
  })
})

async function planOf(scope: string, statement: Statement<object>): Promise<string> {
  const { text, values = [] } = statement
  const rows = await queryInScope<{ 'QUERY PLAN': string }>(pool, scope, { text: `explain (analyze) ${text}`, values })
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

test('lists walk the indexes of their workspace, whatever others have', async () => {
  const page = { page: 1, pageSize: 25 }
  for (const filter of [{}, { search: 'd1' }, { verified: false }, { verified: true, search: 'd1' }]) {
    const statements: Statement<object>[] = [domainsPageStatement(workspaceId, filter, page)]
    if (Object.keys(filter).length > 0) statements.push(domainsTotalStatement(workspaceId, filter))
    for (const statement of statements) {
      const plan = await planOf(workspaceId, statement)
      assert.match(plan, /Index (Only )?Scan|Bitmap Index Scan/, plan)
      assert.doesNotMatch(plan, /Seq Scan on sending_domain|Rows Removed by Filter: \d{3}/, plan)
    }
  }
})

test('what is due is found by its index', async () => {
  const plan = await planOf(ALL_WORKSPACES, { text: DUE_DOMAINS, values: [100] })
  assert.match(plan, /Index Scan using sending_domains_due/, plan)
  assert.doesNotMatch(plan, /Seq Scan|Sort/, plan)
})
