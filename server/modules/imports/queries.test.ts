import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { forgetOldErrors } from './queries.ts'

const { pool } = await testWorkspace()

async function importEnded(daysAgo: number): Promise<string> {
  const workspaceId = await createWorkspace(pool)
  const [row] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into imports (workspace_id, state, bytes, stored_bytes, encoding, delimiter, columns, suggested_mapping,
        rows_total, rows_failed, errors_kept, next_byte, next_line, ended_at)
      values ($1, 'done', 1, 1, 'utf-8', ',', '[]', '{}', 2, 2, 2, 1, 1, now() - make_interval(days => $2)) returning id`,
    values: [workspaceId, daysAgo],
  })
  await queryInScope(pool, workspaceId, {
    text: `insert into import_errors (workspace_id, import_id, line, error, fields)
      select $1, $2, n, 'is no address', '{nobody}' from generate_series(1, 2) n`,
    values: [workspaceId, row!.id],
  })
  return workspaceId
}

test('failed rows of an import are forgotten three months after its end, and its list of them is empty', async () => {
  const [young, old, older] = [await importEnded(89), await importEnded(91), await importEnded(400)]
  assert.equal(await forgetOldErrors(pool), 2)
  assert.equal(await forgetOldErrors(pool), 0)
  const left = await queryInScope<{ workspace_id: string; failed: string; kept: string; rows: string }>(
    pool,
    ALL_WORKSPACES,
    {
      text: `select i.workspace_id, i.rows_failed as failed, i.errors_kept as kept,
          (select count(*) from import_errors e where e.workspace_id = i.workspace_id and e.import_id = i.id) as rows
        from imports i order by i.workspace_id`,
    },
  )
  assert.deepEqual(left, [
    { workspace_id: young, failed: '2', kept: '2', rows: '2' },
    { workspace_id: old, failed: '2', kept: '0', rows: '0' },
    { workspace_id: older, failed: '2', kept: '0', rows: '0' },
  ])
})
