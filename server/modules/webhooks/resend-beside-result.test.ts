import assert from 'node:assert/strict'
import test from 'node:test'
import { beginNamed, laneBench, makeDue, newLane, queueRows, resultFor } from '../../../test/support/lanes.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { callerOf } from '../../../test/support/workspace.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { readDelivery, resendDelivery } from './manage-deliveries.ts'
import { recordAttempts } from './record-attempts.ts'

const bench = await laneBench()
const { pool, workspaceId, deps } = bench

test('a delivery that is sent again while the result of its attempt is written is left to that attempt, and neither waits for the other in vain', async () => {
  const lane = await newLane(bench)
  await makeDue(bench, lane)
  const [claimed] = await claimDeliveries(pool, await beginNamed(bench, lane), 1)
  const key = { endpointId: lane.endpointId, id: claimed!.deliveryId }
  // Somebody has the delivery's row: both have begun, and wait, before either has it.
  const other = await openTransaction(
    pool,
    (tx) => tx.query('select from deliveries where workspace_id = $1 and id = $2 for update', [workspaceId, key.id]),
    workspaceId,
  )
  const resent = resendDelivery(deps, callerOf(workspaceId), key)
  resent.catch(() => undefined)
  await somebodyWaits(pool, 1)
  const recorded = recordAttempts(pool, [resultFor(claimed!)])
  recorded.catch(() => undefined)
  await somebodyWaits(pool, 2)
  await other.commit()
  assert.deepEqual([(await resent).id, await recorded], [key.id, 1])
  assert.equal((await readDelivery(deps, workspaceId, key)).state, 'delivered')
  assert.deepEqual(await queueRows(bench, lane), [])
})
