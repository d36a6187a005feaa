import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { appendRows, startAtEnd } from '../test/support/outbox-rows.ts'
import { ensureAllPartitions } from '../test/support/partitions.ts'
import { testWorkspace } from '../test/support/workspace.ts'
import { ensureModulePartitions, maintainPartitions } from './maintain-partitions.ts'
import { BROADCAST_NEEDS } from './modules/broadcasts/run/keep-messages.ts'
import { EMAIL_NEEDS, emailPartitions } from './modules/emails/email-partitions.ts'
import { EVENT_NEEDS, eventPartitions } from './modules/events/event-partitions.ts'
import { persistEvent } from './modules/events/persist-event.ts'
import type { Module } from './modules/module.ts'
import { MESSAGE_NEEDS, messagePartitions } from './modules/sending/ledger/message-partitions.ts'
import { HIT_NEEDS, HIT_PARTITIONS } from './modules/tracking/hit-partitions.ts'
import { ensurePartitions, type PartitionedTable } from './platform/db/partitions.ts'
import { ALL_WORKSPACES, queryInScope } from './platform/db/transaction.ts'
import type { Job } from './platform/jobs/outcome.ts'

const { pool, workspaceId } = await testWorkspace()
const KEEP_DAYS = 30
const longAgo = new Date(Date.now() - 70 * 86_400_000)
const MODULES: Module[] = [
  {
    partitions: eventPartitions({ eventsDays: KEEP_DAYS, outboxDays: KEEP_DAYS }),
    needs: EVENT_NEEDS,
  },
  { partitions: messagePartitions(KEEP_DAYS), needs: MESSAGE_NEEDS },
  { partitions: emailPartitions(KEEP_DAYS), needs: EMAIL_NEEDS },
  { partitions: [{ ...HIT_PARTITIONS, keepDays: KEEP_DAYS }], needs: HIT_NEEDS },
  { needs: BROADCAST_NEEDS },
]
const TABLES = MODULES.flatMap((module) => module.partitions ?? [])

const query = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, ALL_WORKSPACES, { text, values })

function maintain(modules = MODULES) {
  const context = { signal: new AbortController().signal, stopping: new AbortController().signal }
  return maintainPartitions(pool, modules).run({} as Job, context)
}

/** Makes the partitions of long ago, lets the job run, and tells the tables that still have theirs. */
async function keptOf(tables: readonly PartitionedTable[] = TABLES): Promise<string[]> {
  assert.deepEqual(await maintain(), { outcome: 'ok' })
  const { rows } = await pool.query<{ name: string }>(
    `select inhparent::regclass::text as name from pg_inherits
     where inhparent = any ($1::regclass[]) and inhrelid::regclass::text ~ $2 order by 1`,
    [tables.map(({ table }) => table), `_p${longAgo.toISOString().slice(0, 7).replace('-', '')}`],
  )
  return rows.map(({ name }) => name)
}
const makeOld = () => Promise.all(TABLES.map((table) => ensurePartitions(pool, { ...table, ahead: 0 }, longAgo)))

before(async () => {
  await ensureAllPartitions(pool)
  await startAtEnd(pool, persistEvent)
})

test('what nobody needs leaves, and what is ahead is there', async () => {
  await makeOld()
  assert.deepEqual(await keptOf(), [])
  for (const { table, ahead } of TABLES) {
    const { rows } = await pool.query('select from pg_inherits where inhparent = $1::regclass', [table])
    assert.ok(rows.length > ahead, table)
  }
})

test('the month of events stays while some of it are still to be stored', async () => {
  await makeOld()
  await appendRows(pool, ['late'], { recordedAt: longAgo })
  assert.deepEqual(await keptOf(), ['events', 'outbox'])
  await startAtEnd(pool, persistEvent)
  assert.deepEqual(await keptOf(), [])
})

test('a message to be sent keeps its attempts and its content', async () => {
  await makeOld()
  await query(
    `with stream as (
       insert into send_streams (workspace_id, source_kind) values ($1, 'email') returning id
     ) insert into message_queue (workspace_id, stream_id, message_id, message_created_at, expires_at)
     select $1, id, 1, $2, now() from stream`,
    [workspaceId, longAgo],
  )
  assert.deepEqual(await keptOf(), ['email_attachments', 'emails', 'message_attempts', 'messages', 'submitted_mails'])
  await query('delete from message_queue where workspace_id = $1', [workspaceId])
  assert.deepEqual(await keptOf(), [])
})

test('the month in which a broadcast began stays until all its messages are planned', async () => {
  await makeOld()
  await query(
    `insert into broadcasts (workspace_id, name, status, started_at, stream_id) values ($1, 'News', 'paused', $2, 1)`,
    [workspaceId, longAgo],
  )
  assert.deepEqual(await keptOf(), ['messages'])
  await query('update broadcasts set planned_at = now(), recipients_total = 0, redo = $2 where workspace_id = $1', [
    workspaceId,
    'retry_uncertain',
  ])
  assert.deepEqual(await keptOf(), ['messages'])
  await query('update broadcasts set redo = null where workspace_id = $1', [workspaceId])
  assert.deepEqual(await keptOf(), [])
})

test('a hit that waits to be judged stays, and its message with it', async () => {
  await makeOld()
  await query(
    `with message as (
       insert into messages (workspace_id, source_kind, purpose, destination, created_at)
       values ($1, 'email', 'transactional', 'ada@example.com', $2) returning id
     ) insert into message_hits (workspace_id, message_id, at, kind, signals)
     select $1, id, $2, 'open', '{}' from message`,
    [workspaceId, longAgo],
  )
  assert.deepEqual(await keptOf(), ['message_hits', 'messages'])
  await query(`update message_hits set verdict = 'human' where workspace_id = $1`, [workspaceId])
  assert.deepEqual(await keptOf(), [])
})

test('a table that the job fails at does not keep the others from it', async () => {
  await makeOld()
  const fault = new Error('no answer')
  const failing: Module = { needs: [{ table: 'outbox', isNeeded: () => Promise.reject(fault) }] }
  assert.deepEqual(await maintain([...MODULES, failing]), { outcome: 'error', error: fault })
  assert.deepEqual(await keptOf(TABLES.filter(({ table }) => table !== 'outbox')), [])
})

test('the partitions of all modules are made at once at the start', async () => {
  await ensureModulePartitions(pool, MODULES)
  await query(
    `insert into messages (workspace_id, source_kind, purpose, destination, created_at)
     values ($1, 'email', 'transactional', 'ada@example.com', now() + interval '28 days')`,
    [workspaceId],
  )
})
