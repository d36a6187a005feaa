import { planOnce, type Transaction } from '../../../platform/db/transaction.ts'
import { settleAllowance, takeAllowance } from '../../pacing/daily-allowance.ts'
import { holdLane, SEND_LANES, type SendTurn } from '../lanes.ts'
import { EXPIRY_HOURS, queuedRefusal } from '../ledger/refusal.ts'
import { type ClaimedMessage, ORIGIN } from '../message-source.ts'
import { type RestraintsNow, restraintsOf } from '../restraint/restraints.ts'
import type { RefusedMessage } from './settle-refused.ts'

/** A claimed message with what proves that it is still this turn's. */
export type Claim = ClaimedMessage & {
  streamId: string
  slot: number
  turn: string
  integrationId: string
  /** Milliseconds from the claim until it is given up. */
  expiresInMs: number
  /** By `performance.now()`: when quiet hours begin for its person; never when absent. */
  quietFrom?: number
}

/** The limits of a turn's claim: the integration it goes through, and how much of it. */
export type Claiming = { turn: SendTurn; integrationId: string; perDay: number | null; wanted: number }

/** `refused` are claimed as well, to be settled at once. `retryAt`: the 24-hour limit is used up until then. */
export type Claimed = {
  claims: Claim[]
  refused: RefusedMessage[]
  retryAt: string | null
  /** Restraints that marketing mail among the claims heeds (hold-back.ts); undefined: none. */
  restraints: RestraintsNow | undefined
}

/**
 * Claims due messages of a stream for its running turn, those due longest first, as many as the integration's 24-hour
 * limit lets through. The time of a broadcast's or an automation's message begins with its first attempt: a limit, a pause
 * or a hold of days does not use it up. Messages to people who must not be mailed by now are `refused`
 * (settle-refused.ts). Claims nothing for a turn that was superseded or a stream that is closed, and says so when the
 * integration was deleted meanwhile.
 */
export async function claimMessages(
  tx: Transaction,
  { turn, integrationId, perDay, wanted }: Claiming,
): Promise<Claimed | 'no_integration'> {
  const { workspaceId, streamId, slot } = turn
  const ofAutomation = turn.sourceKind === 'automation'
  planOnce(tx)
  // The lane before the allowance, as everywhere (lanes.ts). The shared lock makes a claim and the next turn's beginning
  // wait for each other; what the claim sees, it sees after that.
  const [, allowance, restraints] = await Promise.all([
    holdLane(tx, turn),
    takeAllowance(tx, { workspaceId, integrationId, perDay, wanted }),
    restraintsOf(tx, workspaceId),
  ])
  if (allowance === undefined) return 'no_integration'
  const { granted, retryAt } = allowance
  if (granted === 0) return { claims: [], refused: [], retryAt, restraints }
  const { rows } = await tx.query<Claim & { refusal: string | null }>({
    name: ofAutomation ? 'claim_run_messages' : 'claim_messages',
    // As claim_deliveries: found once by ctid, then by key behind `offset 0`, because the queue has no statistics. One that was made due
    // or given back since the statement began has another place by now: it is left for the next claim.
    text: `with held as materialized (${SEND_LANES.held}), claimed as materialized (
        update message_queue q set slot = $3, turn = $4, integration_id = $5,
          expires_at = case when $7 and q.attempt = 0 then now() + make_interval(hours => $8) else q.expires_at end
        where q.ctid = any (array(
          select due.ctid from message_queue due
          where due.workspace_id = $1 and due.stream_id = $2 and due.due_at <= now() and due.turn is null
            and exists (select from held)
            and exists (select from send_streams where workspace_id = $1 and id = $2 and state = 'open')
          order by due.due_at, due.message_id limit $6 for update of due skip locked))
        returning q.message_id, q.message_created_at, q.attempt, q.expires_at, q.due_at
      )
      select m.workspace_id as "workspaceId", m.id, m.created_at as "createdAt", ${ORIGIN},
        m.contact_id as "contactId", m.destination, c.attempt + 1 as attempt, $2::bigint as "streamId", $3::int as slot,
        $4::bigint as turn, $5::bigint as "integrationId",
        (extract(epoch from c.expires_at - now()) * 1000)::float8 as "expiresInMs", ${queuedRefusal(ofAutomation)} as refusal
      from claimed c cross join lateral (
        select * from messages where workspace_id = $1 and id = c.message_id and created_at = c.message_created_at offset 0) m
      order by c.due_at, m.id`,
    values: [
      ...[workspaceId, streamId, slot, turn.turn, integrationId, granted],
      ...[turn.sourceId !== null, EXPIRY_HOURS],
    ],
  })
  const claims = rows.filter(({ refusal }) => refusal === null)
  const refused = rows.flatMap(({ id, refusal }) => (refusal === null ? [] : [{ id, refusal }]))
  const unused = granted - rows.length
  if (unused > 0) await settleAllowance(tx, workspaceId, [{ integrationId, sent: 0, unused }])
  // With fewer than granted nothing more is due, or somebody was passed over who does not count.
  return { claims, refused, retryAt: claims.length === granted ? retryAt : null, restraints }
}
