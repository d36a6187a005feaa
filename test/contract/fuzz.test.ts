import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fuzz } from '../fuzz/run.ts'
import { seedFrom } from '../support/seeded-random.ts'

const REQUESTS = 20_000
/**
 * Of the operations, those that random requests must have brought to succeed: refusals alone would prove little. A
 * broadcast that goes out needs a sender, a verified domain and an audience at once, which chance does not make.
 */
const DONE_SHARE_MIN = 0.8

test('no request whatsoever is answered other than the description says, late, or with what is inside', async (t) => {
  const seed = seedFrom('FUZZ_SEED')
  t.diagnostic(`seed ${seed} (FUZZ_SEED)`)
  const { faults, sent, answers, slowestMs, overloads } = await fuzz({
    seed,
    requests: Number(process.env.FUZZ_REQUESTS ?? REQUESTS),
    report: (line) => t.diagnostic(line),
  })
  t.diagnostic(`${sent} requests, slowest ${Math.round(slowestMs)} ms, ${overloads} asked again`)
  for (const fault of faults) t.diagnostic(fault)
  assert.equal(faults.length, 0, 'each fault is told above, with its request')
  const done = [...answers.values()].filter((statuses) => [...statuses.keys()].some((status) => status < 300))
  assert.ok(done.length >= answers.size * DONE_SHARE_MIN, `${done.length} of ${answers.size} operations were done`)
})
