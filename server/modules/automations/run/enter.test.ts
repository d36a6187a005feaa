import assert from 'node:assert/strict'
import { test } from 'node:test'
import { automationByHand, turnsOf } from '../../../../test/support/automation-by-hand.ts'
import { readAll, watched } from '../../../../test/support/outbox-rows.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { persistEvent } from '../../events/persist-event.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { putEntries } from '../entry/put-entries.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
await migrateJobs(pool, ['default'])
await registerGroups(pool, [persistEvent, enrollAutomations])

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
  for (const group of [persistEvent, enrollAutomations])
    await readAll(watched(pool), group, { rowsMax: 5_000, attempts: 0 })
  await turnsOf(pool, key)
  assert.deepEqual(await rows('select state, node from ended_runs'), [{ state: 'completed', node: 'rest' }])
})
