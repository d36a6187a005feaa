import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import type { Statement } from './statement.ts'
import { inTransaction, queryInScope } from './transaction.ts'

const { pool, workspaceId } = await testWorkspace()

function workspaceByIdStatement(id: string): Statement<{ id: string; name: string }> {
  return { name: 'test_workspace_by_id', text: 'select id, name from workspaces where id = $1', values: [id] }
}

test('rows have the type that their statement was written with, wherever it runs', async () => {
  const [alone] = await queryInScope(pool, workspaceId, workspaceByIdStatement(workspaceId))
  const found = await inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query(workspaceByIdStatement(workspaceId))
    return rows[0]
  })
  assert.equal(alone?.id, workspaceId)
  assert.deepEqual(found, alone)
  // @ts-expect-error: the statement answers with no such column
  assert.equal(alone.slug, undefined)
  // @ts-expect-error: nor in a transaction
  assert.equal(found?.slug, undefined)
  // @ts-expect-error: whoever runs it cannot make another row of it
  const [other] = await queryInScope<{ slug: string }>(pool, workspaceId, workspaceByIdStatement(workspaceId))
  assert.deepEqual(other, alone)
})
