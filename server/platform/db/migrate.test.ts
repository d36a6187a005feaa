import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { eventually } from '../../../test/support/eventually.ts'
import { startForgetfulPooler } from '../../../test/support/forgetful-pooler.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { withClient } from '../../../test/support/test-server.ts'
import { checkDatabase, UnsuitableDatabaseError } from './check-database.ts'
import { databaseOutcome } from './errors.ts'
import { MIGRATION_LOCK, MIGRATIONS_DIR, MigrationLockError, migrate, readMigrations, SchemaError } from './migrate.ts'

async function withEmptyDatabase(work: (database: TestDatabase) => Promise<void>): Promise<void> {
  const database = await createTestDatabase({ migrated: false })
  try {
    await work(database)
  } finally {
    await database.drop()
  }
}

const query = (url: string, text: string) => withClient(url, async (client) => (await client.query(text)).rows)
const files = async () => (await readMigrations()).map(({ name }) => name)

test('processes that start at the same time run every migration once, in order', () =>
  withEmptyDatabase(async ({ url }) => {
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate({ url })))
    assert.deepEqual(ran.flat().sort(), await files(), 'each by one of them, whichever had the lock')
    for (const names of ran) assert.deepEqual(names, names.toSorted())
    const applied = await query(url, 'select name from schema_migrations order by version')
    assert.deepEqual(
      applied.map(({ name }) => name),
      await files(),
    )
    assert.deepEqual(await migrate({ url }), [])
  }))

test('a database that may not be changed, or is another program’s, is refused in one line', () =>
  withEmptyDatabase(async ({ url, superuserUrl }) => {
    const refused = (message: RegExp) =>
      assert.rejects(migrate({ url }), (error: Error) => {
        assert.ok(error instanceof SchemaError)
        assert.match(error.message, /^DATABASE_URL: the database cannot be used: [^\n]+$/)
        assert.match(error.message, message)
        return true
      })
    await query(superuserUrl, 'alter schema public owner to postgres; revoke create on schema public from public')
    await refused(/has to own the database \(permission denied/)
    await query(superuserUrl, 'grant create on schema public to public')
    await query(url, 'create table schema_migrations (version text primary key)')
    await refused(/schema_migrations is another program’s/)
  }))

test('a migration that was changed after it had run is refused, as is a database from a newer version', () =>
  withEmptyDatabase(async ({ url }) => {
    await migrate({ url })
    await query(url, `insert into schema_migrations (version, name, checksum) values (9999, '9999_future.sql', '')`)
    await assert.rejects(
      migrate({ url }),
      /9999_future\.sql, which this version of Postroom does not know and cannot go on with/,
    )
    await query(url, 'delete from schema_migrations where version = 9999')
    await query(url, `update schema_migrations set checksum = 'other' where version = 2`)
    await assert.rejects(migrate({ url }), /0002_people\.sql was changed after it had run/)
  }))

test('a migration that fails leaves nothing of itself, and the next start goes on there', () =>
  withEmptyDatabase(async ({ url }) => {
    await query(url, 'create table contacts (in_the_way text)')
    await assert.rejects(
      migrate({ url }),
      /^SchemaError: migration 0003_contacts\.sql failed: relation "contacts" already exists/,
    )
    const applied = await query(url, 'select name from schema_migrations')
    assert.equal(applied.length, 2)
    await query(url, 'drop table contacts')
    assert.deepEqual(await migrate({ url }), (await files()).slice(2))
  }))

test('migrations are the numbered files of their directory, in order, each with its hash', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  try {
    for (const [name, sql] of Object.entries({
      '0010_b.sql': 'select 2',
      '0002_a.sql': 'select 1',
      'notes.md': 'not one',
      '0003_draft.sql.bak': 'not one',
    })) {
      await writeFile(join(directory, name), sql)
    }
    const found = await readMigrations(pathToFileURL(`${directory}/`))
    assert.deepEqual(
      found.map(({ version, name, sql }) => ({ version, name, sql })),
      [
        { version: 2, name: '0002_a.sql', sql: 'select 1' },
        { version: 10, name: '0010_b.sql', sql: 'select 2' },
      ],
    )
    assert.match(found[0]!.checksum, /^[0-9a-f]{64}$/)
    assert.notEqual(found[0]!.checksum, found[1]!.checksum)
  } finally {
    await rm(directory, { recursive: true })
  }
  const numbers = (await readMigrations(MIGRATIONS_DIR)).map(({ version }) => version)
  assert.deepEqual(numbers, [...new Set(numbers)], 'no number is used twice')
})

