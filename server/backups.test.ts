import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { eventually } from '../test/support/eventually.ts'
import { createTestDatabase, type TestDatabase } from '../test/support/postgres.ts'
import { withClient } from '../test/support/test-server.ts'
import { testWorkspace } from '../test/support/workspace.ts'
import { type CopyOptions, checkBackup, restoreBackup, type TakenBackup, takeBackup } from './backups.ts'
import { checkEncryptionKey } from './check-encryption-key.ts'
import { BackupError } from './platform/backup/backup-file.ts'
import { copiedTables, qualified } from './platform/backup/copied-tables.ts'
import { secretKeys } from './platform/crypto/secret-box.ts'
import { inTransaction } from './platform/db/transaction.ts'
import { noteBackup, readLastBackup } from './platform/epoch/last-backup.ts'

const { database: source, pool, workspaceId } = await testWorkspace()
const keys = secretKeys([{ id: 'a', key: Buffer.alloc(32, 'a') }])
const otherKeys = secretKeys([{ id: 'b', key: Buffer.alloc(32, 'b') }])
/** Texts that a copy by lines could break on. */
const TEXTS = ['plain', '\\.', 'a\n\\.\nb', 'tab\tand\rreturn', '\\N', 'Ümläut 🙂', '{"table":"public.contacts"}']

let directory: string
const at = (name: string) => join(directory, name)
const databaseOf = ({ url }: TestDatabase) => ({ url, role: undefined })
const query = (database: TestDatabase, text: string) =>
  withClient(database.superuserUrl, async (client) => (await client.query(text)).rows)

/** Somebody who writes while the copy is made, and does not wait for it. */
let wrote: Promise<unknown> | undefined
let taken: TakenBackup
const writeMeanwhile = () => {
  wrote ??= query(source, `insert into tags (workspace_id, name) values (${workspaceId}, 'late')`)
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'backups-'))
  await checkEncryptionKey(pool, keys)
  await inTransaction(pool, workspaceId, async (tx) => {
    for (const text of TEXTS)
      await tx.query('insert into contacts (workspace_id, subject_id, first_name) values ($1, $2, $3)', [
        workspaceId,
        `subject ${TEXTS.indexOf(text)}`,
        text,
      ])
    await tx.query(`insert into outbox (workspace_id, type, name, subject, data, occurred_at)
      select ${workspaceId}, 'event.recorded', 'page.view', 's', '{"a": 1}', now() from generate_series(1, 50)`)
  })
  // As after a first restore: transaction ids of the log are counted from an offset.
  await query(source, 'update outbox_cluster set tx_offset = 1000')
  await query(source, `select setval('delivery_id', 777)`)
  taken = await takeBackup(databaseOf(source), { path: at('one'), keys, onProgress: writeMeanwhile })
  await wrote
})
after(() => rm(directory, { recursive: true }))

/** On a database without tables, or with those of the migrations and nothing in them. */
async function onEmpty(work: (database: TestDatabase) => Promise<void>, migrated = false): Promise<void> {
  const database = await createTestDatabase({ migrated })
  try {
    await work(database)
  } finally {
    await database.drop()
  }
}

/** Every row of every table as text, seen past row-level security. */
const contentsOf = (database: TestDatabase) =>
  withClient(database.superuserUrl, async (client) => {
    const contents: Record<string, string[]> = {}
    for (const table of await copiedTables(client)) {
      const { rows } = await client.query(`select t::text as row from ${qualified(table)} t order by 1`)
      contents[`${table.schema}.${table.name}`] = rows.map(({ row }) => row)
    }
    return contents
  })

/** The make of the schema: constraints, triggers, walls and partitions with their bounds. */
const schemaOf = (database: TestDatabase) =>
  query(
    database,
    `select conrelid::regclass::text as on, pg_get_constraintdef(oid) as what, convalidated::text as state from pg_constraint
       where connamespace in ('public'::regnamespace, 'jobs'::regnamespace)
     union all select tgrelid::regclass::text, tgname, tgenabled::text from pg_trigger where not tgisinternal
     union all select oid::regclass::text, relkind::text, relforcerowsecurity::text || coalesce(pg_get_expr(relpartbound, oid), '')
       from pg_class where relnamespace in ('public'::regnamespace, 'jobs'::regnamespace) and relkind in ('r', 'p')
     order by 1, 2, 3`,
  )

