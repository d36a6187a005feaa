import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { openErasure } from '../../../test/support/open-erasure.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { watchSegment } from '../automations/entry/watch-segment.ts'
import { confirm } from '../confirmations/confirm.ts'
import { setContactTopic } from '../confirmations/contact-topics.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createSegment } from '../segments/manage-segments.ts'
import { planMessages } from '../sending/ledger/plan-messages.ts'
import { openStream } from '../sending/streams.ts'
import { createTopic } from '../topics/manage-topics.ts'
import { createUnsubscribe } from '../unsubscribes/manage-unsubscribes.ts'
import { choosePreferences, unsubscribeByLink } from '../unsubscribes/preferences.ts'
import { unsubscribeImported } from '../unsubscribes/unsubscribe-imported.ts'
import { noteTrackingConsent } from '../visitors/note-tracking-consent.ts'
import { mergeContacts } from './merge-contacts.ts'

/*
 * Words of people and of programs that come while their contact is being merged or erased. Both hold the contact, so each of these has found it and
 * waits: then they count, of whom the contact has become part of, or of the address.
 */

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
await migrateJobs(pool, ['default'])
const deps = { sql: pool, forms: NO_FORMS, enqueueSweep: async () => undefined }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const linkOf = (destination: string) =>
  ({ workspaceId, messageId: '999', contactId: null, destination, sendingSource: 'broadcasts' }) as const

type Person = { id: string; email: string }

let people = 0
/** Somebody with an address, and a contact without one that they may become part of. */
async function twoContacts(): Promise<{ person: Person; survivorId: string }> {
  const email = `p${++people}@people.example`
  const person = await createContact(deps, caller, { email })
  const survivor = await createContact(deps, caller, { subjectId: `s${people}` })
  return { person: { id: person.id, email }, survivorId: survivor.id }
}

/** Begins to say something when a merge has done all but to commit, and lets that commit once it is waited for. */
async function sayBesideMerge<T>(
  { person, survivorId }: Awaited<ReturnType<typeof twoContacts>>,
  say: () => Promise<T>,
) {
  let said: Promise<T> | undefined
  const enqueueSweep = async () => {
    said = say()
    said.catch(() => undefined)
    await somebodyWaits(pool)
  }
  await mergeContacts({ ...deps, enqueueSweep }, caller, { id: survivorId, otherId: person.id })
  return said
}

/** The same beside an erasure. */
async function sayBesideErasure<T>({ id }: Person, say: () => Promise<T>) {
  const erasing = await openErasure(pool, caller, id)
  const said = say()
  said.catch(() => undefined)
  await somebodyWaits(pool)
  await erasing.commit()
  await said
  return said
}

const noes = async ({ email }: Person) => {
  const found = await rows<{ source: string }>(
    'select sending_source as source from unsubscribes where workspace_id = $1 and destination = $2 order by 1',
    [email],
  )
  return found.map(({ source }) => source)
}
const history = async (contactId: string) => {
  const found = await rows<{ change: string }>(
    'select change from consent_changes where workspace_id = $1 and contact_id = $2 order by id',
    [contactId],
  )
  return found.map(({ change }) => change)
}

/** Ways to say that one wants no newsletters. */
const NOES: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  'by the link of a mail': ({ email }) =>
    unsubscribeByLink(deps, linkOf(email), { sendingSource: 'broadcasts', ip: null }),
  'by a choice': ({ email }) => choosePreferences(deps, linkOf(email), { wanted: ['automations'], ip: null }),
  'by a program': ({ email }) => createUnsubscribe(deps, caller, { destination: email }),
  'by a file': ({ email }) =>
    inTx((tx) => unsubscribeImported(tx, workspaceId, [{ destination: email, sendingSource: 'broadcasts' }], '1')),
}

