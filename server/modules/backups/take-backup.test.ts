import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import * as backups from '../../backups.ts'
import { checkEncryptionKey } from '../../check-encryption-key.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { DAY_MS, HOUR_MS } from '../../platform/durations.ts'
import { readFailedBackup } from '../restoration/failed-backup.ts'
import { takeDueBackup } from './ask-for-backup.ts'
import { type BackupRow, deleteBackups, insertBackup, insertDueBackup, readBackups, writeSchedule } from './queries.ts'
import { takeJob } from './take-backup.ts'

const { database, pool } = await testWorkspace()
const keys = secretKeys([{ id: 'a', key: Buffer.alloc(32, 'a') }])
await checkEncryptionKey(pool, keys)
const place = await mkdtemp(join(tmpdir(), 'backups-by-page-'))
after(() => rm(place, { recursive: true, force: true }))
afterEach(() => pool.query('delete from backups'))

const files = {
  take: (options: Omit<backups.CopyOptions, 'keys'>) =>
    backups.takeBackup({ url: database.url, role: undefined }, { ...options, keys }),
  check: (path: string) => backups.checkBackup(path, keys),
}
let nth = 0
/** A directory of its own, which is not there yet. */
const newDirectory = () => join(place, `${++nth}`)

function run({ id, fileName }: BackupRow, directory: string, stopping = new AbortController().signal) {
  const job = { id: '1', queue: 'default', kind: 'take_backup', payload: { backupId: id, fileName }, attempt: 1 }
  const rest = { priority: 0, groupKey: null, singletonKey: null }
  const context = { signal: new AbortController().signal, stopping }
  return takeJob({ sql: pool, directory, files }).run({ ...job, ...rest }, context)
}

const newest = async () => (await readBackups(pool))[0]!
const ask = async () => (await insertBackup(pool, 'Ada'))!

test('a backup is taken once at a time, and its file is whole', async () => {
  const directory = newDirectory()
  const asked = await ask()
  assert.equal(await insertBackup(pool, 'Grace'), undefined)
  assert.deepEqual(await run(asked, directory), { outcome: 'ok' })
  const { state, bytes, takenAt, error, fileName } = await newest()
  const checked = await backups.checkBackup(join(directory, fileName), keys)
  assert.deepEqual({ state, bytes: Number(bytes), error }, { state: 'done', bytes: checked.fileBytes, error: null })
  assert.equal(Date.parse(takenAt!), Date.parse(checked.header.madeAt))
  assert.deepEqual(await readdir(directory), [fileName])
})

test('a process that was killed after it had written the file, or before, leaves a backup that is whole', async () => {
  const directory = newDirectory()
  const asked = await ask()
  await run(asked, directory)
  await pool.query(`update backups set state = 'running', bytes = null, taken_at = null`)
  await writeFile(join(directory, `${asked.fileName}.0.partial`), 'half')
  assert.deepEqual(await run(asked, directory), { outcome: 'ok' })
  assert.equal((await newest()).state, 'done')
  assert.deepEqual(await readdir(directory), [asked.fileName])
})

test('a directory that takes no file, and a file that was altered, are told in words', async () => {
  const directory = newDirectory()
  await writeFile(directory, 'a file')
  await run(await ask(), directory)
  const refused = await newest()
  assert.equal(refused.state, 'failed')
  assert.match(refused.error!, /^BACKUP_DIR cannot be used: there is a file of that name/)
  const other = newDirectory()
  const asked = await ask()
  await run(asked, other)
  await writeFile(join(other, asked.fileName), 'no backup')
  await pool.query(`update backups set state = 'running' where id = $1`, [asked.id])
  await run(asked, other)
  assert.match((await newest()).error!, /is not a backup of Postroom$/)
})

test('a failed one of the night is told of until another one is taken, one that somebody asked for is not', async () => {
  await writeSchedule(pool, { hour: 3, kept: 2 })
  const directory = newDirectory()
  await writeFile(directory, 'a file')
  await run(await ask(), directory)
  assert.equal(await readFailedBackup(pool), undefined)
  await run((await insertDueBackup(pool))!, directory)
  assert.match((await readFailedBackup(pool))!.error, /^BACKUP_DIR cannot be used/)
  await writeSchedule(pool, { hour: null, kept: 2 })
  assert.equal(await readFailedBackup(pool), undefined, 'none is to be taken any more')
  await writeSchedule(pool, { hour: 3, kept: 2 })
  await run(await ask(), newDirectory())
  assert.equal(await readFailedBackup(pool), undefined)
  await writeSchedule(pool, { hour: null, kept: 2 })
})

test('one that is removed while it is taken ends, and leaves nothing', async () => {
  const directory = newDirectory()
  const held = await hold('contacts')
  try {
    const asked = await ask()
    const running = run(asked, directory)
    await eventually('it has begun', async () => (await newest()).state === 'running')
    await deleteBackups(pool, [asked.id])
    assert.deepEqual(await running, { outcome: 'ok' })
  } finally {
    await held.end()
  }
  assert.deepEqual(await readdir(directory), [])
})

test('a process that is to stop leaves it to the next one', async () => {
  const directory = newDirectory()
  const [held, stop, asked] = [await hold('contacts'), new AbortController(), await ask()]
  try {
    const running = run(asked, directory, stop.signal)
    await eventually('it writes', async () => (await readdir(directory).catch(() => [])).length === 1)
    stop.abort()
    assert.deepEqual(await running, { outcome: 'more' })
  } finally {
    await held.end()
  }
  assert.deepEqual(await readdir(directory), [])
  assert.deepEqual(await run(asked, directory), { outcome: 'ok' })
  assert.equal((await newest()).state, 'done')
})

test('the night’s is due once a day from its hour on, and so many of them are kept', async () => {
  const directory = newDirectory()
  await takeDueBackup(pool)
  assert.equal((await readBackups(pool)).length, 0, 'none where nobody has said so')
  const kept = await ask()
  await run(kept, directory)
  const hour = new Date(Date.now() - HOUR_MS).getUTCHours()
  await writeSchedule(pool, { hour, kept: 2 })
  const names: string[] = []
  for (let day = 0; day < 4; day++) {
    // Days that have passed: each was asked for at another one, under another name.
    await pool.query(`update backups set asked_at = asked_at - $1 * interval '1 millisecond'`, [DAY_MS])
    await pool.query(`update backups set file_name = 'of ' || id where file_name not like 'of %' and asked_by is null`)
    const due = (await insertDueBackup(pool))!
    assert.equal(await insertDueBackup(pool), undefined, 'once')
    await run({ ...due, fileName: `of ${due.id}` }, directory)
    names.push(`of ${due.id}`)
  }
  assert.deepEqual((await readdir(directory)).sort(), [...names.slice(-2), kept.fileName].sort())
  assert.equal((await readBackups(pool)).length, 3)
})

/** A table that nobody can read before its end. */
async function hold(table: string) {
  const client = await pool.connect()
  await client.query('begin')
  await client.query(`lock table ${table} in access exclusive mode`)
  return { end: () => client.query('rollback').finally(() => client.release()) }
}
