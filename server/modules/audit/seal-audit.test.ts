import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { createPool } from '../../platform/db/pool.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { recordSystemAudit } from './record-audit.ts'
import { sealAudit, verifyAudit } from './seal-audit.ts'

let database: TestDatabase
let sql: ReturnType<typeof createPool>

before(async () => {
  database = await createTestDatabase()
  sql = createPool({ name: 'sql', url: database.url, max: 8 })
  await sql.query("insert into workspaces (slug, name) select 'w' || n, 'W' from generate_series(1, 6) n")
})
after(async () => {
  await sql.end()
  await database.drop()
})

async function record(workspaceId: string, count: number): Promise<void> {
  await inTransaction(sql, workspaceId, async (tx) => {
    for (let id = 1; id <= count; id += 1) {
      const target = { type: 'row', id: String(id), name: 'Zeile „ü“' }
      await recordSystemAudit(tx, workspaceId, { action: 'row.create', target, diff: { n: { from: null, to: id } } })
    }
  })
}

/** What somebody does who has the database to themselves. */
async function tamper(statement: string): Promise<void> {
  await withClient(database.superuserUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'")
    await client.query(statement)
  })
}

test('an empty log is intact', async () => {
  const { seal, ...state } = await verifyAudit(sql, '1')
  assert.deepEqual(state, { intact: true, sealedEntries: 0, unsealedEntries: 0, brokenAt: null })
  assert.match(seal, /^[0-9a-f]{64}$/)
})

test('entries are sealed once each, also when several processes seal while others record', async () => {
  await record('2', 1_500)
  const recording = [1, 2, 3].map(() => record('2', 20))
  await Promise.all([...recording, sealAudit(sql), sealAudit(sql), sealAudit(sql)])
  await sealAudit(sql)
  const state = await verifyAudit(sql, '2')
  assert.deepEqual([state.intact, state.sealedEntries, state.unsealedEntries], [true, 1_560, 0])
  assert.equal(await sealAudit(sql), 0)
  assert.equal((await verifyAudit(sql, '2')).seal, state.seal)
})

test('a changed, deleted, moved or cut off entry shows, and where', async () => {
  const wounds: [string, string, number][] = [
    ['3', "update audit_entries set diff = '{}' where workspace_id = 3 and sequence = 4", 4],
    ['4', 'delete from audit_entries where workspace_id = 4 and sequence = 5', 5],
    ['5', 'delete from audit_entries where workspace_id = 5 and sequence > 7', 10],
    ['6', 'update audit_entries set seal = sha256(seal) where workspace_id = 6 and sequence = 2', 2],
  ]
  for (const [workspaceId, statement, brokenAt] of wounds) {
    await record(workspaceId, 10)
    await sealAudit(sql)
    assert.ok((await verifyAudit(sql, workspaceId)).intact)
    await tamper(statement)
    const state = await verifyAudit(sql, workspaceId)
    assert.deepEqual([state.intact, state.brokenAt], [false, brokenAt], statement)
  }
})

test('a sealed entry takes no other seal', async () => {
  const again = queryInScope(sql, '2', { text: 'update audit_entries set seal = null where sequence = 1' })
  await assert.rejects(again, /never changed/)
})
