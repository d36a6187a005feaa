import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { createLimiter } from './limiter.ts'
import { deleteOldRateCounts, shareRateCounts } from './rate-counts.ts'

const { pool, database } = await testWorkspace()
const other = secondProcess(database)
const alone = async () => []

/** A limiter that never reconciles by itself, on a clock of the test's. */
function limiterOn(
  clock: { ms: number },
  share: Parameters<typeof createLimiter>[0] = alone,
  options: { subjectsMax?: number } = {},
) {
  const limiter = createLimiter(share, { now: () => clock.ms, everyMs: 2 ** 30, ...options })
  limiter.stop()
  return limiter
}

const takeMany = (limiter: ReturnType<typeof limiterOn>, subject: string, limit: number, times: number) =>
  Array.from({ length: times }, () => limiter.take(subject, limit)).filter(({ allowed }) => allowed).length

test('a subject may do exactly its limit in a minute, and anew in the next', () => {
  const clock = { ms: 60_000 * 1_000 + 17_900 }
  const limiter = limiterOn(clock)
  assert.deepEqual(limiter.take('a', 3), { allowed: true, remaining: 2, resetSeconds: 43 })
  assert.equal(takeMany(limiter, 'a', 3, 10), 2)
  assert.deepEqual(limiter.take('a', 3), { allowed: false, remaining: 0, resetSeconds: 43 })
  assert.equal(limiter.isSpent('a', 3), true)
  assert.equal(limiter.isSpent('b', 3), false)
  assert.equal(takeMany(limiter, 'b', 3, 10), 3)
  clock.ms += 43_000
  assert.deepEqual(limiter.take('a', 3), { allowed: true, remaining: 2, resetSeconds: 60 })
})

test('processes that told each other let through what the limit leaves', async () => {
  const clock = { ms: Date.now() }
  const [one, two] = [
    limiterOn(clock, (minute, uses) => shareRateCounts(pool, minute, uses)),
    limiterOn(clock, (minute, uses) => shareRateCounts(other, minute, uses)),
  ]
  assert.equal(takeMany(one, 'shared', 100, 60), 60)
  await one.reconcile()
  assert.equal(takeMany(two, 'shared', 100, 1), 1)
  await two.reconcile()
  assert.equal(takeMany(two, 'shared', 100, 100), 39)
  await two.reconcile()
  await one.reconcile()
  assert.equal(takeMany(one, 'shared', 100, 10), 10, 'what it has not been told, it does not know')
  await one.reconcile()
  assert.equal(takeMany(one, 'shared', 100, 10), 0)
})

test('however uses and reconciliations fall, two processes never let through more than the limit each', async () => {
  let run = 0
  const step = fc.record({ who: fc.nat({ max: 1 }), uses: fc.nat({ max: 30 }), reconcile: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 60 }), async (steps, limit) => {
      const clock = { ms: Date.now() }
      const limiters = [pool, other].map((sql) =>
        limiterOn(clock, (minute, uses) => shareRateCounts(sql, minute, uses)),
      )
      const subject = `run ${run++}`
      const passed = [0, 0]
      for (const { who, uses, reconcile } of steps) {
        passed[who]! += takeMany(limiters[who]!, subject, limit, uses)
        if (reconcile) await limiters[who]!.reconcile()
      }
      assert.ok(passed.every((count) => count <= limit))
      for (const limiter of limiters) await limiter.reconcile()
      const [told] = (await pool.query('select used from rate_counts where subject = $1', [subject])).rows
      assert.equal(Number(told?.used ?? 0), passed[0]! + passed[1]!)
    }),
    { seed: seedFrom('LIMITER_SEED'), numRuns: 60 },
  )
})

test('while nobody can be told, a process keeps to the limit by itself and tells it later', async () => {
  const clock = { ms: Date.now() }
  let away = true
  const limiter = limiterOn(clock, (minute, uses) =>
    away ? Promise.reject(new Error('away')) : shareRateCounts(pool, minute, uses),
  )
  assert.equal(takeMany(limiter, 'later', 5, 3), 3)
  await limiter.reconcile()
  assert.equal(takeMany(limiter, 'later', 5, 9), 2)
  away = false
  await limiter.reconcile()
  const { rows } = await pool.query(`select used from rate_counts where subject = 'later'`)
  assert.equal(rows[0].used, '5')
})

test('far from its limit a subject is not told of, and old minutes are forgotten', async () => {
  const told: string[] = []
  const limiter = limiterOn({ ms: Date.now() }, async (_minute, uses) => {
    told.push(...uses.map(({ subject }) => subject))
    return uses
  })
  takeMany(limiter, 'busy', 1_000, 10)
  takeMany(limiter, 'quiet', 1_000, 9)
  await limiter.reconcile()
  assert.deepEqual(told, ['busy'])
  const minute = Math.floor(Date.now() / 60_000)
  await shareRateCounts(pool, minute - 20, [{ subject: 'old', used: 1 }])
  await shareRateCounts(pool, minute, [{ subject: 'new', used: 1 }])
  await deleteOldRateCounts(pool)
  const { rows } = await pool.query(`select subject from rate_counts where subject in ('old', 'new')`)
  assert.deepEqual(rows, [{ subject: 'new' }])
})

test('whoever was not seen yet has the whole limit, however many others have used theirs up', () => {
  const limiter = limiterOn({ ms: Date.now() }, alone, { subjectsMax: 100 })
  for (let n = 0; n < 1_000; n++) assert.equal(takeMany(limiter, `other ${n}`, 3, 4), 3)
  assert.equal(takeMany(limiter, 'unseen', 10, 20), 10)
  assert.equal(limiter.isSpent('unseen', 10), true)
})

test('no more are counted at once than there is room for, and the last of them stay counted', async () => {
  const told: string[] = []
  const share = async (_minute: number, uses: readonly { subject: string; used: number }[]) => {
    told.push(...uses.map(({ subject }) => subject))
    return uses
  }
  const limiter = limiterOn({ ms: Date.now() }, share, { subjectsMax: 100 })
  for (let n = 0; n < 1_000; n++) limiter.take(`subject ${n}`, 1)
  await limiter.reconcile()
  assert.deepEqual(
    told,
    Array.from({ length: 100 }, (_, n) => `subject ${900 + n}`),
  )
  assert.equal(limiter.isSpent('subject 999', 1), true)
})

test('to ask of somebody counts nobody and pushes nobody out', () => {
  const limiter = limiterOn({ ms: Date.now() }, alone, { subjectsMax: 10 })
  assert.equal(takeMany(limiter, 'spent', 3, 5), 3)
  for (let n = 0; n < 100; n++) assert.equal(limiter.isSpent(`asked ${n}`, 3), false)
  assert.equal(limiter.isSpent('spent', 3), true)
})

test('uses that nobody could be told of are kept, also when their subject is forgotten meanwhile', async () => {
  let refuse: (error: Error) => void = () => undefined
  const refused = () => new Promise<never>((_, reject) => (refuse = reject))
  const limiter = limiterOn({ ms: Date.now() }, refused, { subjectsMax: 1 })
  limiter.take('first', 3)
  const reconciling = limiter.reconcile()
  limiter.take('second', 3)
  refuse(new Error('away'))
  await reconciling
  assert.equal(takeMany(limiter, 'second', 3, 5), 2)
})
