import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FuzzResult, fuzz } from '../fuzz/run.ts'
import { seedFrom } from '../support/seeded-random.ts'

/** So many are sent anyway, and up to the second number until enough operations were done; `npm run test:fuzz` sends a million. */
const [REQUESTS_MIN, REQUESTS_MAX] = [10_000, 20_000]
/**
 * Of the operations, those that random requests must have brought to succeed: refusals alone would prove little. A
 * broadcast that goes out needs a sender, a verified domain and an audience at once, which chance does not make.
 */
const DONE_SHARE_MIN = 0.8
const doneShare = ({ answers }: FuzzResult) =>
  [...answers.values()].filter((statuses) => [...statuses.keys()].some((status) => status < 300)).length / answers.size

/** Of the dashboard alone there are some fifty; most of their ids are made by mail, or by somebody else. */
const SITE_REQUESTS = 2_500
const SITE_DONE_SHARE_MIN = 0.4

test('no request whatsoever to the dashboard’s own operations is answered otherwise', async (t) => {
  const seed = seedFrom('FUZZ_SEED')
  t.diagnostic(`seed ${seed} (FUZZ_SEED)`)
  const requests = Number(process.env.FUZZ_REQUESTS ?? SITE_REQUESTS)
  const result = await fuzz({ seed, surface: 'site', requests, report: (line) => t.diagnostic(line) })
  for (const fault of result.faults) t.diagnostic(fault)
  assert.equal(result.faults.length, 0, 'each fault is told above, with its request')
  assert.ok(doneShare(result) >= SITE_DONE_SHARE_MIN, `${doneShare(result)} of all operations were done`)
})

test('no request whatsoever is answered other than the description says, late, or with what is inside', async (t) => {
  const seed = seedFrom('FUZZ_SEED')
  t.diagnostic(`seed ${seed} (FUZZ_SEED)`)
  const given = process.env.FUZZ_REQUESTS
  const result = await fuzz({
    seed,
    requests: Number(given ?? REQUESTS_MAX),
    isEnough: (so) => given === undefined && so.sent >= REQUESTS_MIN && doneShare(so) >= DONE_SHARE_MIN,
    report: (line) => t.diagnostic(line),
  })
  const { faults, sent, slowestMs, overloads } = result
  t.diagnostic(`${sent} requests, slowest ${Math.round(slowestMs)} ms, ${overloads} asked again`)
  for (const fault of faults) t.diagnostic(fault)
  assert.equal(faults.length, 0, 'each fault is told above, with its request')
  assert.ok(doneShare(result) >= DONE_SHARE_MIN, `${doneShare(result)} of all operations were done`)
})
