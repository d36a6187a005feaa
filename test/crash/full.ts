import { seedFrom } from '../support/seeded-random.ts'
import { runScenario } from './scenario.ts'

/*
 * `npm run test:crash`: 200 kills while 1,000,000 events arrive. Fewer with CRASH_KILLS and CRASH_EVENTS; CRASH_SEED
 * repeats a run.
 */
const seed = seedFrom('CRASH_SEED')
console.log(`seed ${seed} (CRASH_SEED)`)
const result = await runScenario({
  seed,
  kills: Number(process.env.CRASH_KILLS ?? 200),
  eventsMin: Number(process.env.CRASH_EVENTS ?? 1_000_000),
  batchMax: 500,
  connections: 8,
  pauseMsMax: 1_500,
  gapMs: { min: 200, max: 5_000 },
  pointShare: 0.5,
  databaseShare: 0.2,
  drainMs: 600_000,
  report: (line) => console.log(line),
})
console.log(JSON.stringify(result, null, 2))
const { recovered: _, ...faults } = result.verdict
const clean = Object.values(faults).every((count) => count === 0)
console.log(clean ? 'Nothing acknowledged was lost or doubled.' : 'FAULTS FOUND')
process.exitCode = clean ? 0 : 1
