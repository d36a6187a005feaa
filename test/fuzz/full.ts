import { seedFrom } from '../support/seeded-random.ts'
import { fuzz } from './run.ts'

/*
 * `npm run test:fuzz`: a million random requests, each answer held to the description. FUZZ_SEED repeats a run,
 * FUZZ_REQUESTS makes it shorter, FUZZ_SURFACE=site asks the operations that the dashboard alone has.
 */

const REQUESTS = 1_000_000

const seed = seedFrom('FUZZ_SEED')
console.log(`seed ${seed} (FUZZ_SEED)`)
const startedMs = performance.now()
const { faults, sent, answers, slowestMs, overloads } = await fuzz({
  seed,
  surface: process.env.FUZZ_SURFACE === 'site' ? 'site' : 'api',
  requests: Number(process.env.FUZZ_REQUESTS ?? REQUESTS),
  report: (line) => console.log(line),
})
for (const [operationId, statuses] of [...answers].sort()) {
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(`${operationId.padEnd(28)} ${counts.join('  ')}`)
}
for (const fault of faults) console.log(`FAULT ${fault}`)
const seconds = Math.round((performance.now() - startedMs) / 1_000)
console.log(
  `${sent} requests in ${seconds} s, slowest ${Math.round(slowestMs)} ms, ${overloads} asked again, ${faults.length} faults`,
)
process.exitCode = faults.length === 0 ? 0 : 1
