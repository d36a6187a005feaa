import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withClient } from '../../../test/support/test-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { analyzeEvents } from './analyze-events.ts'

const { database, pool, workspaceId } = await testWorkspace()

test('the planner knows how many people are behind the events of all partitions', async () => {
  await inTransaction(pool, workspaceId, async (tx) => {
    await tx.query(
      `insert into events (workspace_id, id, recorded_at, type, name, subject, contact_id, data, occurred_at)
       select $1, n, now(), 'event.recorded', 'page.viewed', '', n % 300, '{}', now() from generate_series(1, 5000) n`,
      [workspaceId],
    )
  })
  await analyzeEvents(pool)
  const text = `select stadistinct as people from pg_statistic
    where starelid = 'events'::regclass and stainherit
      and staattnum = (select attnum from pg_attribute where attrelid = 'events'::regclass and attname = 'contact_id')`
  const { rows } = await withClient(database.superuserUrl, (client) => client.query<{ people: number }>(text))
  assert.ok(Math.abs((rows[0]?.people ?? 0) - 300) < 10, JSON.stringify(rows))
})
