import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ensureAllPartitions } from '../../../../test/support/partitions.ts'
import { secondProcess, testWorkspace } from '../../../../test/support/workspace.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { registerGroups } from '../../../platform/outbox/consumer.ts'
import { queuedRefusal } from '../../sending/ledger/refusal.ts'
import { takeBackPast } from '../backfill/backfill-queries.ts'
import type { Definition, WaitNode } from '../definition/definition.ts'
import { BACKFILL_NOW_WAY } from '../definition/listens.ts'
import { enrollAutomations } from '../entry/enroll-automations.ts'
import { readRuns } from '../seeing/read-runs.ts'
import { datesMovedUp } from './dates-moved-up.ts'
import { forgetRuns } from './forget-runs.ts'
import { moveRuns } from './move-runs.ts'
import { TIMER_POSITION } from './run-state.ts'
import { takeStretch } from './take-stretch.ts'

/** Rows of one person, in the queue of an automation in which many wait, are found by their key: the rest is not read. */
const { database, pool, workspaceId } = await testWorkspace()
await ensureAllPartitions(pool)
await registerGroups(pool, [enrollAutomations])
/** One connection, which tells at once what it has read. */
const reader = secondProcess(database, { connections: 1 })
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(reader, workspaceId, { text, values })

/** People who wait for a day, and those whose rest is over. */
const WAITING = 20_000
const DUE = 50
const DEFINITION = {
  ...{ format: 1, enter: { on: [{ manual: true }] }, start: 'rest' },
  nodes: { rest: { type: 'delay', days: 1, to: 'end' } },
}
let automationId = ''

before(async () => {
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
  automationId = made!.id
  await rows(
    `with c as (
      insert into contacts (workspace_id, email) select $1, n || '@rest.example' from generate_series(1, $3::int) n returning id
    ), r as (
      insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at, at_position)
      select $1, $2, 1, id, '', now() - interval '2 days', 0, 'rest', 1, 'waiting', now() - interval '2 days', 0 from c
      returning id, contact_id
    )
    insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
    select $1, $2, 0, contact_id, id, 'timer', ${TIMER_POSITION},
      now() + interval '1 day' * case when row_number() over () <= $4 then -1 else 1 end from r`,
    [workspaceId, automationId, WAITING + DUE, DUE],
  )
})

/** Entries of the queue's indexes and rows of it that were read so far. */
async function readSoFar(): Promise<number> {
  await reader.query('select pg_stat_force_next_flush()')
  const [row] = await rows<{ n: number }>(
    `select (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'run_queue')::int
      + (select seq_tup_read from pg_stat_user_tables where relname = 'run_queue')::int as n`,
  )
  return row!.n
}

/** Asserts that `work` reads little of the queue, and gives what it answers. */
async function readingLittle<T>(work: () => Promise<T>): Promise<T> {
  const before = await readSoFar()
  const answer = await work()
  const read = (await readSoFar()) - before
  assert.ok(read < WAITING / 10, `${read} read`)
  return answer
}

const lastRuns = (limit: number) =>
  rows<{ id: string; contactId: string }>(
    'select id, contact_id as "contactId" from runs where workspace_id = $1 order by id desc limit $2',
    [workspaceId, limit],
  )

