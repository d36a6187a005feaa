import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedFrom } from '../support/seeded-random.ts'
import { NO_FAULTS } from './ledger.ts'
import { runScenario } from './scenario.ts'

test('nothing acknowledged is lost or doubled when the process is killed over and over', async (t) => {
  const seed = seedFrom('CRASH_SEED')
  t.diagnostic(`seed ${seed} (CRASH_SEED)`)
  const result = await runScenario({
    seed,
    kills: 10,
    eventsMin: 5_000,
    batchMax: 100,
    connections: 4,
    pauseMsMax: 20,
    gapMs: { min: 200, max: 1_200 },
    pointShare: 0.6,
    databaseShare: 0.25,
    drainMs: 60_000,
    reportEveryMs: 10_000,
    report: (line) => t.diagnostic(line),
  })
  t.diagnostic(JSON.stringify(result))
  const { recovered, ...faults } = result.verdict
  assert.deepEqual(faults, NO_FAULTS)
  assert.ok(result.acknowledged > 0, 'some batches were acknowledged')
  assert.ok(recovered <= result.unknown)
})
