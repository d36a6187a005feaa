import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../test/support/automations.ts'
import { readAll, startAtEnd, watched } from '../../../test/support/outbox-rows.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { enrollAutomations } from '../../modules/automations/entry/enroll-automations.ts'
import { createPool } from '../db/pool.ts'
import { ALL_WORKSPACES, queryInScope } from '../db/transaction.ts'
import { RANGE_ROWS_MAX } from './consumer.ts'
import { positionBefore } from './ticks.ts'

const { database, pool, workspaceId } = await testWorkspace()
await startAtEnd(pool, enrollAutomations)

test('a tick by a clock that has gone back leaves out nothing of what was recorded before that', async () => {
  const reader = createPool({ name: 'sql', url: database.url, max: 1, patience: 20 })
  try {
    await queryInScope(pool, workspaceId, { text: LISTENING_AUTOMATION, values: [workspaceId, 'bought'] })
    const [recorded] = await queryInScope<{ position: string; at: string }>(pool, workspaceId, {
      text: `insert into outbox (workspace_id, type, name, subject, data, occurred_at)
        values ($1, 'event.recorded', 'bought', 'ada', '{}', now()) returning position, recorded_at as at`,
      values: [workspaceId],
    })
    await reader.query(`select set_config('postroom.clock', (now() - interval '1 hour')::text, false)`)
    await readAll(watched(reader), enrollAutomations, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
    const [before] = await queryInScope<{ position: string }>(pool, ALL_WORKSPACES, {
      text: `select ${positionBefore('$1::timestamptz')} as position`,
      values: [recorded!.at],
    })
    assert.ok(BigInt(before!.position) < BigInt(recorded!.position), `${before!.position} ${recorded!.position}`)
    const { rows } = await pool.query('select from log_ticks')
    assert.equal(rows.length, 1)
  } finally {
    await reader.end()
  }
})
