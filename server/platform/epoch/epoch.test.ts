import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { copyTestDatabase, createTestDatabase } from '../../../test/support/postgres.ts'
import { createPool } from '../db/pool.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { readEpochFile } from './epoch-file.ts'
import { EpochGuard } from './epoch-guard.ts'
import { holdInstallation, releaseInstallation } from './hold-installation.ts'
import { readInstallation } from './installation.ts'
import { isAsFar, judgeEpoch } from './judge-epoch.ts'
import { type KeepDeps, keepEpoch } from './keep-epoch.ts'
import { readSequences } from './sequences.ts'

const stay = setInterval(() => undefined, 60_000)
const journal = await mkdtemp(path.join(tmpdir(), 'postroom-journal-'))
const database = await createTestDatabase().finally(() => clearInterval(stay))
after(async () => {
  await database.drop()
  await rm(journal, { recursive: true })
})

const AHEAD = 100_000_000_000n
/** Sequences of smallint, which have no room for more. */
const SMALL = /small_one|link_keys_id/

/** A process as far as the epoch is concerned: a pool whose connections are judged. */
function processOn(url: string) {
  const settling = createPool({ name: 'sql', url, max: 1 })
  const guard = new EpochGuard(journal, settling)
  const pool = createPool({ name: 'sql', url, max: 3, onConnect: (client) => guard.check(client) })
  const keep = (given: Partial<KeepDeps> = {}) =>
    keepEpoch({
      ...{ pool, guard, notes: true, onHeld: () => undefined },
      onKept: (fault) => assert.fail(String(fault)),
      ...given,
    })
  return { pool, guard, keep, end: () => Promise.all([pool.end(), settling.end()]) }
}

async function on<T>(url: string, work: (process: ReturnType<typeof processOn>) => Promise<T>): Promise<T> {
  const process = processOn(url)
  return work(process).finally(process.end)
}

/** Does something that gives an id, and has it noted outside. */
const workOn = (url: string) =>
  on(url, async ({ pool, keep }) => {
    const keeper = await keep()
    await pool.query(`select nextval('message_id')`)
    await keeper.stop()
    return readInstallation(pool)
  })

const stateOf = (url: string) => on(url, ({ pool }) => readInstallation(pool))

test('a state is judged by its place, its epoch and its mark', () => {
  const found = {
    id: 'a',
    isInPlace: true,
    isStandby: false,
    held: null,
    isReapplied: false,
    sequences: {},
    epoch: 2,
    epochId: 'x',
    mark: '9',
  }
  const known = { epoch: 2, epochId: 'x', mark: '9' }
  assert.equal(judgeEpoch({ ...found, id: null }, known), 'new')
  assert.equal(judgeEpoch(found, undefined), 'same')
  assert.equal(judgeEpoch(found, known), 'same', 'a failover that lost nothing')
  assert.equal(judgeEpoch({ ...found, mark: '10' }, known), 'same')
  assert.equal(judgeEpoch({ ...found, epoch: 3, epochId: 'y', mark: '1' }, known), 'same', 'somebody held it knowingly')
  assert.equal(judgeEpoch({ ...found, isInPlace: false }, known), 'cluster')
  assert.equal(judgeEpoch({ ...found, mark: '8' }, known), 'behind')
  assert.equal(judgeEpoch({ ...found, epoch: 1 }, known), 'behind')
  assert.equal(judgeEpoch({ ...found, epochId: 'y' }, known), 'behind', 'another life with the same number')
  assert.ok(isAsFar({ ...known, mark: '10' }, known), 'marks are numbers')
})

test('the first connection names the installation, and later ones find it as it was', async () => {
  const first = await stateOf(database.url)
  assert.match(String(first.id), /^[0-9a-f-]{36}$/)
  assert.equal(first.isInPlace, true)
  assert.equal((await stateOf(database.url)).id, first.id)
  assert.equal(first.held, null)
})

test('what was committed is noted outside, and an idle installation writes nothing', async () => {
  const { id, mark, epochId } = await workOn(database.url)
  const noted = await readEpochFile(path.join(journal, String(id)))
  assert.deepEqual([noted?.epoch.epochId, noted?.epoch.mark], [epochId, mark])
  await on(database.url, async ({ pool, keep }) => {
    assert.equal(noted?.sequences['public.message_id'], (await readSequences(pool))['public.message_id'])
    await (await keep()).stop()
    const { mark: before } = await readInstallation(pool)
    const keeper = await keep()
    await keeper.stop()
    assert.equal(BigInt((await readInstallation(pool)).mark), BigInt(before) + 1n, 'once for its start')
  })
})

