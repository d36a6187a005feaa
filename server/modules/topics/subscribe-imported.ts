import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { holdForConsent } from '../consents/hold-for-consent.ts'

/** Somebody who agreed to mail in another system, what of, and whether it tells when they confirmed it. */
export type ImportedYes = { contactId: string; topicIds: readonly string[]; isConfirmed: boolean }

/**
 * Notes what people said yes to elsewhere. Nobody comes back by it: an address that has left the topic, all newsletters or
 * everything stays as it is, and a topic that asks for confirmations takes nobody who has not confirmed. Returns the yeses that were news.
 */
export async function subscribeImported(
  tx: Transaction,
  workspaceId: string,
  given: readonly ImportedYes[],
): Promise<{ contactId: string; topicId: string }[]> {
  const pairs = given.flatMap(({ topicIds, ...yes }) => topicIds.map((topicId) => ({ topicId, ...yes })))
  if (pairs.length === 0) return []
  // Of a no that is said at the same time the statement behind this one knows.
  await holdForConsent(
    tx,
    workspaceId,
    pairs.map(({ contactId }) => contactId),
  )
  const { rows } = await tx.query<{ contactId: string; topicId: string }>({
    name: 'subscribe_imported',
    text: `insert into topic_subscriptions (workspace_id, topic_id, contact_id, by_whom)
      select $1, t.id, c.id, 'workspace'
      from (select contact_id, topic_id, bool_or(is_confirmed) as is_confirmed
          from unnest($2::int8[], $3::int8[], $4::bool[]) as g (contact_id, topic_id, is_confirmed) group by 1, 2) g
        join topics t on t.workspace_id = $1 and t.id = g.topic_id and t.deleted_at is null and (g.is_confirmed or not t.double_opt_in)
        join contacts c on c.workspace_id = $1 and c.id = g.contact_id
      where not exists (select from unsubscribes u where u.workspace_id = $1 and u.destination = c.email
        and u.sending_source in ('everything', 'broadcasts', 'topic:' || t.id))
      order by t.id, c.id
      for key share of t
      on conflict do nothing
      returning contact_id as "contactId", topic_id as "topicId"`,
    values: [
      workspaceId,
      int8Array(pairs.map(({ contactId }) => contactId)),
      int8Array(pairs.map(({ topicId }) => topicId)),
      pairs.map(({ isConfirmed }) => isConfirmed),
    ],
  })
  return rows
}
