import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Verdict } from './judge-hit.ts'
import type { HitKind } from './request-signals.ts'

/** A request for the picture or a link of a message. `verdict` is null for some ten seconds. */
export type MessageHit = {
  messageId: string
  at: string
  kind: HitKind
  link: number | null
  url: string | null
  ip: string | null
  userAgent: string | null
  verdict: Verdict | null
}

export const HITS_READ_MAX = 10_000

/**
 * Opens and clicks of messages, of each in the order it happened and the newest message first; of one link at
 * most twenty, of all at most HITS_READ_MAX.
 */
export async function hitsOfMessages(
  tx: Transaction,
  workspaceId: string,
  messageIds: readonly string[],
): Promise<MessageHit[]> {
  const { rows } = await tx.query<MessageHit>({
    name: 'hits_of_messages',
    text: `select message_id as "messageId", at, kind, link, url, host(ip) as ip, user_agent as "userAgent", verdict
      from message_hits where workspace_id = $1 and message_id = any ($2::int8[])
      order by message_id desc, at, id limit $3`,
    values: [workspaceId, int8Array(messageIds), HITS_READ_MAX],
  })
  return rows
}

/** Forgets who opened and clicked what of these messages, and from where. Totals stay: they name nobody. */
export async function eraseHits(tx: Transaction, workspaceId: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  await tx.query({
    name: 'erase_hits',
    text: 'delete from message_hits where workspace_id = $1 and message_id = any ($2::int8[])',
    values: [workspaceId, int8Array(messageIds)],
  })
}
