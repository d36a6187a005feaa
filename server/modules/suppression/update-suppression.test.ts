import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, startAtEnd, watched } from '../../../test/support/outbox-rows.ts'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import type { DomainEventType } from '../../catalogue/domain-events.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../platform/outbox/consumer.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { updateSuppression } from './update-suppression.ts'

const { pool, workspaceId } = await testWorkspace()
await startAtEnd(pool, updateSuppression)

type Emitted = { type: DomainEventType; email: string | null; data?: Record<string, unknown> }

async function emit(events: Emitted[], id = workspaceId): Promise<void> {
  await inTransaction(pool, id, (tx) =>
    emitEvents(
      tx,
      id,
      events.map((event) => ({ subject: 's', contactId: null, data: {}, ...event })),
    ),
  )
}

async function consume(): Promise<void> {
  const deps = watched(pool)
  await readAll(deps, updateSuppression, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(deps.parked, [])
}

async function suppressed(id = workspaceId): Promise<Record<string, string>> {
  const rows = await queryInScope<{ destination: string; reason: string }>(pool, id, {
    text: 'delete from suppressions returning destination, reason',
  })
  return Object.fromEntries(rows.map(({ destination, reason }) => [destination, reason]))
}

test('a complaint and a permanent bounce suppress the address, in lower case', async () => {
  await emit([
    { type: 'email.complained', email: 'Angry@Example.com' },
    { type: 'email.bounced', email: 'gone@example.com', data: { bounceKind: 'permanent' } },
  ])
  await consume()
  assert.deepEqual(await suppressed(), { 'angry@example.com': 'complaint', 'gone@example.com': 'bounce' })
})

test('the suppression names the message and what the receiver said', async () => {
  const detail = '5.1.1 User unknown'
  await emit([
    { type: 'email.bounced', email: 'told@example.com', data: { bounceKind: 'permanent', messageId: 77, detail } },
    { type: 'email.complained', email: 'untold@example.com', data: { detail: '' } },
  ])
  await consume()
  const rows = await queryInScope(pool, workspaceId, {
    text: 'delete from suppressions returning destination, message_id, detail',
  })
  assert.deepEqual(
    rows.toSorted((a, b) => String(a.destination).localeCompare(String(b.destination))),
    [
      { destination: 'told@example.com', message_id: '77', detail },
      { destination: 'untold@example.com', message_id: null, detail: null },
    ],
  )
})

test('a full mailbox, an unknown cause and every other event suppress nobody', async () => {
  await emit([
    { type: 'email.bounced', email: 'full@example.com', data: { bounceKind: 'transient' } },
    { type: 'email.bounced', email: 'odd@example.com', data: { bounceKind: null } },
    { type: 'email.bounced', email: 'odder@example.com', data: { bounceKind: 'PERMANENT' } },
    { type: 'email.bounced', email: 'none@example.com' },
    { type: 'email.bounced', email: 'nested@example.com', data: { bounce: { bounceKind: 'permanent' } } },
    { type: 'email.sent', email: 'sent@example.com' },
    { type: 'email.unsubscribed', email: 'unsubscribed@example.com' },
    { type: 'email.complained', email: null },
  ])
  await consume()
  assert.deepEqual(await suppressed(), {})
})

test('what a caller records under the system’s names suppresses nobody', async () => {
  await pool.query(
    `insert into outbox (workspace_id, type, name, subject, email, data, occurred_at) values
       ($1, 'event.recorded', 'email.complained', 's', 'victim@example.com', '{}', now()),
       ($1, 'event.recorded', 'email.bounced', 's', 'victim@example.com', '{"bounceKind":"permanent"}', now())`,
    [workspaceId],
  )
  await consume()
  assert.deepEqual(await suppressed(), {})
})

test('a complaint says more than a bounce, and repeats change nothing', async () => {
  const bounce: Emitted = { type: 'email.bounced', email: 'both@example.com', data: { bounceKind: 'permanent' } }
  const complaint: Emitted = { type: 'email.complained', email: 'BOTH@example.com' }
  await emit([bounce, complaint, bounce, complaint])
  await consume()
  await emit([bounce, complaint])
  await consume()
  assert.deepEqual(await suppressed(), { 'both@example.com': 'complaint' })
})

test('what was suppressed by hand stays as it is', async () => {
  await queryInScope(pool, workspaceId, {
    text: `insert into suppressions (workspace_id, destination, reason) values ($1, 'hand@example.com', 'manual')`,
    values: [workspaceId],
  })
  await emit([{ type: 'email.complained', email: 'hand@example.com' }])
  await consume()
  assert.deepEqual(await suppressed(), { 'hand@example.com': 'manual' })
})

test('each workspace has its own list', async () => {
  const elsewhere = await createWorkspace(pool)
  await emit([{ type: 'email.complained', email: 'shared@example.com' }])
  await consume()
  assert.deepEqual(await suppressed(elsewhere), {})
  await emit([{ type: 'email.complained', email: 'shared@example.com' }], elsewhere)
  await consume()
  assert.deepEqual(await suppressed(elsewhere), { 'shared@example.com': 'complaint' })
  assert.deepEqual(await suppressed(), { 'shared@example.com': 'complaint' })
})
