import type { Queryable } from '../../platform/db/transaction.ts'
import type { Topic } from './schemas.ts'
import { deleteSubscriptions, insertSubscriptions } from './topic-queries.ts'

/** A topic, and whether a contact has said yes to it. */
export type PersonalTopic = Pick<Topic, 'id' | 'name' | 'description' | 'visibility' | 'subscription'> & {
  isSubscribed: boolean
}

/** Topics that a workspace may have on one page: the whole list is shown. */
const SHOWN_MAX = 200

/** All topics of a workspace as they stand for a contact, by name; without one nobody has said yes. */
export async function topicsOfPerson(
  tx: Queryable,
  workspaceId: string,
  contactId: string | null,
): Promise<PersonalTopic[]> {
  const { rows } = await tx.query<PersonalTopic>({
    name: 'topics_of_person',
    text: `select t.id, t.name, t.description, t.visibility, t.subscription, s.contact_id is not null as "isSubscribed"
      from topics t
      left join topic_subscriptions s on s.workspace_id = t.workspace_id and s.topic_id = t.id and s.contact_id = $2
      where t.workspace_id = $1 order by t.name, t.id limit $3`,
    values: [workspaceId, contactId, SHOWN_MAX],
  })
  return rows
}

export type Choice = { contactId: string; byWhom: 'person' | 'workspace' }

/** Notes that a contact wants topics; that it does not is an unsubscribe, and this is taken back with it. */
export async function subscribeTo(
  tx: Queryable,
  workspaceId: string,
  { topicIds, ...choice }: Choice & { topicIds: readonly string[] },
): Promise<void> {
  if (topicIds.length > 0) await insertSubscriptions(tx, workspaceId, { topicIds, ...choice })
}

export async function endSubscriptions(
  tx: Queryable,
  workspaceId: string,
  { topicIds, contactId }: { topicIds: readonly string[]; contactId: string },
): Promise<void> {
  if (topicIds.length > 0) await deleteSubscriptions(tx, workspaceId, { topicIds, contactId })
}

export const topicSource = (id: string): `topic:${string}` => `topic:${id}`

/** Whether mail of a topic goes to somebody, by what they and the workspace have said. */
export function isWanted(topic: PersonalTopic, unsubscribed: ReadonlySet<string>): boolean {
  if (unsubscribed.has('everything') || unsubscribed.has(topicSource(topic.id))) return false
  if (topic.isSubscribed) return true
  return topic.subscription === 'everyone' && !unsubscribed.has('broadcasts')
}
