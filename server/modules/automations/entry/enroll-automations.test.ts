import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LISTENING_AUTOMATION } from '../../../../test/support/automations.ts'
import { readAll, startAtEnd, watched } from '../../../../test/support/outbox-rows.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { RANGE_ROWS_MAX } from '../../../platform/outbox/consumer.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { emitEvents } from '../../domain-events/emit-events.ts'
import { createIntakeWriter } from '../../events/event-intakes.ts'
import { recordEvents } from '../../events/record-events.ts'
import type { EventInput } from '../../events/recorded-event.ts'
import { enrollAutomations } from './enroll-automations.ts'

const { pool, caller, workspaceId } = await testWorkspace()
await startAtEnd(pool, enrollAutomations)
const deps = { sql: pool }
const intake = createIntakeWriter({ sql: pool, onCommitted: () => undefined })
const record = (events: EventInput[], id = workspaceId) => recordEvents({ intake }, { workspaceId: id, events })
const contact = async (subjectId: string) => (await createContact(deps, caller, { subjectId })).id

async function automation(trigger: string, id = workspaceId): Promise<string> {
  const [row] = await queryInScope<{ id: string }>(pool, id, { text: LISTENING_AUTOMATION, values: [id, trigger] })
  return row!.id
}

async function consume(): Promise<void> {
  const deps = watched(pool)
  await readAll(deps, enrollAutomations, { rowsMax: RANGE_ROWS_MAX, attempts: 0 })
  assert.deepEqual(deps.parked, [])
}

/** Contacts that wait to come in, and by which event. */
async function entries(automationId: string): Promise<{ contact_id: string; position: string }[]> {
  return await queryInScope(pool, ALL_WORKSPACES, {
    text: `select contact_id, position from run_queue where automation_id = $1 and kind = 'entry' order by position`,
    values: [automationId],
  })
}
const contactsOf = async (automationId: string) => (await entries(automationId)).map(({ contact_id }) => contact_id)

async function positionsOf(name: string): Promise<string[]> {
  const { rows } = await pool.query('select position from outbox where name = $1 order by tx, position', [name])
  return rows.map((row) => row.position)
}

test('each event of a trigger is noted once for its contact, in one range or in several', async () => {
  const [ada, bob] = [await contact('ada'), await contact('bob')]
  const id = await automation('signed up')
  const event = (subjectId: string) => ({ action: 'signed up', subjectId })
  await record([event('ada'), event('bob')])
  await consume()
  await record([event('bob')])
  await consume()
  await consume()
  const positions = await positionsOf('signed up')
  assert.deepEqual(
    await entries(id),
    [ada, bob, bob].map((contact_id, n) => ({ contact_id, position: positions[n] })),
  )
})

test('a caller’s event says in vain how many automations led to it, unless it names a run of one', async () => {
  await contact('loop')
  const id = await automation('looped')
  const [run] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into runs (workspace_id, automation_id, version, contact_id, entry_key, entered_at, depth, node, visit, state, at,
        at_position)
      values ($1, $2, 1, 1, '', now(), 6, 'a', 1, 'parked', now(), 0) returning id`,
    values: [workspaceId, id],
  })
  const causes = [{ depth: 9_999 }, { depth: 9_999, runId: 1, automationId: 1 }]
  const own = { depth: 7, runId: Number(run!.id), automationId: Number(id) }
  const event = (cause: object) => ({ action: 'looped', subjectId: 'loop', properties: { cause } })
  await record([...causes, own].map(event))
  await consume()
  const { rows } = await inTransaction(pool, workspaceId, (tx) =>
    tx.query<{ depth: number }>('select depth from run_queue where automation_id = $1 order by position', [id]),
  )
  assert.deepEqual(
    rows.map(({ depth }) => depth),
    [0, 0, 7],
  )
})

test('every automation that listens is told; those that listen to other names are not', async () => {
  const cyd = await contact('cyd')
  const listening = [await automation('bought'), await automation('bought')]
  const silent = [await automation('Bought'), await automation('bought ')]
  await record([{ action: 'bought', subjectId: 'cyd' }])
  await consume()
  for (const id of listening) assert.deepEqual(await contactsOf(id), [cyd])
  for (const id of silent) assert.deepEqual(await entries(id), [])
})

test('an event without a contact concerns nobody, nor does one whose contact is gone by then', async () => {
  const id = await automation('visited')
  const gone = await contact('gone')
  await record([
    { action: 'visited', subjectId: 'unknown' },
    { action: 'visited', subjectId: 'gone' },
  ])
  await queryInScope(pool, workspaceId, { text: 'delete from contacts where id = $1', values: [gone] })
  await consume()
  assert.deepEqual(await entries(id), [])
})

test('the system’s own events are triggers by their type', async () => {
  const id = await automation('contact.created')
  const created = await contact('fresh')
  await consume()
  assert.deepEqual(await contactsOf(id), [created])
})

test('an automation of another workspace is not triggered, whatever the event is called', async () => {
  const elsewhere = await createWorkspace(pool)
  const theirs = await automation('shared', elsewhere)
  const ours = await automation('shared')
  const eve = await contact('eve')
  const { id } = await createContact(deps, callerOf(elsewhere), { subjectId: 'eve' })
  await record([{ action: 'shared', subjectId: 'eve' }])
  await consume()
  assert.deepEqual(await contactsOf(ours), [eve])
  assert.deepEqual(await entries(theirs), [])
  await record([{ action: 'shared', subjectId: 'eve' }], elsewhere)
  await consume()
  assert.deepEqual(await contactsOf(theirs), [id])
})

test('an event that names a contact of another workspace concerns nobody', async () => {
  const elsewhere = await createWorkspace(pool)
  const id = await automation('email.clicked', elsewhere)
  const foreign = await contact('foreign')
  await inTransaction(pool, elsewhere, (tx) =>
    emitEvents(tx, elsewhere, [{ type: 'email.clicked', subject: 'x', contactId: foreign, email: null, data: {} }]),
  )
  await consume()
  assert.deepEqual(await entries(id), [])
})
