import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../../test/support/automations.ts'
import { readAll, startAtEnd, watched } from '../../../../test/support/outbox-rows.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../../platform/outbox/consumer.ts'
import { enrollAutomations } from './enroll-automations.ts'

const { database, pool, workspaceId } = await testWorkspace()
await startAtEnd(pool, enrollAutomations)
/** One connection, which tells at once what it has read. */
const reader = secondProcess(database, { connections: 1 })

const CONTACTS = 20_000
const EVENTS = 2_000

/** Entries of indexes and rows of the contacts, and of those merged, that were read so far. */
async function readSoFar(): Promise<number> {
  await reader.query('select pg_stat_force_next_flush()')
  const { rows } = await reader.query<{ n: string }>(
    `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) + (select sum(idx_tup_read) from pg_stat_user_indexes
      where relname in ('contacts', 'contact_merges')) as n
    from pg_stat_user_tables where relname in ('contacts', 'contact_merges')`,
  )
  return Number(rows[0]!.n)
}

test('events by which people come in are read with their own contacts, however many the workspace has', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into contacts (workspace_id, email) select $1, n || '@full.example' from generate_series(1, $2::int) n`,
    values: [workspaceId, CONTACTS],
  })
  await queryInScope(pool, workspaceId, {
    text: `insert into contact_merges (workspace_id, merged_id, survivor_id, into_id, alias_hashes, actor_kind)
      select workspace_id, -id, id, id, '{}', 'system' from contacts where workspace_id = $1`,
    values: [workspaceId],
  })
  for (const table of ['contacts', 'contact_merges']) await pool.query(`vacuum analyze ${table}`)
  await queryInScope(pool, workspaceId, { text: LISTENING_AUTOMATION, values: [workspaceId, 'came'] })
  await queryInScope(pool, workspaceId, {
    text: `insert into outbox (workspace_id, type, name, subject, contact_id, data, occurred_at)
      select workspace_id, 'event.recorded', 'came', '', case when id % 2 = 0 then -id else id end, '{}', now()
      from contacts where workspace_id = $1 limit $2`,
    values: [workspaceId, EVENTS],
  })
  const before = await readSoFar()
  const deps = watched(reader)
  await readAll(deps, enrollAutomations, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(deps.parked, [])
  const read = (await readSoFar()) - before
  const rows = await queryInScope(pool, workspaceId, {
    text: `select from run_queue where workspace_id = $1 and kind = 'entry' and contact_id > 0`,
    values: [workspaceId],
  })
  assert.equal(rows.length, EVENTS)
  assert.ok(read < EVENTS * 8, `${read} read`)
})
