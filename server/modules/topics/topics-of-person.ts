import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { Topic } from './schemas.ts'
import { deleteSubscriptions, insertSubscriptions, TOPICS_MAX, topicByIdStatement } from './topic-queries.ts'

/** A topic, and whether a contact has said yes to it. */
export type PersonalTopic = Pick<
  Topic,
  'id' | 'name' | 'description' | 'visibility' | 'subscription' | 'doubleOptIn'
> & {
  isSubscribed: boolean
}

/** All topics of a workspace as they stand for a contact, by name; without one nobody has said yes. */
export async function topicsOfPerson(
  tx: Queryable,
  workspaceId: string,
  contactId: string | null,
): Promise<PersonalTopic[]> {
  const { rows } = await tx.query<PersonalTopic>({
    name: 'topics_of_person',
    text: `select t.id, t.name, t.description, t.visibility, t.subscription, t.double_opt_in as "doubleOptIn",
        s.contact_id is not null as "isSubscribed"
      from topics t
      left join topic_subscriptions s on s.workspace_id = t.workspace_id and s.topic_id = t.id and s.contact_id = $2
      where t.workspace_id = $1 and t.deleted_at is null order by t.name, t.id limit $3`,
    values: [workspaceId, contactId, TOPICS_MAX],
  })
  return rows
}

export type Choice = { contactId: string; byWhom: 'person' | 'workspace' }

/** Notes that a contact wants topics, and returns those it is news of; that it does not is an unsubscribe, and this is taken back with it. */
export async function subscribeTo(
  tx: Queryable,
  workspaceId: string,
  { topicIds, ...choice }: Choice & { topicIds: readonly string[] },
): Promise<string[]> {
  return topicIds.length === 0 ? [] : await insertSubscriptions(tx, workspaceId, { topicIds, ...choice })
}

export async function endSubscriptions(
  tx: Queryable,
  workspaceId: string,
  { topicIds, contactId }: { topicIds: readonly string[]; contactId: string },
): Promise<void> {
  if (topicIds.length > 0) await deleteSubscriptions(tx, workspaceId, { topicIds, contactId })
}

/** Takes back what contacts said yes to of the topics that go to everyone. */
export async function endSubscriptionsForEveryone(
  tx: Queryable,
  workspaceId: string,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return
  await tx.query({
    name: 'end_subscriptions_for_everyone',
    text: `delete from topic_subscriptions s using topics t
      where s.workspace_id = $1 and s.contact_id = any ($2::int8[]) and t.workspace_id = $1 and t.id = s.topic_id
        and t.subscription = 'everyone'`,
    values: [workspaceId, int8Array(contactIds)],
  })
}

/** Holds a topic: it is not deleted until the transaction ends. False for one that is no more. */
export async function holdTopic(tx: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'hold_topic',
    text: 'select from topics where workspace_id = $1 and id = $2 and deleted_at is null for key share',
    values: [workspaceId, id],
  })
  return rowCount !== 0
}

export async function isTopic(tx: Queryable, workspaceId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(topicByIdStatement(workspaceId, id))
  return rowCount !== 0
}

export const topicSource = (id: string): `topic:${string}` => `topic:${id}`

/** Whether mail of a topic goes to somebody, by what they and the workspace have said. */
export function isWanted(topic: PersonalTopic, unsubscribed: ReadonlySet<string>): boolean {
  if (unsubscribed.has('everything') || unsubscribed.has(topicSource(topic.id))) return false
  if (topic.isSubscribed) return true
  return topic.subscription === 'everyone' && !unsubscribed.has('broadcasts')
}
