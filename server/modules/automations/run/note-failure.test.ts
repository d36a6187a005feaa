import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../../test/support/automations.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { ATTEMPTS_MAX, noteFailure } from './note-failure.ts'

const { pool, workspaceId } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[]) => queryInScope<R>(pool, workspaceId, { text, values })

test('an exit of a parked run that fails is tried again later and later, and never lost', async () => {
  const [automation] = await rows<{ id: string }>(LISTENING_AUTOMATION, [workspaceId, 'failing'])
  const id = automation!.id
  await rows(
    `insert into automation_lanes (workspace_id, automation_id, slot, state, job_id, turn)
     values ($1, $2, 0, 'running', gen_random_uuid(), 1)`,
    [workspaceId, id],
  )
  const [run] = await rows<{ id: string }>(
    `insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at,
       at_position, attempts)
     values ($1, $2, 1, 2, '', now(), 0, 'a', 1, 'parked', now(), 0, ${ATTEMPTS_MAX}) returning id`,
    [workspaceId, id],
  )
  await rows(
    `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
     values ($1, $2, 0, 2, $3, 'exit', 7, now() - interval '1 day', 1, 0)`,
    [workspaceId, id, run!.id],
  )
  const turn = { workspaceId, automationId: id, slot: 0, turn: '1', jobId: '' }
  const waits: number[] = []
  for (let n = 0; n < 14; n++) {
    const through = '9999-01-01T00:00:00Z'
    const noted = await noteFailure(pool, turn, { error: new Error('no'), through, passing: [] })
    assert.deepEqual(noted, { contactId: '2', parkedAt: null })
    const [row] = await rows<{ wait: number }>(
      'select round(extract(epoch from due_at - now()) / 2)::int as wait from run_queue where automation_id = $1',
      [id],
    )
    waits.push(row!.wait)
  }
  assert.deepEqual(waits.slice(0, 4), [1, 2, 4, 8])
  assert.deepEqual(waits.slice(-2), [1_024, 1_024])
})
