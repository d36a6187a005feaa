import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { SCOPES } from '../../catalogue/scopes.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import type { Caller } from './caller.ts'
import { createToken } from './manage-tokens.ts'
import { hashPassword } from './password-hash.ts'
import { ROLE_PERMISSIONS } from './roles.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const PASSWORD_HASH = await hashPassword('correct horse battery staple')
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

/** An admin, as a request of theirs was let in. */
async function admin(name: string): Promise<Caller & { actor: { id: string } }> {
  const [user] = await rows<{ id: string }>(
    `insert into users (email, name, password_hash) values ($1, $2, $3) returning id`,
    [`${name.toLowerCase().replace(' ', '-')}@example.com`, name, PASSWORD_HASH],
  )
  await rows(`insert into memberships (workspace_id, user_id, role) values ($1, $2, 'admin')`, [workspaceId, user!.id])
  return { ...caller, actor: { kind: 'user', id: user!.id, name }, scopes: ROLE_PERMISSIONS.admin }
}
const made = async () => (await rows('select from api_tokens where workspace_id = $1', [workspaceId])).length

test('an admin makes a token', async () => {
  await createToken({ sql: pool }, await admin('Ann'), { name: 'shop', scopes: SCOPES })
  assert.equal(await made(), 1)
})

const TAKEN = {
  'whose role is taken': `update memberships set role = 'member' where user_id = $1`,
  'who is removed': 'delete from memberships where user_id = $1',
}
for (const [whose, change] of Object.entries(TAKEN)) {
  test(`an admin ${whose} while they make a token makes none: nobody would know of it`, async () => {
    const before = await made()
    const person = await admin(`Ben ${change.length}`)
    const changing = await openTransaction(pool, (tx) => tx.query(change, [person.actor.id]), ALL_WORKSPACES)
    const making = createToken({ sql: pool }, person, { name: 'shop', scopes: SCOPES })
    making.catch(() => undefined)
    await somebodyWaits(pool)
    await changing.commit()
    await assert.rejects(making, { code: 'missing-permission' })
    assert.equal(await made(), before)
  })
}
