import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { runPinned } from '../jobs/statement.ts'
import { pingForWrites } from './ping.ts'
import { createPool } from './pool.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from './transaction.ts'

let database: TestDatabase
let pools: { sql: ReturnType<typeof createPool>; pgx: ReturnType<typeof createPool> }

before(async () => {
  database = await createTestDatabase({ migrated: false })
  const open = (name: 'sql' | 'pgx') => createPool({ name, url: database.url, max: 2 })
  pools = { sql: open('sql'), pgx: open('pgx') }
  await asServer(`create table notes (text text); grant all on notes to public;
    create function no_room() returns trigger language plpgsql as $$
      begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$;
    create function no_room_ddl() returns event_trigger language plpgsql as $$
      begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
})
after(async () => {
  await Promise.all([pools.sql.end(), pools.pgx.end()])
  await database.drop()
})

const asServer = (text: string) => withClient(database.superuserUrl, (client) => client.query(text))
/** Each write meets the error that the server has for a full disk; reading goes on. */
const fill = () =>
  asServer(`create trigger no_room before insert on notes execute function no_room();
    create event trigger no_room on ddl_command_start execute function no_room_ddl()`)
const makeRoom = () => asServer('drop event trigger no_room; drop trigger no_room on notes')

const insert = { text: `insert into notes values ('a')` }
const WAYS: [name: string, write: () => Promise<unknown>][] = [
  ['a transaction', () => inTransaction(pools.sql, ALL_WORKSPACES, (tx) => tx.query(insert))],
  ['one statement', () => queryInScope(pools.sql, ALL_WORKSPACES, insert)],
  ['the job queue', () => runPinned(pools.pgx, insert)],
]

for (const [name, write] of WAYS)
  test(`from a write by ${name} that found the disk full until there is room again, nothing is ready`, async () => {
    await pingForWrites(pools)
    await fill()
    await pingForWrites(pools)
    await assert.rejects(write(), { code: '53100' })
    await assert.rejects(pingForWrites(pools), { code: '53100' })
    await assert.rejects(pingForWrites(pools), { code: '53100' }, 'asking again frees nothing')
    await makeRoom()
    await pingForWrites(pools)
    await write()
    const { rows } = await pools.sql.query(`select from pg_class where relname = 'postroom_room'`)
    assert.deepEqual(rows, [])
  })

test('a database that was told to take no writes is not ready', async () => {
  const name = new URL(database.url).pathname.slice(1)
  const reader = createPool({ name: 'sql', url: database.url, max: 1 })
  try {
    await asServer(`alter database ${name} set default_transaction_read_only = on`)
    await assert.rejects(pingForWrites({ ...pools, sql: reader }), { code: '25006' })
    await asServer(`begin read write; alter database ${name} reset default_transaction_read_only; commit`)
    await pingForWrites({ ...pools, sql: reader })
  } finally {
    await reader.end()
  }
})