for (const [way, say] of Object.entries(NOES)) {
  test(`a no ${way} counts, and stands in the history of whom the contact has become part of meanwhile`, async () => {
    const both = await twoContacts()
    await sayBesideMerge(both, () => say(both.person))
    assert.deepEqual(await noes(both.person), ['broadcasts'])
    assert.deepEqual(await history(both.survivorId), ['unsubscribed'])
  })

  test(`a no ${way} counts of an address whose contact is erased meanwhile`, async () => {
    const { person } = await twoContacts()
    await sayBesideErasure(person, () => say(person))
    assert.deepEqual(await noes(person), ['broadcasts'])
  })
}

test('a no of an address that nobody has counts, though somebody comes by it, and is erased, before it is noted', async () => {
  const email = `p${++people}@people.example`
  const say = () => unsubscribeByLink(deps, linkOf(email), { sendingSource: 'broadcasts', ip: null })
  await say()
  // The no before is being taken back: this one waits for that, and nobody has been held for it by then.
  const takingBack = await openTransaction(
    pool,
    (tx) => tx.query('delete from unsubscribes where workspace_id = $1 and destination = $2', [workspaceId, email]),
    workspaceId,
  )
  const said = say()
  said.catch(() => undefined)
  await somebodyWaits(pool)
  const { id } = await createContact(deps, caller, { email })
  const erasing = await openErasure(pool, caller, id)
  await takingBack.commit()
  let isOver = false
  const end = () => {
    isOver = true
  }
  said.then(end, end)
  const waits = async () => {
    const { rows } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }
  await eventually('it is over, or waits for the erasure', async () => isOver || waits())
  await erasing.commit()
  await said
  assert.deepEqual(await noes({ id, email }), ['broadcasts'])
})

test('a yes to a topic ends with the no to it, though its contact is merged meanwhile', async () => {
  const topic = await createTopic(deps, caller, { name: 'Ends' })
  const both = await twoContacts()
  const { id: topicId } = topic
  await setContactTopic(deps, caller, { contactId: both.person.id, topicId, state: 'subscribed' })
  const sendingSource = `topic:${topicId}` as const
  await sayBesideMerge(both, () =>
    unsubscribeByLink(deps, { ...linkOf(both.person.email), sendingSource }, { sendingSource, ip: null }),
  )
  assert.deepEqual(await noes(both.person), [sendingSource])
  assert.deepEqual(
    await rows('select from topic_subscriptions where workspace_id = $1 and topic_id = $2', [topicId]),
    [],
  )
})

test('a confirmation counts of whom the contact has become part of meanwhile', async () => {
  const both = await twoContacts()
  const [request] = await rows<{ id: string }>(
    `insert into confirmation_requests (workspace_id, contact_id, destination, message_id) values ($1, $2, $3, 77) returning id`,
    [both.person.id, both.person.email],
  )
  const link = { workspaceId, requestId: request!.id, untilMs: Date.now() + 60_000 }
  const state = await sayBesideMerge(both, () => confirm(deps, link, null))
  assert.equal(state?.state, 'confirmed')
  const consents = await rows('select provenance from contact_consents where workspace_id = $1 and contact_id = $2', [
    both.survivorId,
  ])
  assert.deepEqual(consents, [{ provenance: 'double_opt_in' }])
})

test('a yes by a choice counts of whom the contact has become part of meanwhile', async () => {
  const { id: topicId } = await createTopic(deps, caller, { name: 'Begins' })
  const both = await twoContacts()
  const wanted = [`topic:${topicId}`, 'broadcasts', 'automations']
  await sayBesideMerge(both, () => choosePreferences(deps, linkOf(both.person.email), { wanted, ip: null }))
  const said = await rows(
    'select contact_id as id from topic_subscriptions where workspace_id = $1 and topic_id = $2',
    [topicId],
  )
  assert.deepEqual(said, [{ id: both.survivorId }])
})

