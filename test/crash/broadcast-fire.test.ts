import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedFrom } from '../support/seeded-random.ts'
import { SENDING_POINTS, sendUnderFire } from './broadcast-fire.ts'

const number = (name: string, otherwise: number) => Number(process.env[name] ?? otherwise)

/** The long form: FIRE_RECIPIENTS=100000 FIRE_KILLS=50 FIRE_PAUSES=20 FIRE_LIMIT_CHANGES=10 FIRE_UNSUBSCRIBES=5000. */
test('a broadcast under fire: each person one outcome, nobody after unsubscribing, the sum fits at every look', {
  timeout: 3_600_000,
}, async (t) => {
  const seed = seedFrom('FIRE_SEED')
  t.diagnostic(`seed ${seed} (FIRE_SEED)`)
  const recipients = number('FIRE_RECIPIENTS', 5_000)
  const result = await sendUnderFire({
    seed,
    recipients,
    workers: 2,
    kills: number('FIRE_KILLS', 5),
    pauses: number('FIRE_PAUSES', 4),
    limitChanges: number('FIRE_LIMIT_CHANGES', 5),
    unsubscribes: number('FIRE_UNSUBSCRIBES', 500),
    deadlineMs: number('FIRE_MINUTES', 8) * 60_000,
    report: (line) => t.diagnostic(line),
  })
  const { unfitSamples, outcomesWrong, copies, missing, unexpected, afterUnsubscribe, miscounted } = result
  t.diagnostic(JSON.stringify(result))
  assert.deepEqual(
    { unfitSamples, outcomesWrong, copies, missing, unexpected, afterUnsubscribe, miscounted },
    { unfitSamples: [], outcomesWrong: 0, copies: 0, missing: 0, unexpected: 0, afterUnsubscribe: 0, miscounted: 0 },
  )
  assert.equal(result.states.pending ?? 0, 0)
  assert.ok(result.unsubscribedInTime > 0, 'some unsubscribed before their turn')
  assert.ok(result.samples > 10)
  const died = SENDING_POINTS.filter((point) => result.diedAt[point] !== undefined)
  assert.ok(died.length > 0 || result.passedOver < 2, 'nobody died between two commits of sending: this proves little')
})
