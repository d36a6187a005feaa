/** A process of its own that runs one turn, for tests in which it dies in the middle. */
import { armCrashPoint } from '../crash-point.ts'
import { createPool } from '../db/pool.ts'
import { runTurn } from './run-turn.ts'
import { errandTurns, type Lane } from './testing.ts'

const [url, job, point] = process.argv.slice(2) as [string, string, string]
const die = () => process.kill(process.pid, 'SIGKILL')
const [moment, passes = '1'] = point.split(':')
let left = Number(passes)
const passing = (name: string) => {
  if (name === moment && --left === 0) die()
}

armCrashPoint(point)
const pool = createPool({ name: 'pgx', url, max: 4 })
const turns = errandTurns(pool, { atOnce: 3, run: async () => passing('work_begun') })
const open: typeof turns.open = async (turn) => {
  const work = (await turns.open(turn))!
  return {
    ...work,
    async record(result) {
      passing('before_record')
      const written = await work.record(result)
      passing('after_record')
      return written
    },
  }
}
await runTurn({ ...turns, open }, JSON.parse(job) as Lane & { jobId: string }, new AbortController().signal)
await pool.end()
