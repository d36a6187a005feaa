import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from './postgres.ts'
import { withClient } from './test-server.ts'

test('every test database is a migrated clone of its own under an ordinary role', async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()])
  try {
    const answers = await Promise.all(
      [first, second].map(({ url }) =>
        withClient(url, async (client) => {
          await client.query('create table mark (database text)')
          const { rows } = await client.query(
            `select rolsuper, rolbypassrls, (select count(*)::int > 0 from schema_migrations) as migrated
             from pg_roles where rolname = current_user`,
          )
          return rows[0]
        }),
      ),
    )
    assert.deepEqual(answers, Array(2).fill({ rolsuper: false, rolbypassrls: false, migrated: true }))
  } finally {
    await Promise.all([first.drop(), second.drop()])
  }
})

test('a dropped test database is gone, also with connections open to it', async () => {
  const kept = await createTestDatabase({ migrated: false })
  const dropped = await createTestDatabase({ migrated: false })
  try {
    await withClient(dropped.url, async (client) => {
      client.on('error', () => undefined)
      await dropped.drop()
      await assert.rejects(client.query('select 1'))
    })
    await assert.rejects(
      withClient(dropped.url, async () => undefined),
      { code: '3D000' },
    )
  } finally {
    await kept.drop()
  }
})
