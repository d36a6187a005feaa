import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { seedFrom } from '../support/seeded-random.ts'
import { MUTANTS, type Mutant } from './mutants.ts'
import { mutated } from './mutate.ts'
import { runWorlds } from './run-worlds.ts'

/*
 * `npm run test:mutants`: each mutant of the engine, in a copy of the sources, against the model test; it has to be found within a
 * thousand worlds. With words behind it only the mutants that have them in their names. AUTOMATION_SEED repeats a run.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Worlds of one process each: most mutants are found in the first, so few of them have to be gone through to know. */
const PIECES = [128, 128, 256, 488]
const WORLDS_MAX = PIECES.reduce((sum, worlds) => sum + worlds, 0)
const COPIED = ['server', 'test', 'migrations', 'dashboard/features', 'dashboard/lib', 'bin', 'package.json']

async function copyOf({ changes }: Mutant): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'mutant-'))
  for (const path of COPIED) await cp(join(ROOT, path), join(root, path), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  for (const change of changes) {
    const path = join(root, change.file)
    await writeFile(path, mutated(await readFile(path, 'utf8'), change))
  }
  return root
}

type Found = { worlds: number; seed: number; why: string }

/** How many worlds it took, and the seed of the last ones; undefined where it was not found. */
async function huntDown(mutant: Mutant, seed: number): Promise<Found | undefined> {
  const root = await copyOf(mutant)
  try {
    let done = 0
    for (const worlds of PIECES) {
      const end = await runWorlds({ root, seed: seed + done, worlds })
      done += worlds
      if (end.passed) continue
      if (end.seed === undefined) throw new Error(`${mutant.name} failed otherwise: ${end.output}`)
      return { worlds: done, seed: end.seed, why: end.why }
    }
    return undefined
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const wanted = process.argv.slice(2).join(' ')
const seed = seedFrom('AUTOMATION_SEED')
console.log(`seed ${seed} (AUTOMATION_SEED)`)
let survivors = 0
for (const mutant of MUTANTS.filter(({ name }) => name.includes(wanted))) {
  const startedMs = performance.now()
  const found = await huntDown(mutant, seed)
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  if (found === undefined) survivors += 1
  const told =
    found === undefined
      ? `NOT FOUND in ${WORLDS_MAX} worlds`
      : `found within ${found.worlds} worlds, AUTOMATION_SEED=${found.seed}: ${found.why}`
  console.log(`${mutant.name}: ${told} (${seconds} s)`)
}
process.exitCode = survivors === 0 ? 0 : 1
