import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { takeStretch } from './take-stretch.ts'

/** One connection, which tells at once what it has read. */
const { pool, workspaceId } = await testWorkspace({ connections: 1 })
await registerGroups(pool, [enrollAutomations])
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

/** People who wait at another step for a day, and those whose rest is over. */
const WAITING = 20_000
const DUE = 50
const DEFINITION = {
  ...{ format: 1, enter: { on: [{ manual: true }] }, start: 'rest' },
  nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
}

/** Entries of the queue's indexes and rows of it that were read so far. */
async function readSoFar(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()')
  const [row] = await rows<{ n: number }>(
    `select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'run_queue')::int
      + (select seq_tup_read from pg_stat_user_tables where relname = 'run_queue')::int as n`,
  )
  return row!.n
}

test('a turn reads of the queue what it does, however many wait beside it', async () => {
  const [made] = await rows<{ id: string }>(
    `with a as (
      insert into automations (workspace_id, name, draft, published_version) values ($1, 'Rest', '{}', 1) returning id
    ), v as (
      insert into automation_versions (workspace_id, automation_id, version, definition) select $1, id, 1, $2 from a
    ), l as (
      insert into automation_lanes (workspace_id, automation_id, slot, state, job_id, turn)
      select $1, id, 0, 'running', gen_random_uuid(), 1 from a
    ) select id from a`,
    [workspaceId, JSON.stringify(DEFINITION)],
  )
  const automationId = made!.id
  await rows(
    `with c as (
      insert into contacts (workspace_id, email) select $1, n || '@rest.example' from generate_series(1, $3::int) n returning id
    ), r as (
      insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at, at_position)
      select $1, $2, 1, id, '', now() - interval '2 days', 0, 'rest', 1, 'waiting', now() - interval '2 days', 0 from c
      returning id, contact_id
    )
    insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
    select $1, $2, 0, contact_id, id, 'timer', 9223372036854775807,
      now() + interval '1 day' * case when row_number() over () <= $4 then -1 else 1 end from r`,
    [workspaceId, automationId, WAITING + DUE, DUE],
  )
  const lane = { workspaceId, automationId, slot: 0, turn: '1', jobId: '' }
  const [{ now }] = (await rows<{ now: string }>('select clock_timestamp() as now')) as [{ now: string }]
  const before = await readSoFar()
  await takeStretch(pool, lane, { times: { clock: now, through: now }, limit: 100 })
  const read = (await readSoFar()) - before
  const [left] = await rows<{ n: number }>('select count(*)::int as n from run_queue')
  assert.equal(left!.n, WAITING)
  // Found once to be done, once to be taken out, with all that is of their contacts; not those who wait.
  assert.ok(read < WAITING / 10, `${read} read`)
})
