import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction } from '../../../../test/support/open-transaction.ts'
import { storeIntegration } from '../../../../test/support/sending-world.ts'
import { takeSendJobs } from '../../../../test/support/turn-jobs.ts'
import { callerOf, testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { migrateJobs } from '../../../platform/jobs/schema.ts'
import { beginTurn } from '../../../platform/lanes/turns.ts'
import { setContactTopic } from '../../confirmations/contact-topics.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { mergeContacts } from '../../personal-data/merge-contacts.ts'
import { createTopic } from '../../topics/manage-topics.ts'
import { SEND_LANES, type SendTurn, wakeStream } from '../lanes.ts'
import { planMessages } from '../ledger/plan-messages.ts'
import { openStream, setStreamState } from '../streams.ts'
import { claimMessages } from './claim-messages.ts'
import { settleRefused } from './settle-refused.ts'

const { pool, workspaceId } = await testWorkspace()
await migrateJobs(pool, ['default', 'broadcasts'])
const integrationId = await storeIntegration(pool, workspaceId, { port: 1 })
const caller = callerOf(workspaceId)
const deps = { sql: pool, enqueueSweep: async () => undefined }
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const startedAt = new Date().toISOString()

type Planned = { to: string[]; into: string; topicId?: string | null }

/** Plans a broadcast to these while the last of them, unseen by that, is merged into a contact; answers a turn of its lane. */
async function plannedBesideMerge(broadcastId: string, { to, into, topicId = null }: Planned): Promise<SendTurn> {
  const source = { kind: 'broadcast', id: broadcastId } as const
  const stream = await inTx((tx) => openStream(tx, workspaceId, source))
  const recipients = to.map((contactId) => ({ contactId, dueAt: null }))
  const planning = await openTransaction(
    pool,
    (tx) =>
      planMessages(
        tx,
        { ...stream, source, workspaceId, purpose: 'marketing', createdAt: startedAt, topicId },
        recipients,
      ),
    workspaceId,
  )
  await mergeContacts(deps, caller, { id: into, otherId: to.at(-1)! })
  await planning.commit()
  await inTx((tx) => setStreamState(tx, { ...stream, state: 'open' }))
  await inTx((tx) => wakeStream(tx, { ...stream, lanes: 1 }))
  const [job] = await takeSendJobs(pool)
  return (await inTx((tx) => beginTurn(tx, SEND_LANES, job!)))!
}

/** Claims as a turn does; answers whom it may mail. */
async function claim(turn: SendTurn): Promise<{ contactIds: (string | null)[]; refusals: string[] }> {
  const claimed = await inTx((tx) => claimMessages(tx, { turn, integrationId, perDay: null, wanted: 10 }))
  assert.ok(claimed !== 'no_integration')
  await inTx((tx) => settleRefused(tx, turn, claimed.refused))
  return {
    contactIds: claimed.claims.map(({ contactId }) => contactId),
    refusals: claimed.refused.map(({ refusal }) => refusal),
  }
}

const ledger = (broadcastId: string) =>
  queryInScope(pool, workspaceId, {
    text: `select m.contact_id as contact, m.state, m.reason, q.turn is not null as claimed
      from messages m left join message_queue q on q.workspace_id = m.workspace_id and q.message_id = m.id
      where m.workspace_id = $1 and m.source_id = $2 order by m.id`,
    values: [workspaceId, broadcastId],
  })
const inFlight = () =>
  queryInScope(pool, workspaceId, {
    text: 'select in_flight as n from send_allowances where workspace_id = $1',
    values: [workspaceId],
  })

test('a recipient who is merged while they are planned is mailed as whom they became part of', async () => {
  const other = await createContact(deps, caller, { email: 'a1@people.example' })
  const survivor = await createContact(deps, caller, { subjectId: 's1' })
  const turn = await plannedBesideMerge('71', { to: [other.id], into: survivor.id })
  assert.deepEqual(await claim(turn), { contactIds: [], refusals: ['skipped:contact_gone'] })
  assert.deepEqual(await ledger('71'), [{ contact: survivor.id, state: 'pending', reason: null, claimed: false }])
  assert.deepEqual(await inFlight(), [{ n: 0 }])
  assert.deepEqual(await claim(turn), { contactIds: [survivor.id], refusals: [] })
  assert.deepEqual(await inFlight(), [{ n: 1 }])
})

test('one whose yes to a topic went along with the merge gets the mail of the topic', async () => {
  const { id: topicId } = await createTopic(deps, caller, { name: 'News', subscription: 'opt_in' })
  const other = await createContact(deps, caller, { email: 'a3@people.example' })
  await setContactTopic(deps, caller, { contactId: other.id, topicId, state: 'subscribed' })
  const survivor = await createContact(deps, caller, { subjectId: 's3' })
  const turn = await plannedBesideMerge('73', { to: [other.id], into: survivor.id, topicId })
  assert.deepEqual(await claim(turn), { contactIds: [], refusals: ['skipped:not_subscribed'] })
  assert.deepEqual(await claim(turn), { contactIds: [survivor.id], refusals: [] })
})

test('one who became part of another recipient of the same broadcast is mailed once', async () => {
  const survivor = await createContact(deps, caller, { subjectId: 's2', email: 's2@people.example' })
  const other = await createContact(deps, caller, { email: 'a2@people.example' })
  const turn = await plannedBesideMerge('72', { to: [survivor.id, other.id], into: survivor.id })
  assert.deepEqual(await claim(turn), { contactIds: [survivor.id], refusals: ['skipped:contact_gone'] })
  assert.deepEqual(await ledger('72'), [
    { contact: survivor.id, state: 'pending', reason: null, claimed: true },
    { contact: other.id, state: 'skipped', reason: 'contact_gone', claimed: false },
  ])
  assert.deepEqual(await inFlight(), [{ n: 3 }])
})
