import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../test/support/automations.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { RUN_NEEDS } from './run-partitions.ts'

const { pool, workspaceId } = await testWorkspace()

test('the month of a trace stays while somebody is on it', async () => {
  const [automation] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: LISTENING_AUTOMATION,
    values: [workspaceId, 'began'],
  })
  await queryInScope(pool, workspaceId, {
    text: `insert into runs (workspace_id, automation_id, version, contact_id, entry_key, created_at, entered_at, depth, node, visit,
        state, at, at_position)
      values ($1, $2, 1, 7, '', '2026-03-31T23:59:59Z', now(), 0, 'a', 1, 'waiting', now(), 0)`,
    values: [workspaceId, automation!.id],
  })
  const need = RUN_NEEDS.find(({ table }) => table === 'run_steps')!
  const isNeeded = (from: string, to: string) =>
    inTransaction(pool, ALL_WORKSPACES, (tx) =>
      need.isNeeded(tx, { name: 'run_steps_p', from: new Date(from), to: new Date(to) }),
    )
  assert.equal(await isNeeded('2026-03-01', '2026-04-01'), true)
  assert.equal(await isNeeded('2026-04-01', '2026-05-01'), false)
})