test('a message asks at its handing mark whether its own run has left', async () => {
  const [run] = (await lastRuns(1)) as [{ id: string; contactId: string }]
  const [message] = await rows<{ id: string }>(
    `with m as (
      insert into messages (workspace_id, purpose, source_kind, source_id, contact_id, destination)
      select $1, 'service', 'automation', $2, id, email from contacts where workspace_id = $1 and id = $3
      returning id, created_at
    ), o as (
      insert into run_messages (workspace_id, message_id, created_at, run_id, visit, automation_id, version, node)
      select $1, id, created_at, $4, 1, $2, 1, 'rest' from m
    ) select id from m`,
    [workspaceId, automationId, run.contactId, run.id],
  )
  const refusal = async () => {
    const [row] = await readingLittle(() =>
      queryInScope<{ refusal: string | null }>(reader, workspaceId, {
        text: `select ${queuedRefusal(true)} as refusal from messages m where workspace_id = $1 and id = $2`,
        values: [workspaceId, message!.id],
        plan: 'once',
      }),
    )
    return row!.refusal
  }
  assert.equal(await refusal(), null)
  const exit = `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version)
    values ($1, $2, 0, $3, $4, 'exit', 1, now() + interval '1 hour', 1)`
  await rows(exit, [workspaceId, automationId, run.contactId, run.id])
  assert.equal(await refusal(), 'skipped:run_ended')
  await rows(`delete from run_queue where workspace_id = $1 and kind = 'exit'`, [workspaceId])
})

test('dates of a hundred who wait for them are held against their own timers', async () => {
  const node: WaitNode = {
    type: 'wait',
    for: [{ date: 'renewal', to: 'end' }],
    timeout: { days: 9, to: 'end' },
  } as never
  const definition = { ...DEFINITION, nodes: { rest: node } } as unknown as Definition
  const waiting = (await lastRuns(100)).map((run) => ({ ...run, eventId: null, variables: {} }))
  const moved = await readingLittle(() =>
    inTransaction(reader, workspaceId, (tx) => datesMovedUp(tx, workspaceId, { node, definition, waiting })),
  )
  assert.deepEqual(moved, [])
})

test('a page of people tells when each goes on', async () => {
  const { items } = await readingLittle(() => readRuns(reader, { workspaceId, id: automationId }, { limit: 100 }))
  assert.equal(items.length, 100)
  for (const { dueAt } of items) assert.notEqual(dueAt, null)
})

test('a backfill that is taken back takes its own entries out, a chunk at a time', async () => {
  await rows(
    `insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, way)
    select workspace_id, $2, 0, id, 0, 'entry', 1, now() + interval '1 hour', ${BACKFILL_NOW_WAY} from contacts
    where workspace_id = $1 order by id limit 1500`,
    [workspaceId, automationId],
  )
  const takeBack = () =>
    inTransaction(reader, workspaceId, (tx) => takeBackPast(tx, { workspaceId, automationId }, 1_000))
  // The entries of an automation are found by reading its part of the queue, once.
  const before = await readSoFar()
  assert.deepEqual([await takeBack(), await takeBack()], [1_000, 500])
  const read = (await readSoFar()) - before
  assert.ok(read < 3 * WAITING, `${read} read`)
})

test('a turn takes out what it does', async () => {
  const lane = { workspaceId, automationId, slot: 0, turn: '1', jobId: '' }
  const [{ now }] = (await rows<{ now: string }>('select clock_timestamp() as now')) as [{ now: string }]
  // Found once to be done, once to be taken out, with all that is of their contacts; not those who wait.
  await readingLittle(() => takeStretch(reader, lane, { times: { clock: now, through: now }, limit: 100 }))
  const [left] = await rows<{ n: number }>('select count(*)::int as n from run_queue')
  assert.equal(left!.n, WAITING)
})

test('who is erased, and who becomes part of somebody else, leaves the queue', async () => {
  const [erased, from, to] = (await lastRuns(3)).map(({ contactId }) => contactId) as [string, string, string]
  const left = await readingLittle(() =>
    inTransaction(reader, workspaceId, async (tx) => {
      await forgetRuns(tx, workspaceId, [erased])
      await moveRuns(tx, workspaceId, { fromId: from, toId: to })
      const { rows: queued } = await tx.query<{ id: string }>(
        `select distinct contact_id as id from run_queue
        where workspace_id = $1 and automation_id = $2 and contact_id = any ($3::int8[])`,
        [workspaceId, automationId, int8Array([erased, from, to])],
      )
      return queued
    }),
  )
  assert.deepEqual(left, [{ id: to }])
})
