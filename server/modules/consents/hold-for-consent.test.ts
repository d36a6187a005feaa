import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { Problem } from '../../platform/problem.ts'
import { askForNewLink } from '../confirmations/confirm.ts'
import { setContactTopic } from '../confirmations/contact-topics.ts'
import { holdNextContacts, withoutConsent } from '../confirmations/queries.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createTopic } from '../topics/manage-topics.ts'
import { subscribeImported } from '../topics/subscribe-imported.ts'
import { unsubscribeByLink } from '../unsubscribes/preferences.ts'
import { recordConsents } from './record-consents.ts'

const { pool, workspaceId, caller } = await testWorkspace({ connections: 8 })
await migrateJobs(pool, ['default'])
const deps = { sql: pool }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const open = <T>(work: (tx: Transaction) => Promise<T>) => openTransaction(pool, work, workspaceId)
let made = 0
async function person() {
  const email = `p${++made}@people.example`
  return { email, id: (await createContact(deps, caller, { email })).id }
}
/** Says no by the link of a mail while a transaction is open that it waits for. */
async function sayNoBeside(
  busy: Awaited<ReturnType<typeof open>>,
  { email }: { email: string },
  sendingSource: string,
) {
  const link = {
    workspaceId,
    messageId: '999',
    contactId: null,
    destination: email,
    sendingSource: 'broadcasts',
  } as const
  const said = unsubscribeByLink(deps, link, { sendingSource, ip: null })
  said.catch(() => undefined)
  await somebodyWaits(pool)
  await busy.commit()
  await said
}
/** How several acts ended that were begun while a transaction was open: done, or the code of the refusal. */
async function endedBeside(busy: Awaited<ReturnType<typeof open>>, acts: readonly Promise<unknown>[]) {
  const ends = acts.map((act) =>
    act.then(
      () => 'done',
      (error: unknown) => {
        if (error instanceof Problem) return error.code
        throw error
      },
    ),
  )
  await somebodyWaits(pool, acts.length)
  await busy.commit()
  return (await Promise.all(ends)).sort()
}

test('a no that is said while an import notes a yes is the last word', async () => {
  const { id: topicId } = await createTopic(deps, caller, { name: 'News' })
  const one = await person()
  const importing = await open((tx) =>
    subscribeImported(tx, workspaceId, [{ contactId: one.id, topicIds: [topicId], isConfirmed: false }]),
  )
  assert.equal(importing.value.length, 1)
  await sayNoBeside(importing, one, 'broadcasts')
  assert.deepEqual(await rows('select from topic_subscriptions where workspace_id = $1', []), [])
})

test('who wants nothing more while the consents of before are taken over has none', async () => {
  const one = await person()
  const grandfathering = await open(async (tx) => {
    const from = { after: String(BigInt(one.id) - 1n), createdBefore: new Date().toISOString(), limit: 10 }
    const ids = await withoutConsent(tx, workspaceId, await holdNextContacts(tx, workspaceId, from))
    await recordConsents(
      tx,
      workspaceId,
      ids.map((contactId) => ({ contactId, provenance: 'grandfathered', facts: {} })),
    )
  })
  await sayNoBeside(grandfathering, one, 'everything')
  assert.deepEqual(await rows('select from contact_consents where workspace_id = $1 and contact_id = $2', [one.id]), [])
})

test('a new link that is asked for by two clicks is sent once, and no click breaks the other', async () => {
  const one = await person()
  const [request] = await rows<{ id: string }>(
    `insert into confirmation_requests (workspace_id, contact_id, destination, message_id, requested_at)
     values ($1, $2, $3, 77, now() - interval '9 days') returning id`,
    [one.id, one.email],
  )
  const link = { workspaceId, requestId: request!.id, untilMs: Date.now() - 60_000 }
  const busy = await open((tx) =>
    tx.query('select from confirmation_requests where workspace_id = $1 and id = $2 for update', [
      workspaceId,
      request!.id,
    ]),
  )
  const clicks = [askForNewLink(deps, link), askForNewLink(deps, link)]
  assert.deepEqual(await endedBeside(busy, clicks), ['done', 'too-many-requests'])
})

test('a contact is asked about two topics at once', async () => {
  const topics = await Promise.all(
    ['A', 'B'].map((name) => createTopic(deps, caller, { name, subscription: 'opt_in', doubleOptIn: true })),
  )
  const { id: contactId } = await person()
  const busy = await open((tx) =>
    tx.query('select from contacts where workspace_id = $1 and id = $2 for update', [workspaceId, contactId]),
  )
  const asked = topics.map(({ id: topicId }) =>
    setContactTopic(deps, caller, { contactId, topicId, state: 'subscribed' }),
  )
  assert.deepEqual(await endedBeside(busy, asked), ['done', 'done'])
})
