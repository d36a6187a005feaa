import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTestDatabase } from '../../../test/support/postgres.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { APP_PATHS } from '../../catalogue/app-paths.ts'
import { SCOPES } from '../../catalogue/scopes.ts'
import { createPool } from '../../platform/db/pool.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { createWorkspaceFor } from './administer-workspaces.ts'
import { bootstrap } from './bootstrap.ts'

const nothing = { email: undefined, password: undefined, token: undefined, workspaceName: undefined }
const databases: { drop(): Promise<void> }[] = []
after(() => Promise.all(databases.map((database) => database.drop())))

async function emptyDatabase() {
  const database = await createTestDatabase()
  databases.push(database)
  return createPool({ name: 'sql', url: database.url, max: 8 })
}

test('of several processes that start at once one makes the first workspace, and only it learns the credentials', async () => {
  const sql = await emptyDatabase()
  const made = (await Promise.all([1, 2, 3].map(() => bootstrap({ sql }, nothing)))).filter(Boolean)
  assert.equal(made.length, 1)
  assert.match(made[0]?.token ?? '', /^prt_\w{12}_\w{46}$/)
  assert.equal(await bootstrap({ sql }, nothing), undefined)
  const count = (table: string) =>
    queryInScope<{ count: string }>(sql, ALL_WORKSPACES, { text: `select count(*) from ${table}` })
  for (const table of ['workspaces', 'users', 'memberships', 'api_tokens'])
    assert.equal((await count(table))[0]?.count, '1', table)
  await sql.end()
})

test('presets are used as they are, and a failed start leaves nothing behind', async () => {
  const sql = await emptyDatabase()
  const token = 'a'.repeat(32)
  const presets = {
    email: ' Ada@Example.org',
    password: new Secret('lovelace'),
    token: new Secret(token),
    workspaceName: 'Engines',
  }
  const keep = () => Promise.reject(new Error('no place to keep them'))
  await assert.rejects(bootstrap({ sql, keep }, presets), /no place/)
  const made = await bootstrap({ sql, keep: async () => '/kept' }, presets)
  assert.deepEqual(made, { email: 'ada@example.org', password: 'lovelace', token, file: '/kept' })
  const [row] = await queryInScope(sql, ALL_WORKSPACES, {
    text: `select w.id, w.slug, w.name, m.role, t.scopes, t.public_id from workspaces w
           join memberships m on m.workspace_id = w.id join api_tokens t on t.workspace_id = w.id`,
  })
  assert.deepEqual(row, {
    id: '1',
    slug: 'default',
    name: 'Engines',
    role: 'owner',
    scopes: [...SCOPES].sort(),
    public_id: null,
  })
  await sql.end()
})

test('the operator makes no workspace at an address of the application itself', async () => {
  const sql = await emptyDatabase()
  const { email } = (await bootstrap({ sql }, nothing))!
  const make = (slug: string) =>
    createWorkspaceFor({ sql, furnish: async () => undefined }, (workspaceId) => callerOf(workspaceId), {
      slug,
      name: 'Shop',
      ownerEmail: email,
    })
  await assert.rejects(make(APP_PATHS[0]!), { code: 'unprocessable' })
  assert.equal((await make('shop')).slug, 'shop')
  await sql.end()
})
