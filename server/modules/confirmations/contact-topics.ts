import type pg from 'pg'
import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdForConsent } from '../consents/hold-for-consent.ts'
import { noteContactConsents } from '../consents/note-consent-changes.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import { cancelMessages } from '../sending/ledger/cancel-messages.ts'
import { contactRefusals } from '../sending/ledger/contact-refusals.ts'
import type { ContactTopic } from '../topics/schemas.ts'
import {
  holdTopic,
  isWanted,
  type PersonalTopic,
  subscribeTo,
  topicSource,
  topicsOfPerson,
} from '../topics/topics-of-person.ts'
import { sourcesOf } from '../unsubscribes/sources-of.ts'
import { resubscribe, unsubscribe } from '../unsubscribes/unsubscribe.ts'
import { deleteRequests, topicsAskedOf } from './queries.ts'
import { askUnlessAsked, CONFIRM_WITHIN_DAYS } from './request-confirmations.ts'

type Deps = { sql: pg.Pool }

/** All topics of the workspace as they stand for a contact, by name. Throws 404. */
export function listContactTopics({ sql }: Deps, workspaceId: string, contactId: string): Promise<ContactTopic[]> {
  return inTransaction(sql, workspaceId, (tx) => contactTopics(tx, workspaceId, contactId))
}

async function contactTopics(tx: Transaction, workspaceId: string, contactId: string): Promise<ContactTopic[]> {
  const { email } = await contactOf(tx, workspaceId, contactId)
  const topics = await topicsOfPerson(tx, workspaceId, contactId)
  const refusals = await contactRefusals(tx, workspaceId, { contactId, topicIds: topics.map(({ id }) => id) })
  const gone = email === null ? new Set<string>() : await sourcesOf(tx, workspaceId, email)
  const asked =
    email === null
      ? new Set<string>()
      : await topicsAskedOf(tx, workspaceId, { contactId, email, days: CONFIRM_WITHIN_DAYS })
  return topics.map((topic) => contactTopicOf(topic, { gone, asked, refusals }))
}

type Said = {
  gone: ReadonlySet<string>
  asked: ReadonlySet<string>
  refusals: Awaited<ReturnType<typeof contactRefusals>>
}

function contactTopicOf(topic: PersonalTopic, { gone, asked, refusals }: Said): ContactTopic {
  const { id, name, subscription, doubleOptIn, isSubscribed } = topic
  const hasLeft = gone.has(topicSource(id))
  const said = hasLeft ? 'unsubscribed' : isSubscribed ? 'subscribed' : 'default'
  const state = said !== 'subscribed' && asked.has(id) ? 'pending' : said
  const wanted = isWanted(topic, gone)
  const reason = refusals.get(id)?.split(':')[1] ?? null
  return { topicId: id, name, subscription, doubleOptIn, state, wanted, reason }
}

type Choice = { contactId: string; topicId: string; state: 'subscribed' | 'unsubscribed' }

/**
 * Says for a contact, at the workspace's word, that it wants a topic or does not; one that asks for confirmations has the
 * contact asked. Throws 404, and 422 for a no of a contact without an address (a no is of the address, and outlives the
 * contact) or a question to one.
 */
export async function setContactTopic({ sql }: Deps, caller: Caller, choice: Choice): Promise<ContactTopic> {
  const { workspaceId } = caller
  const { contactId, topicId, state } = choice
  return inTransaction(sql, workspaceId, async (tx) => {
    await holdForConsent(tx, workspaceId, [contactId])
    const { email } = await contactOf(tx, workspaceId, contactId)
    if (!(await holdTopic(tx, workspaceId, topicId))) throw notFound()
    const topicNow = async () =>
      (await contactTopics(tx, workspaceId, contactId)).find((topic) => topic.topicId === topicId)
    const before = (await topicNow())!
    const needsAddress = state === 'unsubscribed' || before.doubleOptIn
    if (email === null && needsAddress) {
      throw unprocessable([{ pointer: '/state', detail: 'needs a contact with an email address' }])
    }
    await say(tx, workspaceId, { ...choice, email, before })
    const after = (await topicNow())!
    if (before.state !== after.state) {
      const target = { type: 'contact', id: contactId, name: null }
      const diff = { [topicSource(topicId)]: { from: before.state, to: after.state } }
      await recordAudit(tx, caller, { action: 'contact.choose_topic', target, diff })
    }
    return after
  })
}

type Word = Choice & { email: string | null; before: ContactTopic }

async function say(tx: Transaction, workspaceId: string, { email, before, ...choice }: Word): Promise<void> {
  const { contactId, topicId, state } = choice
  const who = { destination: email ?? '', messageId: null, byWhom: 'workspace', ip: null } as const
  if (state === 'unsubscribed') {
    // Their mails go with them, where nobody hands them over yet.
    await cancelMessages(tx, workspaceId, await deleteRequests(tx, workspaceId, { contactId, topicId }))
    await unsubscribe(tx, workspaceId, { ...who, sendingSource: topicSource(topicId) })
  } else if (!before.doubleOptIn) {
    const sendingSource = topicSource(topicId)
    const back = email === null ? [] : await resubscribe(tx, workspaceId, { ...who, sources: [sendingSource] })
    const said = await subscribeTo(tx, workspaceId, { topicIds: [topicId], contactId, byWhom: 'workspace' })
    // One that took back a no is in the history by that.
    const told = { contactId, change: 'imported', sendingSource, byWhom: 'workspace' } as const
    if (said.length > 0 && back.length === 0) await noteContactConsents(tx, workspaceId, [told])
  } else if (before.state !== 'subscribed') {
    await askUnlessAsked(tx, { workspaceId, contactId, byWhom: 'workspace', topicId })
  }
}

async function contactOf(tx: Transaction, workspaceId: string, contactId: string) {
  const [contact] = await contactsWithIds(tx, workspaceId, [contactId])
  if (contact === undefined) throw notFound()
  return contact
}
