import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerOf, testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { testDestination } from './test-destination.ts'

const { pool, workspaceId } = await testWorkspace()
const token = callerOf(workspaceId)

test('a token of a workspace without an owner is told to name an address, and may', async () => {
  await assert.rejects(testDestination(pool, token, undefined), {
    code: 'unprocessable',
    errors: [{ pointer: '/email', detail: 'is needed: this workspace has no owner whom the mails could go to' }],
  })
  assert.equal(await testDestination(pool, token, 'Ada@Example.com'), 'ada@example.com')
})

test('what a token asks for without an address goes to the first owner', async () => {
  await queryInScope(pool, workspaceId, {
    text: `with made as (insert into users (email, name, password_hash) values ('first@example.com', 'First', '$argon2id$x') returning id)
      insert into memberships (workspace_id, user_id, role) select $1, id, 'owner' from made`,
    values: [workspaceId],
  })
  assert.equal(await testDestination(pool, token, undefined), 'first@example.com')
})
