import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * Hands what a contact said yes to over to another, before the first is merged into it. The last word counts: not what the
 * address of the other has said no to since, by itself or, where a topic goes to everyone, with all newsletters.
 */
export async function moveSubscriptions(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_topic_subscriptions',
    text: `insert into topic_subscriptions (workspace_id, topic_id, contact_id, by_whom, created_at)
      select s.workspace_id, s.topic_id, $3, s.by_whom, s.created_at from topic_subscriptions s
      join topics t on t.workspace_id = $1 and t.id = s.topic_id and t.deleted_at is null
      where s.workspace_id = $1 and s.contact_id = $2 and not exists (
        select from contacts c
        join unsubscribes u on u.workspace_id = $1 and u.destination = c.email and u.created_at >= s.created_at
        where c.workspace_id = $1 and c.id = $3 and (u.sending_source = 'topic:' || s.topic_id
          or (t.subscription = 'everyone' and u.sending_source in ('broadcasts', 'everything'))))
      for key share of t
      on conflict (workspace_id, topic_id, contact_id) do nothing`,
    values: [workspaceId, fromId, toId],
  })
}
