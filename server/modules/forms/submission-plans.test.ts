import { test } from 'node:test'
import { assertIndexed, assertNoticed, type ListCase } from '../../../test/support/list-plans.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { submissionsPageStatement, submissionsTotalStatement } from './list-submissions.ts'

const { pool, workspaceId } = await testWorkspace()
const ROWS = 20_000
/** Rows of a statement, which the pool's time limit holds on a busy machine too. */
const FILL_ROWS = 5_000

/** Two forms by turns: of the first, which it answers, few submissions came to nothing, of the second all of them. */
async function fill(): Promise<string> {
  const query = <R extends object>(text: string, ...more: unknown[]) =>
    queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...more] })
  await query(
    `insert into forms (workspace_id, key, content) select $1, 'prf_of_the_test_of_plans' || n, '{}' from generate_series(1, 2) n`,
  )
  await query(`insert into form_versions (workspace_id, form_id, version, content)
    select workspace_id, id, 1, '{}' from forms where workspace_id = $1`)
  for (let first = 1; first <= ROWS; first += FILL_ROWS) {
    await query(
      `insert into form_submissions (workspace_id, form_id, version, state, reason, address_hash, created_at, confirmed_at)
        select $1, f.ids[1 + n % 2], 1, s.state, case s.state when 'refused' then 'blocked' end, sha256(n::text::bytea), now(),
          case s.state when 'confirmed' then now() end
        from generate_series($2::int, $3::int) n
        cross join (select array_agg(id order by id) as ids from forms where workspace_id = $1) f
        cross join lateral (select case when n % 4 = 1 or n % 500 = 0 then 'refused' when n % 4 = 3 then 'expired' else 'confirmed' end) s(state)`,
      ...[first, first + FILL_ROWS - 1],
    )
  }
  await pool.query('vacuum analyze form_submissions')
  const [form] = await query<{ id: string }>('select min(id) as id from forms where workspace_id = $1')
  return form!.id
}

test('a form’s submissions of one state are found and counted by an index from the state on', async () => {
  const id = await fill()
  const page = { id, page: 3, pageSize: 25 }
  const byState = ['form_submissions_by_state']
  const ofState = (['confirmed', 'refused'] as const).flatMap((state): ListCase[] => [
    { list: state, statement: submissionsPageStatement(workspaceId, { ...page, state }), indexes: byState },
    { list: `${state}, total`, statement: submissionsTotalStatement(workspaceId, { id, state }), indexes: byState },
  ])
  const all: ListCase = { list: 'all', statement: submissionsPageStatement(workspaceId, page), indexes: [] }
  for (const one of [all, ...ofState]) await assertIndexed(pool, workspaceId, one)
  await assertNoticed(pool, workspaceId, ofState)
})
