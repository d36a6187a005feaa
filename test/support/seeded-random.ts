import { createHash } from 'node:crypto'

/** Numbers in [0, 1) that are the same again for the same seed (mulberry32), so that a failure can be run again. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * A test's seed: the environment variable of its name; else one that follows from the run's `POSTROOM_SEED`, which `npm test`
 * sets to that of its sources; else a new one.
 */
export function seedFrom(variable: string, env: NodeJS.ProcessEnv = process.env): number {
  if (env[variable] !== undefined) return Number(env[variable])
  if (env.POSTROOM_SEED === undefined) return Math.floor(Math.random() * 2 ** 31)
  const digest = createHash('sha256').update(`${env.POSTROOM_SEED} ${variable}`).digest()
  return digest.readUInt32BE() >>> 1
}
