import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAll, startAtEnd, watched } from '../../../test/support/outbox-rows.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { createIntakeWriter } from '../events/intake-writer.ts'
import { recordEvents } from '../events/record-events.ts'
import type { EventInput } from '../events/recorded-event.ts'
import { enrollAutomations } from './enroll-automations.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await startAtEnd(pool, enrollAutomations)
const deps = { sql: pool }
const intake = createIntakeWriter({ sql: pool, onCommitted: () => undefined })
const record = (events: EventInput[], id = workspaceId) => recordEvents({ intake }, { workspaceId: id, events })
const contact = async (subjectId: string) => (await createContact(deps, caller, { subjectId })).id

async function automation(trigger: string, { status = 'active', id = workspaceId } = {}): Promise<string> {
  const [row] = await queryInScope<{ id: string }>(pool, id, {
    text: `insert into automations (workspace_id, name, status, trigger_event) values ($1, $2, $3, $2) returning id`,
    values: [id, trigger, status],
  })
  return row!.id
}

async function consume(): Promise<void> {
  const deps = watched(pool)
  await readAll(deps, enrollAutomations, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(deps.parked, [])
}

async function enrolled(automationId: string): Promise<{ contact_id: string; event_id: string; state: string }[]> {
  return await queryInScope(pool, ALL_WORKSPACES, {
    text: 'select contact_id, event_id, state from enrollments where automation_id = $1 order by contact_id',
    values: [automationId],
  })
}

async function positionsOf(name: string): Promise<string[]> {
  const { rows } = await pool.query('select position from outbox where name = $1 order by tx, position', [name])
  return rows.map((row) => row.position)
}

test('a contact is enrolled once, by its first event, in one range or in several', async () => {
  const [ada, bob] = [await contact('ada'), await contact('bob')]
  const id = await automation('signed up')
  const event = (subjectId: string) => ({ action: 'signed up', subjectId })
  await record([event('ada'), event('ada'), event('bob'), event('ada')])
  await consume()
  await record([event('bob'), event('ada')])
  await consume()
  const positions = await positionsOf('signed up')
  assert.deepEqual(await enrolled(id), [
    { contact_id: ada, event_id: positions[0], state: 'active' },
    { contact_id: bob, event_id: positions[2], state: 'active' },
  ])
})

test('every active automation of the trigger enrolls; drafts and other triggers do not', async () => {
  await contact('cyd')
  const active = [await automation('bought'), await automation('bought')]
  const silent = [
    await automation('bought', { status: 'draft' }),
    await automation('Bought'),
    await automation('bought '),
  ]
  await record([{ action: 'bought', subjectId: 'cyd' }])
  await consume()
  for (const id of active) assert.equal((await enrolled(id)).length, 1)
  for (const id of silent) assert.equal((await enrolled(id)).length, 0)
})

test('an event without a contact enrolls nobody, nor does one whose contact is gone by then', async () => {
  const id = await automation('visited')
  const gone = await contact('gone')
  await record([
    { action: 'visited', subjectId: 'unknown' },
    { action: 'visited', subjectId: 'gone' },
  ])
  await queryInScope(pool, workspaceId, { text: 'delete from contacts where id = $1', values: [gone] })
  await consume()
  assert.deepEqual(await enrolled(id), [])
})

test('the system’s own events enroll by their type', async () => {
  const id = await automation('contact.created')
  const created = await contact('fresh')
  await consume()
  assert.deepEqual(
    (await enrolled(id)).map((row) => row.contact_id),
    [created],
  )
})

test('an automation of another workspace is not triggered, whatever the event is called', async () => {
  const elsewhere = await createWorkspace(pool)
  const theirs = await automation('shared', { id: elsewhere })
  const ours = await automation('shared')
  await contact('eve')
  const { id } = await createContact(deps, callerOf(elsewhere), { subjectId: 'eve' })
  await record([{ action: 'shared', subjectId: 'eve' }])
  await consume()
  assert.equal((await enrolled(ours)).length, 1)
  assert.deepEqual(await enrolled(theirs), [])
  await record([{ action: 'shared', subjectId: 'eve' }], elsewhere)
  await consume()
  assert.deepEqual(
    (await enrolled(theirs)).map((row) => row.contact_id),
    [id],
  )
})

test('an event that names a contact of another workspace enrolls nobody', async () => {
  const elsewhere = await createWorkspace(pool)
  const id = await automation('email.clicked', { id: elsewhere })
  const foreign = await contact('foreign')
  await inTransaction(pool, elsewhere, (tx) =>
    emitEvents(tx, elsewhere, [{ type: 'email.clicked', subject: 'x', contactId: foreign, email: null, data: {} }]),
  )
  await consume()
  assert.deepEqual(await enrolled(id), [])
})
