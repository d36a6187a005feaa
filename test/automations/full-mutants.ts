import { fileURLToPath } from 'node:url'
import { seedFrom } from '../support/seeded-random.ts'
import { MUTANTS } from './mutants.ts'
import type { Mutant } from './mutate.ts'
import { runWorlds } from './run-worlds.ts'

/*
 * `npm run test:mutants`: each mutant of the engine, in a process of its own, against the model test; it has to be found within a
 * thousand worlds. With words behind it only the mutants that have them in their names. AUTOMATION_SEED repeats a run.
 */

/** Worlds that go together: most mutants are found among the first, so few of them have to be gone through to know. */
const BATCHES = [128, 384, 488]
const WORLDS_MAX = BATCHES.reduce((sum, worlds) => sum + worlds, 0)
/** An engine that is wrong may stand still; a right one settles in seconds. */
const SETTLED_SECONDS = 60
const HOOK = fileURLToPath(new URL('./mutate-sources.ts', import.meta.url))

type Found = { worlds: number; seed: number; why: string }

/** How many worlds it took, and the seed of the last ones; undefined where it was not found. */
async function huntDown({ name }: Mutant, seed: number): Promise<Found | undefined> {
  const more = {
    AUTOMATION_MUTANT: name,
    AUTOMATION_BATCHES: BATCHES.join(),
    AUTOMATION_SETTLED_SECONDS: String(SETTLED_SECONDS),
  }
  const end = await runWorlds({ seed, worlds: WORLDS_MAX, more, hook: HOOK })
  if (end.passed) return undefined
  if (end.seed === undefined || end.output.includes('it was no mutant'))
    throw new Error(`${name} failed otherwise: ${end.output}`)
  let worlds = 0
  for (const batch of BATCHES) if (seed + worlds <= end.seed) worlds += batch
  return { worlds, seed: end.seed, why: end.why }
}

const wanted = process.argv.slice(2).join(' ')
const seed = seedFrom('AUTOMATION_SEED')
const startedMs = performance.now()
const secondsSince = (ms: number) => Math.round((performance.now() - ms) / 1_000)
console.log(`seed ${seed} (AUTOMATION_SEED)`)
let survivors = 0
for (const mutant of MUTANTS.filter(({ name }) => name.includes(wanted))) {
  const beganMs = performance.now()
  const found = await huntDown(mutant, seed)
  if (found === undefined) survivors += 1
  const told =
    found === undefined
      ? `NOT FOUND in ${WORLDS_MAX} worlds`
      : `found within ${found.worlds} worlds, AUTOMATION_SEED=${found.seed}: ${found.why}`
  console.log(`${mutant.name}: ${told} (${secondsSince(beganMs)} s)`)
}
console.log(`${survivors} not found, in ${secondsSince(startedMs)} s`)
process.exitCode = survivors === 0 ? 0 : 1