test('an ordinary role is used as it is', () =>
  withEmptyDatabase(async ({ url }) => {
    const { role, warnings, versionText } = await checkDatabase(url, 'DATABASE_URL')
    assert.equal(role, undefined)
    assert.deepEqual(warnings, [])
    assert.match(versionText, /^\d+/)
  }))

test('a superuser gets an ordinary role made, under which row-level security binds what is migrated', () =>
  withEmptyDatabase(async ({ superuserUrl: url }) => {
    const checks = await Promise.all(Array.from({ length: 24 }, () => checkDatabase(url, 'DATABASE_URL')))
    for (const { role } of checks) assert.equal(role, 'postroom_app')
    assert.deepEqual(await migrate({ url, role: 'postroom_app' }), await files())
    const owners = await query(
      url,
      `select distinct tableowner as owner, rolsuper or rolbypassrls as unbound from pg_tables
       join pg_roles on rolname = tableowner where schemaname = 'public'`,
    )
    assert.deepEqual(owners, [{ owner: 'postroom_app', unbound: false }])
  }))

test('a database that could lose what it commits or cannot hold every text is refused or warned about', async () => {
  await withEmptyDatabase(async ({ name, url, superuserUrl }) => {
    await query(superuserUrl, `alter database ${name} set synchronous_commit = off`)
    assert.match((await checkDatabase(url, 'DATABASE_URL')).warnings[0]!, /synchronous_commit is off/)
    const ascii = `${name}_ascii`
    await query(
      superuserUrl,
      `create database ${ascii} template template0 encoding 'SQL_ASCII' locale_provider libc lc_collate 'C' lc_ctype 'C'`,
    )
    try {
      const asciiUrl = Object.assign(new URL(superuserUrl), { pathname: `/${ascii}` }).href
      await assert.rejects(checkDatabase(asciiUrl, 'DATABASE_URL'), (error) => {
        assert.ok(error instanceof UnsuitableDatabaseError)
        assert.equal(
          error.message,
          'DATABASE_URL: the database cannot be used: its encoding is SQL_ASCII, UTF8 is needed',
        )
        return true
      })
    } finally {
      await query(superuserUrl, `drop database ${ascii}`)
    }
    const nowhere = checkDatabase('postgres://nobody@127.0.0.1:1/none', 'DATABASE_URL')
    await assert.rejects(nowhere, (error) => {
      assert.ok(error instanceof UnsuitableDatabaseError)
      assert.match(error.message, /^DATABASE_URL: cannot connect: .*ECONNREFUSED/)
      return true
    })
  })
})

test('limits of time that the role or the database has been given do not bind the schema’s changes', () =>
  withEmptyDatabase(async ({ name, url, superuserUrl }) => {
    // Statements that come after the second may be bound by it.
    for (const setting of ["default_transaction_isolation = 'serializable'", "statement_timeout = '1ms'"])
      await query(superuserUrl, `alter database ${name} set ${setting}`)
    assert.deepEqual(await migrate({ url }), await files())
  }))

