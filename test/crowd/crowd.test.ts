import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedFrom } from '../support/seeded-random.ts'
import { crowdStorm } from './storm.ts'

/** Of the short form; `npm run test:crowd` has more. */
const ACTS = 200

test('whatever many people do at once to few things, all adds up, nothing is lost or doubled, and no answer is an error', async (t) => {
  const seed = seedFrom('CROWD_SEED')
  t.diagnostic(`seed ${seed} (CROWD_SEED)`)
  const { faults, requests, mails, deliveries } = await crowdStorm({
    ...{ seed, connections: 24, acts: ACTS },
    report: (line) => t.diagnostic(line),
  })
  t.diagnostic(`${requests} requests, ${mails} mails, ${deliveries} deliveries`)
  assert.deepEqual(faults, [])
  assert.ok(mails > 0 && deliveries > 0, 'some mails and deliveries came')
})
