import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendRows, readAll, startAtEnd, subjects, watched } from '../../../test/support/outbox-rows.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { parkedRows } from '../../platform/outbox/parked.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createIntakeWriter } from './event-intakes.ts'
import { persistEvent } from './persist-event.ts'
import { recordEvents } from './record-events.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await startAtEnd(pool, persistEvent)
const consume = async () => {
  const deps = watched(pool)
  await readAll(deps, persistEvent, { rowsMax: 100, attempts: 0 })
  return deps
}

test('what is kept of an event is what was recorded', async () => {
  const intake = createIntakeWriter({ sql: pool, onCommitted: () => undefined })
  const { id } = await createContact({ sql: pool }, caller, { subjectId: 'ada' })
  await recordEvents(
    { intake },
    {
      workspaceId,
      events: [
        { action: 'bought', subjectId: 'ada', properties: { total: 1.5 }, occurredAt: '2026-01-02T03:04:05.678901Z' },
        { action: 'left', email: 'a@b.example', phone: '+1' },
      ],
    },
  )
  await consume()
  const columns = `recorded_at, type, name, subject, contact_id, subject_id, email, phone, occurred_at`
  const { rows: logged } = await pool.query(
    `select position as id, ${columns}, data::jsonb as data from outbox order by tx, position`,
  )
  const kept = await queryInScope(pool, workspaceId, { text: `select id, ${columns}, data from events order by id` })
  assert.deepEqual(kept, logged)
  assert.deepEqual(
    kept.map((row) => [row.name, row.subject, row.contact_id]),
    [
      ['contact.created', 'ada', id],
      ['bought', 'ada', id],
      ['left', 'a@b.example', null],
    ],
  )
})

test('thousands of events are kept once each, over many ranges', async () => {
  const names = subjects(3_000)
  await appendRows(pool, names, { workspaceId })
  const deps = await consume()
  assert.ok(deps.handled.length > 3)
  const rows = await queryInScope<{ subject: string }>(pool, workspaceId, {
    text: `select subject from events where name = 'test' order by id`,
  })
  assert.deepEqual(
    rows.map(({ subject }) => subject),
    names,
  )
})

test('an event that is kept already shows a broken cursor: it is parked, not passed over', async () => {
  await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
    await tx.query(`update outbox_cursors c set position = c.position - 1 where consumer_group = 'persist'`)
  })
  await consume()
  const [parked] = await parkedRows(pool, 10)
  assert.match(parked!.error, /duplicate key/)
  assert.equal(parked!.consumerGroup, 'persist')
})