test('a pooler that drops what a connection sets at its start is refused, and a role without a schema', () =>
  withEmptyDatabase(async ({ name, url, superuserUrl }) => {
    const { hostname, port } = new URL(url)
    const pooler = await startForgetfulPooler({ host: hostname, port: Number(port) })
    try {
      const through = Object.assign(new URL(url), { host: `127.0.0.1:${pooler.port}` }).href
      await assert.rejects(checkDatabase(through, 'DATABASE_URL'), (error) => {
        assert.ok(error instanceof UnsuitableDatabaseError)
        assert.match(error.message, /^DATABASE_URL: .*a pooler that drops what a connection sets/)
        return true
      })
    } finally {
      await pooler.close()
    }
    await query(superuserUrl, `alter database ${name} set search_path = nowhere`)
    await assert.rejects(checkDatabase(url, 'DATABASE_URL'), /its role has no schema to make tables in/)
  }))

test('a process that waits for another one to change the schema gives up with a line that names it', () =>
  withEmptyDatabase(({ url }) =>
    withClient(url, async (other) => {
      await other.query("set application_name = 'a forgotten window'")
      await other.query('begin')
      await other.query('select pg_advisory_xact_lock(7465001)')
      await assert.rejects(migrate({ url, waitMs: 20 }), (error) => {
        assert.ok(error instanceof MigrationLockError)
        assert.match(error.message, /process \d+ of PostgreSQL, a forgotten window from 127\.0\.0\.1, since 20/)
        return true
      })
      await other.query('rollback')
      assert.deepEqual(await migrate({ url }), await files())
      await other.query('select pg_advisory_lock_shared(7465001)')
      assert.deepEqual(await migrate({ url, waitMs: 20 }), [], 'who has nothing to change waits for no copy')
    }),
  ))

/** A directory with these migrations. */
async function withFiles(files: Record<string, string>, work: (directory: URL) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  try {
    for (const [name, sql] of Object.entries(files)) await writeFile(join(directory, name), sql)
    await work(pathToFileURL(`${directory}/`))
  } finally {
    await rm(directory, { recursive: true })
  }
}

const THINGS = { '0001_things.sql': 'create table things (id int); insert into things values (1)' }

test('a version goes on, and starts again, on a schema one release newer that keeps it, and on no other', () =>
  withEmptyDatabase(async ({ url }) => {
    const newer = { '0002_more.sql': '-- keeps 0001\nalter table things add column more int' }
    await withFiles({ ...THINGS, ...newer }, async (directory) => {
      assert.equal((await migrate({ url, directory })).length, 2)
    })
    await withFiles(THINGS, async (directory) => {
      assert.deepEqual(await migrate({ url, directory }), [])
      await query(url, `update schema_migrations set keeps = 2 where version = 2`)
      await assert.rejects(migrate({ url, directory }), /0002_more\.sql, which this version .* cannot go on with/)
    })
  }))

test('a migration does not wait long for a table, so that nobody waits behind it, and runs when it is free', () =>
  withEmptyDatabase(({ url }) =>
    withFiles({ '0002_more.sql': 'alter table things add column more int', ...THINGS }, (directory) =>
      withClient(url, async (reader) => {
        await migrate({ url, directory, until: 1 })
        await reader.query("set application_name = 'a long report'")
        await reader.query('begin')
        await reader.query('select from things')
        await assert.rejects(migrate({ url, directory, waitMs: 20 }), (error) => {
          assert.ok(error instanceof MigrationLockError)
          assert.match(error.message, /^migration 0002_more\.sql does not get the lock of a table; .*a long report/)
          return true
        })
        const waiting = migrate({ url, directory })
        const asked = `select count(*)::int as n from pg_stat_activity where application_name = 'postroom-migrate'
          and wait_event_type = 'Lock' and datname = current_database()`
        await eventually('it asks for the lock', async () => (await query(url, asked))[0].n === 1)
        await query(url, 'insert into things values (2)')
        await reader.query('rollback')
        assert.deepEqual(await waiting, ['0002_more.sql'])
      }),
    ),
  ))

