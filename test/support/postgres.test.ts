import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptClient } from './kept-client.ts'
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

test('statements over a kept connection find nothing of one another, wait for none, and go on when it was ended', async () => {
  const database = await createTestDatabase({ migrated: false })
  try {
    const sql = keptClient(database.superuserUrl)
    const pid = async () => (await sql<{ pid: number }>('select pg_backend_pid() as pid'))[0]!.pid
    const first = await pid()
    assert.equal(await pid(), first)
    await sql(`set statement_timeout = '7s'`)
    assert.deepEqual(await sql('show statement_timeout'), [{ statement_timeout: '0' }])
    assert.equal(new Set(await Promise.all([pid(), pid()])).size, 2)
    const ended = await pid()
    await withClient(database.superuserUrl, (client) => client.query('select pg_terminate_backend($1, 60000)', [ended]))
    assert.notEqual(await pid(), ended)
    await assert.rejects(sql('select 1 / 0'), { code: '22012' })
    assert.ok((await pid()) > 0)
  } finally {
    await database.drop()
  }
})
