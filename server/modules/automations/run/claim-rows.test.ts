import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../../test/support/automations.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { dueRows, firstOfEach } from './claim-rows.ts'

const { pool, workspaceId } = await testWorkspace()

test('however few rows are claimed at once, an event ends a wait before it brings anybody in', async () => {
  const kinds = await inTransaction(pool, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(LISTENING_AUTOMATION, [workspaceId, 'levelled'])
    const automationId = rows[0]!.id
    const add = (kind: string, runId: number) =>
      tx.query(
        `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
         values ($1, $2, 0, 2, $3, $4, 7, now())`,
        [workspaceId, automationId, runId, kind],
      )
    // In the order in which rows would be met that have nothing but their moment and position.
    await add('entry', 0)
    await add('wait', 9)
    await add('goal', 9)
    const turn = { workspaceId, automationId, slot: 0, turn: '1', jobId: '' }
    const claimed = []
    for (const limit of [1, 2, 3, 4]) {
      const due = await dueRows(tx, turn, { through: '9999-01-01T00:00:00Z', isPaused: false, limit })
      claimed.push(...firstOfEach(due, due.length >= limit))
    }
    return claimed.map(({ kind }) => kind)
  })
  assert.deepEqual(kinds, ['goal', 'goal', 'goal', 'goal'])
})