test('a backup is noted once it is whole, and is one all the same where it cannot be', async () => {
  const { header, fileBytes, unnoted } = taken
  // As the pool writes it: without zeros at the end.
  const { rows } = await pool.query<{ takenAt: string }>('select $1::timestamptz as "takenAt"', [header.madeAt])
  const { takenAt } = rows[0]!
  assert.deepEqual([unnoted, await readLastBackup(pool)], [null, { takenAt, bytes: fileBytes }])
  await noteBackup(pool, { takenAt: '2020-01-01T00:00:00Z', bytes: 1 })
  assert.equal((await readLastBackup(pool))?.takenAt, takenAt, 'one that began earlier hides no newer one')
  await query(
    source,
    `create function no_note() returns trigger language plpgsql as $$ begin raise 'it can only be read'; end $$;
     create trigger no_note before update on installation execute function no_note()`,
  )
  const other = await takeBackup(databaseOf(source), { path: at('unnoted'), keys })
  await query(source, 'drop trigger no_note on installation; drop function no_note')
  assert.equal(other.unnoted, 'it can only be read')
  assert.equal((await checkBackup(at('unnoted'), keys)).rows, other.rows)
  await rm(at('unnoted'))
})

test('a database comes back as it was at one moment, with every row, partition, wall, trigger, constraint and sequence', () =>
  onEmpty(async (target) => {
    const { rows } = await restoreBackup(databaseOf(target), { path: at('one'), keys })
    await query(source, 'delete from tags')
    // Noted when the file was whole.
    await query(source, 'update installation set backed_up_at = null, backed_up_bytes = null')
    await query(source, `delete from row_counts where relation = 'tags'`)
    await query(source, 'delete from tag_counts').catch(() => undefined)
    const [before, restored] = [await contentsOf(source), await contentsOf(target)]
    assert.deepEqual(restored, before)
    assert.equal(rows, Object.values(before).flat().length)
    assert.deepEqual(restored['public.contacts']!.length, TEXTS.length)
    const names = await query(target, 'select first_name as name from contacts order by id')
    assert.deepEqual(
      names.map(({ name }) => name),
      TEXTS,
    )
    assert.deepEqual(await schemaOf(target), await schemaOf(source))
    assert.match(
      (await query(target, `select pg_get_functiondef('outbox_tx()'::regprocedure) as made`))[0].made,
      /\+ \(?1000/,
    )
    assert.equal((await query(target, `select last_value from delivery_id`))[0].last_value, '777')
    const again = restoreBackup(databaseOf(target), { path: at('one'), keys })
    await assert.rejects(again, /the database is not empty, Postroom was started on it/)
  }, true))

test('a file that is cut short, altered, of another key or none of ours is refused before anything is changed', () =>
  onEmpty(async (target) => {
    const bytes = await readFile(at('one'))
    const text = gunzipSync(bytes).toString('latin1')
    const refused = async (content: Buffer, why: RegExp, options: Partial<CopyOptions> = {}) => {
      await writeFile(at('bad'), content)
      await assert.rejects(restoreBackup(databaseOf(target), { path: at('bad'), keys, ...options }), why)
    }
    const altered = (from: RegExp | string, to: string) => gzipSync(Buffer.from(text.replace(from, to), 'latin1'))
    await refused(bytes.subarray(0, bytes.length - 100), /bad is cut short/)
    await refused(bytes.subarray(0, bytes.length / 2), /bad is cut short/)
    await refused(altered(/\{"seal":.*\n$/, ''), /bad is cut short: its end is missing/)
    await refused(altered('page.view', 'page.vieW'), /bad was altered since it was written/)
    await refused(altered(/^.*page\.view.*\n/m, ''), /bad was altered: it has other numbers of rows/)
    await refused(gzipSync(Buffer.from(`${text}{}\n`, 'latin1')), /bad was altered: something stands behind its end/)
    await refused(bytes, /the encryption key is not that of the database of .*bad/, { keys: otherKeys })
    await refused(Buffer.from('PGDMP'), /bad is not a backup of Postroom/)
    await refused(gzipSync('{"format":"other"}\n'), /bad is not a backup of Postroom/)
    await refused(altered('"formatVersion":1', '"formatVersion":2'), /written by a newer version of Postroom/)
    await truncate(at('bad'), 0)
    await assert.rejects(checkBackup(at('bad'), keys), /bad is cut short/)
    await assert.rejects(checkBackup(at('nothing'), keys), /nothing cannot be read/)
    assert.deepEqual(
      await query(target, `select relname from pg_class where relnamespace = 'public'::regnamespace`),
      [],
    )
  }))

test('of two copies to one path one is whole, the other is refused, and nothing else is left', async () => {
  const both = await Promise.allSettled([1, 2].map(() => takeBackup(databaseOf(source), { path: at('two'), keys })))
  const refusals = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  assert.equal(refusals.length, 1)
  assert.match(String(refusals[0]), /two is there already/)
  assert.ok((await checkBackup(at('two'), keys)).rows > 0)
  assert.deepEqual(
    (await readdir(directory)).filter((name) => name.endsWith('.partial')),
    [],
  )
})

test('a backup that the disk does not take is refused in a line with its name', async () => {
  for (const [path, reason] of [
    [at('nowhere/b'), 'it cannot be made there'],
    [at('one/b'), 'a part of the path is not a directory'],
  ] as const)
    await assert.rejects(takeBackup(databaseOf(source), { path, keys }), (error) => {
      assert.ok(error instanceof BackupError)
      assert.equal(error.message, `${path} cannot be written: ${reason}`)
      return true
    })
})

test('a disk that is full in the middle of a table ends the backup, and nothing of it is held', async () => {
  // More than the sockets between server and program hold.
  await query(source, `create table large as select repeat('x', 1000) as text from generate_series(1, 40000)`)
  await query(source, 'grant select on large to public')
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const onProgress: CopyOptions['onProgress'] = ({ table }) => {
    if (table === 'large') throw full
  }
  try {
    const backup = takeBackup(databaseOf(source), { path: at('full'), keys, onProgress })
    await assert.rejects(backup, {
      name: 'BackupError',
      message: `${at('full')} cannot be written: no space left on the disk`,
    })
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith('full')),
      [],
    )
    const ended = async () =>
      (await query(source, `select pid from pg_stat_activity where application_name = 'postroom-backup'`)).length === 0
    await eventually('the session of the backup has ended', ended)
  } finally {
    await query(source, 'drop table large')
  }
})

test('a database with other tables, a newer schema or no Postroom in it is refused', () =>
  onEmpty(async (target) => {
    const backup = takeBackup(databaseOf(target), { path: at('none'), keys })
    await assert.rejects(backup, /there is nothing to back up/)
    await assert.rejects(takeBackup(databaseOf(source), { path: at('one'), keys }), /one is there already/)
    await assert.rejects(
      takeBackup(databaseOf(source), { path: at('none'), keys: otherKeys }),
      /not that of this database/,
    )
    await assert.rejects(stat(at('none')), /ENOENT/)
    await query(target, 'create table mine (a int)')
    const restore = () => restoreBackup(databaseOf(target), { path: at('one'), keys })
    await assert.rejects(restore(), /the database is not empty, it has the table public.mine/)
    await query(target, 'drop table mine')

    await query(source, `update schema_migrations set name = '9999_future.sql' where version = 1`)
    await takeBackup(databaseOf(source), { path: at('future'), keys })
    await query(source, `update schema_migrations set name = '0001_kernel.sql' where version = 1`)
    const newer = restoreBackup(databaseOf(target), { path: at('future'), keys })
    await assert.rejects(newer, /made by Postroom .*, whose schema this version does not have \(9999_future\.sql\)/)
  }))
