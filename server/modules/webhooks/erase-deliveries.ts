import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { BODY } from './delivery-body.ts'

/**
 * Keeps recoveries of the workspace's endpoints out until the transaction ends: they make deliveries of stored events and
 * must not do so from events that are being erased. Called before those are touched.
 */
export async function holdRecoveries(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query('select from webhook_endpoints where workspace_id = $1 order by id for share', [workspaceId])
}

/** Every endpoint that has deliveries, those included that are gone, by a walk over the index of deliveries. */
const ENDPOINTS = `with recursive endpoint(id) as (
    select min(endpoint_id) from deliveries where workspace_id = $1
    union all
    select (select min(d.endpoint_id) from deliveries d where d.workspace_id = $1 and d.endpoint_id > e.id)
    from endpoint e where e.id is not null
  )`
/** Two lists of keys and no join: PostgreSQL has nothing to choose but the index by endpoint and event. */
const OF_EVENTS = `d.workspace_id = $1 and d.endpoint_id = any (array(select id from endpoint where id is not null))
  and d.event_id = any ($2::bigint[])`

/**
 * Removes the deliveries of events, with their bodies, their place in the queue and the log of their attempts. One that
 * is under way ends without a trace.
 */
export async function eraseDeliveries(
  tx: Transaction,
  workspaceId: string,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return
  const { rows } = await tx.query<{ id: string }>(
    `${ENDPOINTS} delete from deliveries d where ${OF_EVENTS} returning d.id`,
    [workspaceId, int8Array(eventIds)],
  )
  if (rows.length === 0) return
  // Statements of their own: they see what was queued or recorded while the first one waited for a delivery's row.
  const values = [workspaceId, int8Array(rows.map(({ id }) => id))]
  await tx.query('delete from delivery_queue where workspace_id = $1 and delivery_id = any ($2::bigint[])', values)
  await tx.query('delete from delivery_attempts where workspace_id = $1 and delivery_id = any ($2::bigint[])', values)
}

/** Writes the bodies of deliveries anew from their stored events, which have lost something since. */
export async function rewriteDeliveries(
  tx: Transaction,
  workspaceId: string,
  eventIds: readonly string[],
): Promise<void> {
  if (eventIds.length === 0) return
  await tx.query(
    `${ENDPOINTS} update deliveries d set body = (
       select ${BODY} from (select e.*, e.id as position from events e where e.workspace_id = $1 and e.id = d.event_id) o)
     where ${OF_EVENTS} and exists (select from events e where e.workspace_id = $1 and e.id = d.event_id)`,
    [workspaceId, int8Array(eventIds)],
  )
}
