import { seedFrom } from '../support/seeded-random.ts'
import { runWorlds, WORLDS_A_PIECE } from './run-worlds.ts'

/*
 * `npm run test:model`: the engine of automations held to its interpreter in a million random worlds, or in as many as are asked for
 * (`npm run test:model -- 2000`). AUTOMATION_SEED repeats a run.
 */

const WORLDS = 1_000_000

const worlds = Number(process.argv[2] ?? WORLDS)
const seed = seedFrom('AUTOMATION_SEED')
const startedMs = performance.now()
console.log(`${worlds} worlds from seed ${seed} (AUTOMATION_SEED)`)
for (let done = 0; done < worlds; done += WORLDS_A_PIECE) {
  const piece = { seed: seed + done, worlds: Math.min(WORLDS_A_PIECE, worlds - done) }
  const end = await runWorlds(piece)
  if (!end.passed) {
    console.log(end.output)
    console.log(`FAULT within ${piece.worlds} worlds from seed ${end.seed ?? piece.seed}`)
    process.exitCode = 1
    break
  }
  const seconds = Math.round((performance.now() - startedMs) / 1_000)
  console.log(`${done + piece.worlds} worlds in ${seconds} s, each as the interpreter says`)
}
