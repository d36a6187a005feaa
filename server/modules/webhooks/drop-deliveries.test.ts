import assert from 'node:assert/strict'
import test from 'node:test'
import { laneBench, makeDue, newLane, queueRows } from '../../../test/support/lanes.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { dropDeliveries } from './drop-deliveries.ts'

const bench = await laneBench()

test('a delivery whose attempt is being recorded while its endpoint is taken away goes too', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const [first] = await queueRows(bench, lane)
  const recording = await openTransaction(bench.pool, (tx) =>
    tx.query(`update delivery_queue set attempt = 1, due_at = now() + interval '5 seconds' where delivery_id = $1`, [
      first!.id,
    ]),
  )
  const dropping = dropDeliveries(bench.pool, lane, () => false)
  await somebodyWaits(bench.pool)
  await recording.commit()
  assert.equal(await dropping, 'done')
  assert.deepEqual(await queueRows(bench, lane), [])
})
