import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Settled } from '../../pacing/daily-allowance.ts'
import type { SendTurn } from '../lanes.ts'
import { moveMessages } from '../ledger/move-messages.ts'

type Followed = { id: string; integrationId: string; mergedId: string; survivorId: string }

/**
 * Gives claimed messages whose contact was merged to the one that it is part of, and puts them back, to be claimed at once. A merge moves the
 * messages that it sees, which are none of a chunk that is planned beside it. Answers which they were, and what is to be settled of the allowance.
 */
export async function followMerged(
  tx: Transaction,
  { workspaceId, slot, turn }: SendTurn,
  messageIds: readonly string[],
): Promise<{ ids: ReadonlySet<string>; settled: Settled[] }> {
  // The queue's rows before the ledger's: the order of locks (lanes.ts).
  const { rows: merged } = await tx.query<Followed>({
    name: 'claims_of_merged',
    text: `select q.message_id as id, q.integration_id as "integrationId", w.merged_id as "mergedId", w.survivor_id as "survivorId"
      from message_queue q
        join messages m on m.workspace_id = $1 and m.id = q.message_id and m.created_at = q.message_created_at
        join contact_merges w on w.workspace_id = $1 and w.merged_id = m.contact_id
      where q.workspace_id = $1 and q.message_id = any ($2::int8[]) and q.slot = $3 and q.turn = $4 for update of q`,
    values: [workspaceId, int8Array(messageIds), slot, turn],
  })
  if (merged.length === 0) return { ids: new Set(), settled: [] }
  const survivors = new Map(merged.map(({ mergedId, survivorId }) => [mergedId, survivorId]))
  await moveMessages(tx, { workspaceId, mergedIds: [...survivors.keys()], survivorIds: [...survivors.values()] }, 0)
  const { rows: back } = await tx.query<{ id: string }>({
    name: 'put_back_claims_of_merged',
    text: `update message_queue q set slot = null, turn = null, integration_id = null, due_at = now()
      from messages m
      where q.workspace_id = $1 and q.message_id = any ($2::int8[]) and q.slot = $3 and q.turn = $4
        and m.workspace_id = $1 and m.id = q.message_id and m.created_at = q.message_created_at and m.contact_id = any ($5::int8[])
      returning q.message_id as id`,
    values: [workspaceId, int8Array(merged.map(({ id }) => id)), slot, turn, int8Array([...survivors.values()])],
  })
  const ids = new Set(back.map(({ id }) => id))
  const integrations = Map.groupBy(
    merged.filter(({ id }) => ids.has(id)),
    ({ integrationId }) => integrationId,
  )
  return { ids, settled: [...integrations].map(([id, of]) => ({ integrationId: id, sent: 0, unused: of.length })) }
}
