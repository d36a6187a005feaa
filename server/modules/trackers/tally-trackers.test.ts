import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { errorCode } from '../../platform/db/errors.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createTracker } from './manage-trackers.ts'
import { createTrackerTally } from './tally-trackers.ts'

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
const errors: unknown[] = []
/** It tells only when it is asked to. */
const tally = createTrackerTally(pool, { onError: (error) => errors.push(errorCode(error)), everyMs: 1_000_000 })
after(() => tally.stop())

async function tracker(name: string) {
  const workspace = await createWorkspace(pool)
  const { id } = await createTracker({ sql: pool }, callerOf(workspace), { name })
  const sums = async () => {
    const counted = await queryInScope<{ events: string }>(pool, workspace, {
      text: 'select events from tracker_days where workspace_id = $1',
      values: [workspace],
    })
    const refused = await queryInScope<{ origin: string }>(pool, workspace, {
      text: 'select origin from tracker_refusals where workspace_id = $1',
      values: [workspace],
    })
    return { events: counted.map(({ events }) => Number(events)), refused: refused.map(({ origin }) => origin) }
  }
  return { which: { workspaceId: workspace, id }, sums }
}

test('the counts of all other trackers are kept when one is deleted meanwhile', async () => {
  const gone = await createTracker({ sql: pool }, caller, { name: 'Gone' })
  const stays = await tracker('Stays')
  tally.note({ workspaceId, id: gone.id }, 'accepted', 1)
  tally.note(stays.which, 'accepted', 7)
  tally.noteRefusal({ workspaceId, id: gone.id }, 'https://gone.example')
  tally.noteRefusal(stays.which, 'https://stays.example')
  const deleting = await openTransaction(
    pool,
    (tx) => tx.query('delete from trackers where workspace_id = $1 and id = $2', [workspaceId, gone.id]),
    workspaceId,
  )
  const told = tally.tell()
  await somebodyWaits(pool)
  await deleting.commit()
  await told
  assert.deepEqual(errors, [])
  assert.deepEqual(await stays.sums(), { events: [7], refused: ['https://stays.example'] })
})

test('what was counted is told the next time when the connection is lost that writes it', async () => {
  const { which, sums } = await tracker('Cut off')
  tally.note(which, 'accepted', 3)
  tally.noteRefusal(which, 'https://shop.example')
  const busy = await openTransaction(pool, (tx) =>
    tx.query('select from trackers where workspace_id = $1 for update', [which.workspaceId]),
  )
  const told = tally.tell()
  await somebodyWaits(pool)
  tally.note(which, 'accepted', 2)
  await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`)
  await told
  await busy.commit()
  assert.deepEqual(await sums(), { events: [], refused: [] })
  await tally.tell()
  assert.deepEqual(await sums(), { events: [5], refused: ['https://shop.example'] })
  assert.equal(errors.splice(0).length, 1)
})