test('a place outside that takes nothing is told of once, through outages of the database, and when it does again', async () => {
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
  const found = [away, full, away, full, undefined]
  const told: unknown[] = []
  await on(database.url, async ({ keep }) => {
    const keeper = await keep({
      onKept: (fault) => told.push(fault),
      follow: async () => {
        const fault = found.shift()
        if (fault) throw fault
      },
    })
    await eventually('all of them are met', async () => found.length === 0)
    await keeper.stop()
  })
  assert.deepEqual(told, [full, undefined])
})

test('a copy is held at its first connection, and none of its sequences gives what was given, whichever there are', async () => {
  await on(database.url, ({ pool }) =>
    pool.query(
      'create table made_later (id bigint generated always as identity); create sequence small_one as smallint',
    ),
  )
  await workOn(database.url)
  const copy = await copyTestDatabase(database)
  try {
    const original = await on(database.url, ({ pool }) => readSequences(pool))
    assert.ok('public.made_later_id_seq' in original)
    await on(copy.url, async ({ pool, guard }) => {
      const [moved, { held }] = [await readSequences(pool), await readInstallation(pool)]
      assert.deepEqual([held?.reason, guard.held?.reason], ['cluster', 'cluster'])
      assert.deepEqual(Object.keys(moved), Object.keys(original))
      for (const [name, last] of Object.entries(original)) {
        const by = BigInt(moved[name]!) - BigInt(last)
        const room = SMALL.test(name) ? 1_000n : AHEAD
        assert.ok(by >= room, `${name} moved by ${by}`)
      }
    })
    assert.equal((await stateOf(database.url)).held, null, 'the original goes on')
  } finally {
    await copy.drop()
  }
})

test('a database that has forgotten what the file knows is held, with its ids behind those that the file knows', async () => {
  const { mark } = await workOn(database.url)
  await on(database.url, ({ pool }) => pool.query(`select setval('message_id', 40000)`))
  await workOn(database.url)
  // As the same files look when they are put back.
  await on(database.url, async ({ pool }) => {
    await pool.query('update installation set mark = $1', [mark])
    await pool.query(`select setval('message_id', 7)`)
  })
  await on(database.url, async ({ pool }) => {
    const { held, epoch } = await readInstallation(pool)
    assert.deepEqual([held?.reason, epoch], ['behind', 2])
    const sequences = await readSequences(pool)
    assert.ok(BigInt(sequences['public.message_id']!) >= 40_000n + AHEAD)
    await inTransaction(pool, ALL_WORKSPACES, (tx) => releaseInstallation(tx, held!.since))
  })
  assert.equal((await stateOf(database.url)).held, null, 'it goes on')
})

test('a process that runs on notices by its own memory, also without a file', async () => {
  const process = processOn(database.url)
  const keeper = await process.keep()
  await process.pool.query(`select nextval('message_id')`)
  await keeper.stop()
  const settling = createPool({ name: 'sql', url: database.url, max: 1 })
  await settling.query('update installation set mark = 0')
  await process.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name = current_setting($1)`,
    ['application_name'],
  )
  const connections = await Promise.all([1, 2, 3].map(() => process.pool.connect()))
  for (const connection of connections) connection.release()
  const { held } = await readInstallation(process.pool)
  assert.equal(held?.reason, 'behind')
  await inTransaction(process.pool, ALL_WORKSPACES, (tx) => releaseInstallation(tx, held!.since))
  await Promise.all([settling.end(), process.end()])
})

test('who says so has it held once, and a file that nobody can read stops the start', async () => {
  await on(database.url, async ({ pool }) => {
    assert.equal(await holdInstallation(pool, 'told'), true)
    assert.equal(await holdInstallation(pool, 'told'), false)
    const { held, id } = await readInstallation(pool)
    await inTransaction(pool, ALL_WORKSPACES, (tx) => releaseInstallation(tx, held!.since))
    await writeFile(path.join(journal, String(id), 'epoch.json'), '{"epoch": 1')
  })
  await assert.rejects(stateOf(database.url), /epoch\.json cannot be read/)
})