test('a server that goes away while nothing is asked of it ends the migration with an error', () =>
  withEmptyDatabase(async ({ url, superuserUrl }) => {
    await migrate({ url })
    await withClient(superuserUrl, async (client) => {
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
      await client.query(`delete from schema_migrations where version = (select max(version) from schema_migrations)`)
      const migrating = assert.rejects(migrate({ url }), (error) => databaseOutcome(error) === 'away')
      await eventually('it waits for its turn', async () => {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'postroom-migrate' and query like '%pg_try_advisory_lock%' and state = 'idle'`,
        )
        return rowCount! > 0
      })
      await migrating
    })
  }))

test('an index is made outside of a transaction, again where it was not made to its end, while others wait for their turn', () =>
  withEmptyDatabase(({ url }) => {
    const index =
      '-- keeps 0001\n-- outside a transaction\ncreate unique index concurrently if not exists things_by_id on things (id);\n'
    return withFiles({ ...THINGS, '0002_index.sql': index }, async (directory) => {
      await migrate({ url, directory, until: 1 })
      await query(url, 'insert into things values (1)')
      await assert.rejects(migrate({ url, directory }), /0002_index\.sql failed: could not create unique index/)
      await query(url, 'delete from things where ctid = (select min(ctid) from things)')
      const ran = await Promise.all(Array.from({ length: 3 }, () => migrate({ url, directory })))
      assert.deepEqual(ran.flat(), ['0002_index.sql'])
      const valid = `select indisvalid as valid from pg_index where indexrelid = 'things_by_id'::regclass`
      assert.deepEqual(await query(url, valid), [{ valid: true }])
    })
  }))

const COUNTED = `-- keeps 0001
lock table things in share row exclusive mode;
drop table if exists sums;
create table sums (n int);
create or replace function count_things() returns trigger language plpgsql as $$
  begin insert into sums select count(*) from added; return null; end $$;
create or replace trigger count_things after insert on things referencing new table as added
  for each statement execute function count_things();
-- beside others
insert into sums select count(*) from things, pg_advisory_lock_shared(77);
`

test('a migration goes through rows beside those who write, counts each once, and begins anew where it was cut off', () =>
  withEmptyDatabase(({ url, superuserUrl }) =>
    withFiles({ ...THINGS, '0002_sums.sql': COUNTED }, (directory) =>
      withClient(superuserUrl, async (client) => {
        await migrate({ url, directory, until: 1 })
        await client.query('select pg_advisory_lock(77)')
        const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
          and query like '%lock_shared(77)%' and application_name = 'postroom-migrate'`
        const isCounting = () =>
          eventually('it goes through the rows', async () => (await client.query(waiting)).rowCount === 1)

        const cutOff = assert.rejects(migrate({ url, directory }), (error) => databaseOutcome(error) === 'away')
        await isCounting()
        await query(url, 'insert into things values (2), (3)')
        await client.query(`select pg_terminate_backend(pid) from (${waiting}) w`)
        await cutOff
        await query(url, 'insert into things values (4)')

        const counting = migrate({ url, directory })
        await isCounting()
        await query(url, 'insert into things values (5), (6)')
        await client.query('select pg_advisory_unlock(77)')
        assert.deepEqual(await counting, ['0002_sums.sql'])
        await query(url, 'insert into things values (7)')
        const told = await query(
          url,
          'select sum(n)::int as told, (select count(*)::int from things) as there from sums',
        )
        assert.deepEqual(told, [{ told: 7, there: 7 }])
      }),
    ),
  ))

test('a migration that does the same in another manner than before is the one that has run', () =>
  withEmptyDatabase(async ({ url }) => {
    await withFiles(THINGS, async (directory) => assert.equal((await migrate({ url, directory })).length, 1))
    const [{ checksum }] = await query(url, 'select checksum from schema_migrations')
    await withFiles(
      { '0001_things.sql': `-- formerly ${checksum}\n${THINGS['0001_things.sql']}` },
      async (directory) => {
        assert.deepEqual(await migrate({ url, directory }), [])
      },
    )
    await withFiles({ '0001_things.sql': `-- again\n${THINGS['0001_things.sql']}` }, (directory) =>
      assert.rejects(migrate({ url, directory }), /0001_things\.sql was changed after it had run/),
    )
  }))
