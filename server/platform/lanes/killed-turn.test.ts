import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { runTurn } from './run-turn.ts'
import { errandBench, errandTurns } from './testing.ts'

const ERRANDS = 12
/** As many as the process has under way or unrecorded (testing-turn.ts): what it may have done without a trace. */
const DOUBLED_MAX = 6
const POINTS = [
  'errand_turn_begun',
  'errand_turn_claimed',
  'errand_turn_claimed:3',
  'work_begun',
  'work_begun:5',
  'before_record',
  'before_record:4',
  'after_record',
  'after_record:4',
  'errand_turn_before_end',
  'errand_turn_ended',
]

const { pool, url, rows, newLane, laneOf, errandsOf, makeDue } = await errandBench()

for (const point of POINTS) {
  test(`killed at ${point}: the next turn does the rest, and what was recorded is not done again`, async () => {
    const lane = await newLane()
    const ids = await makeDue(lane, ERRANDS)
    const job = { ...lane, jobId: (await laneOf(lane)).job_id as string }
    const child = fork(new URL('testing-turn.ts', import.meta.url), [url, JSON.stringify(job), point], { execArgv: [] })
    const [, signal] = await once(child, 'exit')
    assert.equal(signal, 'SIGKILL', 'it did not come to this point')
    const left = new Set((await errandsOf(lane)).map(({ id }) => id))
    const recorded = ids.filter((id) => !left.has(id))
    const doneBefore = await doneOf(ids)

    await runTurn(errandTurns(pool), job, new AbortController().signal)
    assert.deepEqual(await errandsOf(lane), [])
    assert.equal((await laneOf(lane)).state, 'idle')
    const times = await doneOf(ids)
    assert.ok([...times.values()].every((n) => n >= 1))
    for (const id of recorded) assert.equal(times.get(id), doneBefore.get(id))
    const doubled = [...times.values()].reduce((sum, n) => sum + n - 1, 0)
    assert.ok(doubled <= DOUBLED_MAX, `${doubled} were done twice`)
  })
}

/** How often each was done. */
async function doneOf(ids: readonly string[]): Promise<Map<string, number>> {
  const counted = await rows(
    `select given.id, (select count(*)::int from done where done.id = given.id) as times
     from unnest($1::bigint[]) as given (id)`,
    [ids],
  )
  return new Map(counted.map(({ id, times }) => [id as string, times as number]))
}
