import { int8Array } from '../../platform/db/arrays.ts'
import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { Use } from '../../platform/problem.ts'
import { type PageQuery, rowsBefore } from '../../platform/schema/paging.ts'
import type { Topic } from './schemas.ts'

/** Topics of a workspace: a reader's page shows them all. */
export const TOPICS_MAX = 200

export type TopicContent = Pick<Topic, 'name' | 'description' | 'visibility' | 'subscription' | 'doubleOptIn'>

const TOPIC = `t.id, t.name, t.description, t.visibility, t.subscription, t.double_opt_in as "doubleOptIn", t.created_at as "createdAt",
  t.updated_at as "updatedAt"`

export function topicByIdStatement(workspaceId: string, id: string): Statement<Topic> {
  return {
    name: 'topic_by_id',
    text: `select ${TOPIC} from topics t where t.workspace_id = $1 and t.id = $2 and t.deleted_at is null`,
    values: [workspaceId, id],
  }
}

export function topicsPageStatement(workspaceId: string, page: PageQuery): Statement<Topic> {
  return {
    name: 'topics_page',
    text: `select ${TOPIC} from topics t where t.workspace_id = $1 and t.deleted_at is null order by t.id limit $2 offset $3`,
    values: [workspaceId, page.pageSize, rowsBefore(page)],
  }
}

export function topicsTotalStatement(workspaceId: string): Statement<{ total: string }> {
  return {
    name: 'topics_total',
    text: 'select count(*) as total from topics where workspace_id = $1 and deleted_at is null',
    values: [workspaceId],
  }
}

export async function topicForChange(tx: Queryable, workspaceId: string, id: string): Promise<Topic | undefined> {
  const { text, values } = topicByIdStatement(workspaceId, id)
  const { rows } = await tx.query<Topic>({ name: 'topic_for_change', text: `${text} for update`, values })
  return rows[0]
}

/** Counts a workspace's topics, and keeps others from adding some until the transaction ends. */
export async function countForAdding(tx: Queryable, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_topics',
    text: `select pg_advisory_xact_lock(hashtextextended('topics', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ total: number }>({
    name: 'count_topics',
    text: 'select count(*)::int as total from topics where workspace_id = $1 and deleted_at is null',
    values: [workspaceId],
  })
  return rows[0]!.total
}

export async function insertTopic(tx: Queryable, workspaceId: string, topic: TopicContent): Promise<Topic> {
  const { rows } = await tx.query<Topic>({
    name: 'insert_topic',
    text: `insert into topics as t (workspace_id, name, description, visibility, subscription, double_opt_in)
      values ($1, $2, $3, $4, $5, $6) returning ${TOPIC}`,
    values: [...[workspaceId, topic.name, topic.description, topic.visibility, topic.subscription, topic.doubleOptIn]],
  })
  return rows[0]!
}

export async function updateTopicRow(tx: Queryable, workspaceId: string, topic: Topic): Promise<Topic> {
  const { rows } = await tx.query<Topic>({
    name: 'update_topic',
    text: `update topics t set name = $3, description = $4, visibility = $5, subscription = $6, double_opt_in = $7,
        updated_at = now()
      where t.workspace_id = $1 and t.id = $2 returning ${TOPIC}`,
    values: [
      ...[workspaceId, topic.id, topic.name, topic.description, topic.visibility, topic.subscription],
      topic.doubleOptIn,
    ],
  })
  return rows[0]!
}

/** Broadcasts that are of it and have not ended; one that failed may be taken up again. */
export async function broadcastsOfTopic(tx: Queryable, workspaceId: string, id: string): Promise<Use[]> {
  const { rows } = await tx.query<{ id: string; name: string }>({
    name: 'broadcasts_of_topic',
    text: `select id, name from broadcasts where workspace_id = $1 and topic_id = $2
      and status not in ('sent', 'canceled') order by id`,
    values: [workspaceId, id],
  })
  return rows.map((row) => ({ type: 'broadcast', ...row }))
}

/**
 * Takes a topic away from everybody; the job `drop_topic` deletes it. Its name is free: it has one now that nobody can give, for
 * names have no control characters.
 */
export async function markTopicDeleted(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  await tx.query({
    name: 'mark_topic_deleted',
    text: 'update topics set deleted_at = now(), name = chr(1) || id where workspace_id = $1 and id = $2',
    values: [workspaceId, id],
  })
}

/** Says yes for a contact, and returns the topics it is news of; of a second yes only that it is the person's own is some. */
export async function insertSubscriptions(
  tx: Queryable,
  workspaceId: string,
  { topicIds, contactId, byWhom }: { topicIds: readonly string[]; contactId: string; byWhom: 'person' | 'workspace' },
): Promise<string[]> {
  const { rows } = await tx.query<{ topicId: string }>({
    name: 'insert_topic_subscriptions',
    text: `insert into topic_subscriptions as s (workspace_id, topic_id, contact_id, by_whom)
      select $1, t.id, $3, $4 from topics t
      where t.workspace_id = $1 and t.id = any ($2::int8[]) and t.deleted_at is null
      on conflict (workspace_id, topic_id, contact_id) do update set by_whom = 'person'
      where excluded.by_whom = 'person' and s.by_whom <> 'person'
      returning topic_id as "topicId"`,
    values: [workspaceId, int8Array(topicIds), contactId, byWhom],
  })
  return rows.map(({ topicId }) => topicId)
}

export async function deleteSubscriptions(
  tx: Queryable,
  workspaceId: string,
  { topicIds, contactId }: { topicIds: readonly string[]; contactId: string },
): Promise<void> {
  await tx.query({
    name: 'delete_topic_subscriptions',
    text: 'delete from topic_subscriptions where workspace_id = $1 and contact_id = $2 and topic_id = any ($3::int8[])',
    values: [workspaceId, contactId, int8Array(topicIds)],
  })
}