test('a denial of tracking counts, though the contact of the visitor is merged meanwhile', async () => {
  const both = await twoContacts()
  const visitorId = 'visitor-1234567890'
  await rows(`insert into visitors (workspace_id, visitor_id, contact_id, proof) values ($1, $3, $2, 'signed')`, [
    ...[both.person.id, visitorId],
  ])
  const body = { visitorId, state: 'denied', wording: 'No tracking' } as const
  await sayBesideMerge(both, () => noteTrackingConsent(deps, { workspaceId, paused: false }, body))
  assert.deepEqual(await history(both.survivorId), ['tracking_denied'])
})

test('a denial of tracking that comes when a merge has its contact, and not yet its visitor, does not wait in vain', async () => {
  const both = await twoContacts()
  const visitorId = 'visitor-0987654321'
  await rows(`insert into visitors (workspace_id, visitor_id, contact_id, proof) values ($1, $3, $2, 'signed')`, [
    ...[both.person.id, visitorId],
  ])
  const body = { visitorId, state: 'denied', wording: 'No tracking' } as const
  let said: Promise<void> | undefined
  // Asked when both contacts are locked, and nothing else.
  const mayMerge = async () => {
    said = noteTrackingConsent(deps, { workspaceId, paused: false }, body)
    said.catch(() => undefined)
    await somebodyWaits(pool)
    return true
  }
  await mergeContacts(deps, caller, { id: both.survivorId, otherId: both.person.id, mayMerge })
  await said
  assert.deepEqual(await history(both.survivorId), ['tracking_denied'])
})

test('a merge beside the planning of a broadcast to both waits for it, and moves nothing that would be a second mail', async () => {
  const { person, survivorId } = await twoContacts()
  const source = { kind: 'broadcast', id: '81' } as const
  const { streamId } = await inTx((tx) => openStream(tx, workspaceId, source))
  const plan = { workspaceId, source, purpose: 'marketing', createdAt: new Date().toISOString(), streamId } as const
  await inTx((tx) => planMessages(tx, plan, [{ contactId: person.id, dueAt: null }]))
  const planning = await openTransaction(
    pool,
    (tx) => planMessages(tx, plan, [{ contactId: survivorId, dueAt: null }]),
    workspaceId,
  )
  const merged = mergeContacts(deps, caller, { id: survivorId, otherId: person.id })
  await somebodyWaits(pool)
  await planning.commit()
  assert.equal((await merged).id, survivorId)
  const messages = await rows(
    'select contact_id as id from messages where workspace_id = $1 and source_id = 81 order by 1',
  )
  assert.deepEqual(messages, [{ id: person.id }, { id: survivorId }])
})

test('a merge beside the forgetting of who is in a segment keeps the survivor in the others', async () => {
  const { person, survivorId } = await twoContacts()
  const [kept, forgotten] = [
    await createSegment(deps, caller, { name: 'Kept', definition: '' }),
    await createSegment(deps, caller, { name: 'Forgotten', definition: '' }),
  ]
  for (const { id } of [kept, forgotten]) {
    await rows('insert into segment_watches (workspace_id, segment_id) values ($1, $2)', [id])
    await rows('insert into segment_members (workspace_id, segment_id, contact_id) values ($1, $2, $3)', [
      ...[id, person.id],
    ])
  }
  // The merge waits for this one; it has seen by then that the contact is in both.
  const holding = await openTransaction(
    pool,
    (tx) => tx.query('select from segment_watches where segment_id = $1 for update', [kept.id]),
    workspaceId,
  )
  const merged = mergeContacts(deps, caller, { id: survivorId, otherId: person.id })
  merged.catch(() => undefined)
  await somebodyWaits(pool)
  await watchSegment(pool, { workspaceId, segmentId: forgotten.id }, AbortSignal.timeout(60_000))
  await holding.commit()
  assert.equal((await merged).id, survivorId)
  const segments = await rows(
    'select segment_id as id from segment_members where workspace_id = $1 and contact_id = $2',
    [survivorId],
  )
  assert.deepEqual(segments, [{ id: kept.id }])
})
