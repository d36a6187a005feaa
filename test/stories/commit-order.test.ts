import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type pg from 'pg'
import { outboxLag } from '../../server/platform/outbox/lag.ts'
import { eventually } from '../support/eventually.ts'
import { compare, faultsOf, groupReader, type Reader, recordingGroups, startReaders } from '../support/log-readers.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { secondProcess, testWorkspace } from '../support/workspace.ts'
import {
  allOrders,
  connect,
  modelSchedule,
  randomSchedule,
  runSchedule,
  type Schedule,
  WRITER_CONNECTIONS,
} from '../support/write-schedule.ts'

/*
 * Writers commit in any order; every group must see each committed event exactly once and none of the others
 * (reference, B.2 rows 1 to 3; goal R4). ORDER_ROUNDS sets the number of random schedules, ORDER_SEED repeats a run.
 */

const ROUNDS = Number(process.env.ORDER_ROUNDS ?? 400)
/** A run of all tests takes one in five of the orders of three writers with two events, others with each seed; a long form takes all. */
const STRIDE = process.env.ORDER_ROUNDS === undefined ? 5 : 1
const NAIVE_ROUNDS = 300
/** Schedules running at a time; the transactions of each hold the others' events back. */
const STAGES = 3
const NO_FAULTS = { lost: [], doubled: [], unexpected: [], disordered: 0 }

const seed = seedFrom('ORDER_SEED')

test(`each group sees each committed event once, whatever the order of ${ROUNDS} random schedules`, async (t) => {
  t.diagnostic(`ORDER_SEED=${seed}`)
  const { database, pool } = await testWorkspace()
  const groups = await recordingGroups(pool)
  const random = seededRandom(seed)
  const rowsMax = () => (random() < 0.5 ? 5_000 : 1 + Math.floor(random() * 20))
  const pools = [pool, secondProcess(database)]
  const readers = pools.flatMap((process) => groups.map((group) => groupReader(process, group, rowsMax)))
  const schedules = Array.from({ length: ROUNDS }, (_, n) => randomSchedule(seededRandom(seed + n), `s${seed + n}`))
  const kept = await runAll({ pool, url: database.url, readers, schedules })
  for (const { group } of groups) assert.deepEqual(await faultsOf(pool, group, kept), NO_FAULTS, group)
  t.diagnostic(`${kept.size} events were committed`)
})

test(`each group sees each committed event once in every order of three writers with an event, and ${STRIDE === 1 ? 'in every' : `in one of ${STRIDE}`} with two`, async (t) => {
  t.diagnostic(`ORDER_SEED=${seed}`)
  const { database, pool } = await testWorkspace()
  const groups = await recordingGroups(pool)
  const readers = groups.map((group) => groupReader(pool, group, () => 5_000))
  const connections = await connect(database.url, 3)
  const [ofOne, ofTwo] = [[...allOrders(1)], [...allOrders(2)]]
  assert.deepEqual([ofOne.length, ofTwo.length], [280, 5_775])
  const orders = [...ofOne, ...ofTwo.filter((_, n) => n % STRIDE === seed % STRIDE)]
  const schedules = orders.map((order, n) => modelSchedule(order, `m${n}`))
  for (const [n, schedule] of schedules.entries()) {
    // Each order happens before the eyes of one group; the others find it when it is their turn.
    await runSchedule({ connections, look: () => readers[n % 4]!.look(), onWrite: () => undefined }, schedule)
  }
  await readToEnd(pool, () => Promise.all(readers.map((reader) => reader.look())))
  await Promise.all(connections.map((client) => client.end()))
  const kept = keptBy(schedules)
  assert.equal(kept.size, 3 * ofOne.length + 6 * (orders.length - ofOne.length))
  for (const { group } of groups) assert.deepEqual(await faultsOf(pool, group, kept), NO_FAULTS, group)
})

test('the same schedules make readers that know no better lose events', async (t) => {
  t.diagnostic(`ORDER_SEED=${seed}`)
  const { database, pool } = await testWorkspace()
  await pool.query('create index on outbox (position)')
  const naive = [
    naiveReader(pool, 'position', `position > $2 order by position`),
    naiveReader(
      pool,
      'position below the horizon',
      `position > $2 and tx < (select outbox_horizon()) order by position`,
    ),
    naiveReader(pool, 'pair without horizon', `(tx, position) > ($1, $2) order by tx, position`),
  ]
  const schedules = Array.from({ length: NAIVE_ROUNDS }, (_, n) =>
    randomSchedule(seededRandom(seed + n), `s${seed + n}`),
  )
  const kept = await runAll({ pool, url: database.url, readers: naive, schedules })
  for (const reader of naive) {
    const { lost, unexpected } = compare(reader.seen, kept)
    t.diagnostic(`by ${reader.name}: ${lost.length} of ${kept.size} lost`)
    assert.ok(lost.length > 0, `a reader by ${reader.name} loses events`)
    assert.deepEqual(unexpected, [])
  }
})

type Run = { pool: pg.Pool; url: string; readers: Reader[]; schedules: Schedule[] }

/** Runs the schedules while the readers read, waits until they have read it all, and returns what was committed. */
async function runAll({ pool, url, readers, schedules }: Run): Promise<Set<string>> {
  const running = startReaders(readers)
  const foreign = await createTestDatabase({ migrated: false })
  after(() => foreign.drop())
  const waiting = schedules.values()
  const runStage = async () => {
    const connections = await connect(url, WRITER_CONNECTIONS)
    const [holder] = await connect(foreign.url, 1)
    const stage = { connections, foreign: holder!, look: running.look, onWrite: running.ring }
    for (const schedule of waiting) await runSchedule(stage, schedule)
    await Promise.all([...connections, holder!].map((client) => client.end()))
  }
  await Promise.all(Array.from({ length: STAGES }, runStage))
  await readToEnd(pool, running.look)
  await running.stop()
  return keptBy(schedules)
}

function keptBy(schedules: readonly Schedule[]): Set<string> {
  return new Set(schedules.flatMap(({ writers }) => writers.flatMap((writer) => writer.kept)))
}

/** Reads until every group has read all, also what open transactions of other test files hold back for a while. */
async function readToEnd(pool: pg.Pool, look: () => Promise<unknown>): Promise<void> {
  await eventually('every group has read all', async () => {
    await look()
    const { rows } = await pool.query<{ held: boolean }>(
      'select exists (select from outbox where tx >= outbox_horizon()) as held',
    )
    return !rows[0]!.held && (await outboxLag(pool)).every(({ seconds }) => seconds === 0)
  })
}

/** A reader as one would first write it: remembers the last row it saw and asks for those behind it. */
function naiveReader(pool: pg.Pool, name: string, condition: string): Reader & { seen: string[] } {
  const seen: string[] = []
  let last = { tx: '0', position: '0' }
  const text = `select tx, position, subject from outbox where $1::bigint is not null and ${condition}`
  return {
    name,
    seen,
    async look() {
      const { rows } = await pool.query<{ tx: string; position: string; subject: string }>(text, [
        last.tx,
        last.position,
      ])
      seen.push(...rows.map((row) => row.subject))
      last = rows.at(-1) ?? last
      return 'looked'
    },
  }
}
