import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, automationWorld, turnsOf } from '../../../../test/support/automation-by-hand.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { putEntries } from '../entry/put-entries.ts'

const { pool, workspaceId, rows, readLog } = await automationWorld()

test('whoever comes in without an event is there for what happens at that very moment', async () => {
  const nodes = { rest: { type: 'wait', for: [{ event: 'paid', to: 'end' }], timeout: 'P1D', late: 'late' } }
  const late = { late: { type: 'delay', days: 1, to: 'end' } }
  const key = await automationByHand(pool, workspaceId, {
    ...{ format: 1, enter: { on: [{ manual: true }] }, start: 'rest', nodes: { ...nodes, ...late } },
  })
  const [contact] = await rows<{ id: string }>(
    `insert into contacts (workspace_id, subject_id) values ($1, 'ada') returning id`,
    [workspaceId],
  )
  const at = new Date().toISOString()
  await inTransaction(pool, workspaceId, (tx) =>
    putEntries(tx, key, { wanting: [{ contactId: contact!.id, depth: 0 }], at }),
  )
  await rows(
    `insert into outbox (tx, workspace_id, type, name, subject, contact_id, data, occurred_at, recorded_at)
      values ((select outbox_tx()), $1, 'event.recorded', 'paid', 'ada', $2, '{}', $3, $3)`,
    [workspaceId, contact!.id, at],
  )
  await readLog()
  await turnsOf(pool, key)
  assert.deepEqual(await rows('select state, node from ended_runs'), [{ state: 'completed', node: 'rest' }])
})
