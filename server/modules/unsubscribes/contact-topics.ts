import type pg from 'pg'
import { notFound, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { contactsWithIds } from '../contacts/contacts-with-ids.ts'
import type { ContactTopic } from '../topics/schemas.ts'
import { isWanted, type PersonalTopic, subscribeTo, topicSource, topicsOfPerson } from '../topics/topics-of-person.ts'
import { sourcesOf } from './queries.ts'
import { resubscribe, unsubscribe } from './unsubscribe.ts'

type Deps = { sql: pg.Pool }

/** All topics of the workspace as they stand for a contact, by name. Throws 404. */
export function listContactTopics({ sql }: Deps, workspaceId: string, contactId: string): Promise<ContactTopic[]> {
  return inTransaction(sql, workspaceId, (tx) => contactTopics(tx, workspaceId, contactId))
}

async function contactTopics(tx: Transaction, workspaceId: string, contactId: string): Promise<ContactTopic[]> {
  const { email } = await contactOf(tx, workspaceId, contactId)
  const gone = email === null ? new Set<string>() : await sourcesOf(tx, workspaceId, email)
  return (await topicsOfPerson(tx, workspaceId, contactId)).map((topic) => contactTopicOf(topic, gone))
}

function contactTopicOf(topic: PersonalTopic, gone: ReadonlySet<string>): ContactTopic {
  const { id, name, subscription, isSubscribed } = topic
  const state = gone.has(topicSource(id)) ? 'unsubscribed' : isSubscribed ? 'subscribed' : 'default'
  return { topicId: id, name, subscription, state, wanted: isWanted(topic, gone) }
}

type Choice = { contactId: string; topicId: string; state: 'subscribed' | 'unsubscribed' }

/**
 * Says for a contact, at the workspace's word, that it wants a topic or does not. Throws 404, and 422 for a no of a contact
 * without an address: a no is of the address, and outlives the contact.
 */
export async function setContactTopic({ sql }: Deps, caller: Caller, choice: Choice): Promise<ContactTopic> {
  const { workspaceId } = caller
  const { contactId, topicId, state } = choice
  return inTransaction(sql, workspaceId, async (tx) => {
    const { email } = await contactOf(tx, workspaceId, contactId)
    const before = (await contactTopics(tx, workspaceId, contactId)).find((topic) => topic.topicId === topicId)
    if (before === undefined) throw notFound()
    const who = { destination: email ?? '', messageId: null, byWhom: 'workspace', ip: null } as const
    if (state === 'subscribed') {
      if (email !== null) await resubscribe(tx, workspaceId, { ...who, sources: [topicSource(topicId)] })
      await subscribeTo(tx, workspaceId, { topicIds: [topicId], contactId, byWhom: 'workspace' })
    } else {
      if (email === null) throw unprocessable([{ pointer: '/state', detail: 'needs a contact with an email address' }])
      await unsubscribe(tx, workspaceId, { ...who, sendingSource: topicSource(topicId) })
    }
    if (before.state !== state) {
      const target = { type: 'contact', id: contactId, name: null }
      const diff = { [topicSource(topicId)]: { from: before.state, to: state } }
      await recordAudit(tx, caller, { action: 'contact.choose_topic', target, diff })
    }
    return (await contactTopics(tx, workspaceId, contactId)).find((topic) => topic.topicId === topicId)!
  })
}

async function contactOf(tx: Transaction, workspaceId: string, contactId: string) {
  const [contact] = await contactsWithIds(tx, workspaceId, [contactId])
  if (contact === undefined) throw notFound()
  return contact
}
