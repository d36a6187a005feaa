import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'

/** Somebody who agreed to mail in another system, and what of. */
export type ImportedYes = { contactId: string; topicIds: readonly string[] }

/**
 * Notes what people said yes to elsewhere. Nobody comes back by it: an address that has left the topic, all newsletters or
 * everything stays as it is.
 */
export async function subscribeImported(
  tx: Queryable,
  workspaceId: string,
  given: readonly ImportedYes[],
): Promise<void> {
  const pairs = given.flatMap(({ contactId, topicIds }) => topicIds.map((topicId) => ({ contactId, topicId })))
  if (pairs.length === 0) return
  await tx.query({
    name: 'subscribe_imported',
    text: `insert into topic_subscriptions (workspace_id, topic_id, contact_id, by_whom)
      select $1, t.id, c.id, 'workspace'
      from (select distinct contact_id, topic_id from unnest($2::int8[], $3::int8[]) as g (contact_id, topic_id)) g
        join topics t on t.workspace_id = $1 and t.id = g.topic_id
        join contacts c on c.workspace_id = $1 and c.id = g.contact_id
      where not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = c.email
        and u.sending_source in ('everything', 'broadcasts', 'topic:' || t.id))
      order by t.id, c.id
      for key share of t
      on conflict do nothing`,
    values: [
      workspaceId,
      int8Array(pairs.map(({ contactId }) => contactId)),
      int8Array(pairs.map(({ topicId }) => topicId)),
    ],
  })
}
