import { before, test } from 'node:test'
import { assertIndexed, assertNoticed, type ListCase } from '../../../test/support/list-plans.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import {
  suppressionByIdStatement,
  suppressionsAfterStatement,
  suppressionsPageStatement,
  suppressionsTotalStatement,
} from './queries.ts'

const { pool, workspaceId } = await testWorkspace()
const ROWS = 20_000
/** Rows of a statement, which the pool's time limit holds on a busy machine too. */
const FILL_ROWS = 5_000
const PAGE = { page: 3, pageSize: 25 }

before(async () => {
  for (let first = 1; first <= ROWS; first += FILL_ROWS) {
    await queryInScope(pool, workspaceId, {
      text: `insert into suppressions (workspace_id, destination, reason, created_at)
        select $1, md5(n::text) || '@example.com', case when n % 500 = 0 then 'complaint' else 'bounce' end,
          now() - n * interval '1 minute' from generate_series($2::int, $3::int) n`,
      values: [workspaceId, first, first + FILL_ROWS - 1],
    })
  }
  await pool.query('vacuum analyze suppressions')
})

const page = (filter: Parameters<typeof suppressionsPageStatement>[1]) =>
  suppressionsPageStatement(workspaceId, filter, PAGE)
const total = (filter: Parameters<typeof suppressionsTotalStatement>[1]) =>
  suppressionsTotalStatement(workspaceId, filter)
const recently = new Date(Date.now() - 600_000).toISOString()
const KEY = 'suppressions_pkey'
const CASES: readonly ListCase[] = [
  { list: 'all', statement: page({}), indexes: [KEY] },
  { list: 'one', statement: suppressionByIdStatement(workspaceId, '7'), indexes: [KEY] },
  { list: 'export', statement: suppressionsAfterStatement(workspaceId, '19000', 500), indexes: [KEY] },
  { list: 'reason', statement: page({ reason: 'complaint' }), indexes: ['suppressions_by_reason'] },
  { list: 'reason, total', statement: total({ reason: 'complaint' }), indexes: ['suppressions_by_reason'] },
  { list: 'since', statement: total({ createdSince: recently }), indexes: ['suppressions_by_age'] },
  {
    list: 'address',
    statement: page({ destination: 'a@example.com' }),
    indexes: ['suppressions_workspace_id_destination_key'],
  },
]

for (const one of CASES) {
  test(`the list finds its rows by an index: ${one.list}`, () => assertIndexed(pool, workspaceId, one))
}

test('each of these indexes is needed', () => assertNoticed(pool, workspaceId, CASES))
