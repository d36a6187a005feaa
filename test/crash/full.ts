import { seedFrom } from '../support/seeded-random.ts'
import { type Kills, type Result, runScenario } from './scenario.ts'

/*
 * `npm run test:crash`: kills for CRASH_MINUTES (8) while events arrive, and judges what is left; about ten minutes in all. It
 * ends sooner with CRASH_KILLS and CRASH_EVENTS done; `CRASH_MINUTES=60` has all 200 and 1,000,000. CRASH_SEED repeats a run.
 * The last line is the verdict; the status is 0 for a good one, 1 for faults, 2 where none could be reached.
 */
const PROGRESS_EVERY_MS = 15_000
/** A point that was passed over so often, and at which nobody has died, is none: the run would prove nothing of it. */
const PASSED_OVER_MAX = 3

const seed = seedFrom('CRASH_SEED')
const minutes = Number(process.env.CRASH_MINUTES ?? 8)
const beganMs = performance.now()
const report = (line: string) =>
  console.log(`${((performance.now() - beganMs) / 1_000).toFixed(0).padStart(4)} s  ${line}`)
report(`seed ${seed} (CRASH_SEED), kills for ${minutes} minutes at most (CRASH_MINUTES)`)
const result = await runScenario({
  seed,
  kills: Number(process.env.CRASH_KILLS ?? 200),
  eventsMin: Number(process.env.CRASH_EVENTS ?? 1_000_000),
  forMs: minutes * 60_000,
  batchMax: 500,
  connections: 8,
  pauseMsMax: 1_500,
  gapMs: { min: 200, max: 5_000 },
  pointShare: 0.5,
  databaseShare: 0.2,
  drainMs: 300_000,
  reportEveryMs: PROGRESS_EVERY_MS,
  report,
}).catch((error: unknown) => {
  console.error(error)
})
process.exitCode = result === undefined ? 2 : verdictOf(result)
if (result === undefined) report('NO VERDICT: the run broke off, as said above')

function verdictOf(result: Result): 0 | 1 {
  console.log(JSON.stringify(result, null, 2))
  const { recovered: _, ...faults } = result.verdict
  const unreached = unreachedOf(result.kills)
  if (unreached.length > 0) report(`nobody has ever died at ${unreached.join(', ')}`)
  const isClean =
    Object.values(faults).every((count) => count === 0) && result.acknowledged > 0 && unreached.length === 0
  const { random, withDatabase, points } = result.kills
  const atPoints = Object.values(points).reduce((sum, count) => sum + count, 0)
  report(`${random + withDatabase + atPoints} kills, ${atPoints} of them at points, ${withDatabase} with the database`)
  report(`${result.eventsAcknowledged} events acknowledged, of ${result.events} in ${result.batches} batches`)
  report(isClean ? 'VERDICT: nothing acknowledged was lost or doubled' : 'VERDICT: FAULTS FOUND')
  return isClean ? 0 : 1
}

function unreachedOf({ points, passedOver }: Kills): string[] {
  return Object.keys(passedOver).filter((point) => points[point] === undefined && passedOver[point]! >= PASSED_OVER_MAX)
}
