import type pg from 'pg'
import { queryInScope } from '../../platform/db/transaction.ts'
import { type DeliveryTurn, WEBHOOK_LANES } from './lanes.ts'

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
    // empty at one moment and full at the next.
    text: `with held as materialized (${WEBHOOK_LANES.held} for key share), claimed as (
        update delivery_queue q set attempt = attempt + 1, turn = $3, claimed_at = clock_timestamp()
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
  })
}
