import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Settled, settleAllowance } from '../../pacing/daily-allowance.ts'
import type { SendTurn } from '../lanes.ts'
import { followMerged } from './follow-merged.ts'

/** A claimed message that must not be sent by now; `refusal` is `state:reason` (refusal.ts). */
export type RefusedMessage = { id: string; refusal: string }

/**
 * Settles messages that the turn claimed and that must not be sent any more, and puts those back whose contact is part of another now. In a transaction of its own, because the
 * claim's has the allowance locked already (lanes.ts). Until this commits they are claims like any others, which the
 * lane's next turn gives back.
 */
export async function settleRefused(
  tx: Transaction,
  turn: SendTurn,
  refused: readonly RefusedMessage[],
): Promise<void> {
  // The refusals may be of any kind: a yes to a topic has gone along with the contact.
  const followed = await followMerged(
    tx,
    turn,
    refused.map(({ id }) => id),
  )
  const settled = await recordRefused(
    tx,
    turn,
    refused.filter(({ id }) => !followed.ids.has(id)),
  )
  await settleAllowance(tx, turn.workspaceId, [...followed.settled, ...settled])
}

/** Takes refused messages out of the queue and into the ledger; answers what is to be settled of the allowance after that. */
export async function recordRefused(
  tx: Transaction,
  { workspaceId, slot, turn }: SendTurn,
  refused: readonly RefusedMessage[],
): Promise<Settled[]> {
  if (refused.length === 0) return []
  const { rows } = await tx.query<Settled>({
    name: 'settle_refused_messages',
    text: `with refused as materialized (
        select * from unnest($4::int8[], $5::text[]) as r(message_id, refusal)
      ), gone as (
        delete from message_queue
        where workspace_id = $1 and message_id = any ($4::int8[]) and slot = $2 and turn = $3 and handing_at is null
        returning message_id, message_created_at, integration_id
      ), settled as (
        update messages m set state = split_part(refusal, ':', 1), reason = split_part(refusal, ':', 2), settled_at = now()
        from gone join refused using (message_id)
        where m.workspace_id = $1 and m.id = gone.message_id and m.created_at = gone.message_created_at
          and m.state = 'pending'
      )
      select integration_id as "integrationId", 0 as sent, count(*)::int as unused from gone group by 1`,
    values: [
      ...[workspaceId, slot, turn],
      int8Array(refused.map(({ id }) => id)),
      textArray(refused.map(({ refusal }) => refusal)),
    ],
  })
  return rows
}
