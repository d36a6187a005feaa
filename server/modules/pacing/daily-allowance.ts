import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { countSends } from '../integrations/count-sends.ts'
import { INTEGRATION_GATE } from '../integrations/gate.ts'
import type { PacedIntegration } from './queries.ts'

export type AllowanceRequest = PacedIntegration & {
  /** The limit of 24 hours that holds now; null: none. */
  perDay: number | null
  wanted: number
}

/** How soon it is worth another look when messages that are under way may yet leave room. */
const IN_FLIGHT_RETRY_SECONDS = 30
/** For a limit of nothing, as a provider gives to an account that it has blocked. */
const NO_ROOM_RETRY_SECONDS = 900

/**
 * How many of the wanted messages may be claimed: with those sent in the last 24 hours and those under way they stay
 * within the limit, at every moment and for all processes together. Call it in the transaction of the claim; whatever is
 * granted must come back through `settleAllowance`. `retryAt` (RFC 3339): when there is room again, if not all were granted.
 * Undefined for an integration that is gone.
 */
export async function takeAllowance(
  tx: Transaction,
  { workspaceId, integrationId, perDay, wanted }: AllowanceRequest,
): Promise<{ granted: number; retryAt: string | null } | undefined> {
  // Statements of their own: the last must see what was settled while those before waited for their locks. The integration is held
  // first, as whoever deletes it does: one that is being deleted is waited for, and gone then.
  const [, , taken] = await Promise.all([
    INTEGRATION_GATE.pass(tx, workspaceId, [integrationId]),
    tx.query({
      name: 'lock_send_allowance',
      text: `insert into send_allowances as a (workspace_id, integration_id)
        select workspace_id, id from integrations where workspace_id = $1 and id = $2 for key share
        on conflict (workspace_id, integration_id) do update set in_flight = a.in_flight where false`,
      values: [workspaceId, integrationId],
    }),
    tx.query<{ granted: number; retryAt: string | null }>({
      name: 'take_send_allowance',
      // In the minute after 24 hours a counter still counts in full, as in the integration's sentLast24h.
      text: `with counters as materialized (
          select minute, sum(sent) over (order by minute) as leaving, sum(sent) over () as sent from send_counters
          where workspace_id = $1 and integration_id = $2 and minute >= date_trunc('minute', now() - interval '24 hours')
        ), used as (
          select a.in_flight + coalesce((select sent from counters limit 1), 0) as used, a.in_flight
          from send_allowances a where a.workspace_id = $1 and a.integration_id = $2
        ), room as (
          select used, in_flight, case when $3::int8 is null then $4 else least($4, greatest(0, $3::int8 - used)) end::int as granted
          from used
        ), taken as (
          update send_allowances a set in_flight = a.in_flight + room.granted from room
          where a.workspace_id = $1 and a.integration_id = $2 and room.granted > 0
        )
        select granted, case when granted < $4 then coalesce(least(
          (select min(minute) + interval '24 hours 1 minute' from counters, room where used - leaving < $3::int8),
          case when in_flight > 0 then now() + make_interval(secs => $5) end), now() + make_interval(secs => $6))
          end as "retryAt"
        from room`,
      values: [workspaceId, integrationId, perDay, wanted, IN_FLIGHT_RETRY_SECONDS, NO_ROOM_RETRY_SECONDS],
    }),
  ])
  return taken.rows[0]
}

/** Fates of granted messages: sent, which counts for 24 hours, or not. */
export type Settled = { integrationId: string; sent: number; unused: number }

/**
 * Gives back what was granted, and counts what was sent of it; in the transaction that records the results. Of an integration that is
 * gone nothing is left to give back to.
 */
export async function settleAllowance(
  tx: Transaction,
  workspaceId: string,
  settled: readonly Settled[],
): Promise<void> {
  if (settled.length === 0) return
  const ids = settled.map(({ integrationId }) => integrationId)
  await Promise.all([
    INTEGRATION_GATE.pass(tx, workspaceId, ids),
    tx.query({
      name: 'settle_send_allowances',
      text: `with given as materialized (
          select integration_id, sum(n) as n from unnest($2::int8[], $3::int8[]) as g(integration_id, n) group by 1
        ), there as materialized (
          select id from integrations where workspace_id = $1 and id = any (array(select integration_id from given))
          order by id for key share
        ), held as materialized (
          select a.integration_id from send_allowances a where a.workspace_id = $1
            and a.integration_id = any (array(select id from there)) order by a.integration_id for update
        )
        update send_allowances a set in_flight = greatest(0, a.in_flight - g.n)
        from given g join held using (integration_id)
        where a.workspace_id = $1 and a.integration_id = g.integration_id`,
      values: [workspaceId, int8Array(ids), int8Array(settled.map(({ sent, unused }) => String(sent + unused)))],
    }),
    countSends(tx, workspaceId, settled),
  ])
}
