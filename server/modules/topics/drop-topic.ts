import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'

const YESES_MAX = 5_000

type Dropped = { workspaceId: string; topicId: string }

/** Enqueued in the transaction that takes the topic away from everybody. */
export const DROP_TOPIC = jobKind<Dropped>({
  kind: 'drop_topic',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * Deletes a topic that is nobody's any more: the yes of everybody to it in steps, and at last the topic, with the yes of those who said
 * it in the moment in which it was taken away.
 */
export async function dropTopic(pool: pg.Pool, dropped: Dropped, shouldYield: () => boolean): Promise<'done' | 'more'> {
  const { workspaceId } = dropped
  const size = new StepSize(YESES_MAX)
  const work = (tx: Transaction, limit: number) => deleteYeses(tx, dropped, limit)
  while ((await boundedStep(pool, workspaceId, { size, work })) > 0) if (shouldYield()) return 'more'
  await boundedStep(pool, workspaceId, { size: new StepSize(1), work: (tx) => deleteTopicRow(tx, dropped) })
  return 'done'
}

/** A yes that is said anew meanwhile has another place by then: the next step takes it, or it goes with the topic. */
async function deleteYeses(tx: Transaction, { workspaceId, topicId }: Dropped, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete_yeses_to_topic',
    text: `delete from topic_subscriptions where ctid = any (array(
        select ctid from topic_subscriptions where workspace_id = $1 and topic_id = $2 limit $3 for update))`,
    values: [workspaceId, topicId, limit],
  })
  return rowCount ?? 0
}

async function deleteTopicRow(tx: Transaction, { workspaceId, topicId }: Dropped): Promise<void> {
  await tx.query({
    name: 'delete_topic',
    text: 'delete from topics where workspace_id = $1 and id = $2 and deleted_at is not null',
    values: [workspaceId, topicId],
  })
}
