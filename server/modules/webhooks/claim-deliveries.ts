import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type DeliveryTurn, WEBHOOK_LANES } from './lanes.ts'

const PUT_OFF_SECONDS = 60

/** A delivery whose next attempt has begun. */
export type ClaimedDelivery = {
  workspaceId: string
  endpointId: string
  turn: string
  deliveryId: string
  createdAt: string
  attempt: number
  eventType: string
  body: string
}

/**
 * Claims up to `limit` due deliveries of a lane for its running turn, oldest first, and counts the attempt before
 * anything is sent. Claims nothing for a turn that was superseded or an endpoint that was paused.
 */
export function claimDeliveries(pool: pg.Pool, turn: DeliveryTurn, limit: number): Promise<ClaimedDelivery[]> {
  return queryInScope<ClaimedDelivery>(pool, turn.workspaceId, {
    name: 'claim_deliveries',
    // Found once, by ctid and by key behind `offset 0`: joins here would be planned from statistics of a table that is
    // empty at one moment and full at the next. One that is moved up as the statement begins has another place by then, for the next claim.
    // One whose delivery is not to be seen is put off: its month is being taken out, and comes back (expire-partitions.ts).
    text: `with held as materialized (${WEBHOOK_LANES.held} for key share), claimed as (
        update delivery_queue q set (attempt, turn, claimed_at, due_at) = (
          select q.attempt + n, case n when 1 then $3::bigint end, case n when 1 then clock_timestamp() end,
            case n when 1 then q.due_at else now() + interval '${PUT_OFF_SECONDS} seconds' end
          from (select count(*)::int as n from deliveries d
            where d.workspace_id = $1 and d.id = q.delivery_id and d.created_at = q.delivery_created_at) seen)
        where q.ctid = any (array(
          select due.ctid from delivery_queue due
          where due.workspace_id = $1 and due.endpoint_id = $2 and due.due_at <= now() and due.turn is null
            and exists (select from held)
            and exists (select from webhook_endpoints where workspace_id = $1 and id = $2 and enabled)
          order by due.due_at, due.delivery_id limit $4 for update of due skip locked))
        returning q.delivery_id, q.delivery_created_at, q.attempt
      )
      select $1::bigint as "workspaceId", $2::bigint as "endpointId", $3::bigint as turn, c.delivery_id as "deliveryId",
        c.delivery_created_at as "createdAt", c.attempt, d.event_type as "eventType", d.body
      from claimed c cross join lateral (
        select event_type, body from deliveries
        where workspace_id = $1 and id = c.delivery_id and created_at = c.delivery_created_at offset 0) d
      order by c.delivery_id`,
    values: [turn.workspaceId, turn.endpointId, turn.turn, limit],
    plan: 'once',
  })
}
