import { int8Array } from '../../platform/db/arrays.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'

/** How many messages were handed over through an integration. */
export type Sends = { integrationId: string; sent: number }

/**
 * Counts messages as sent in the current minute, for rolling limits; call it in the transaction that records the
 * sending. An integration that is gone is passed over. Rows are locked in the order of their keys, so that two callers
 * with several integrations wait for each other at most, never in a circle.
 */
export async function countSends(tx: Transaction, workspaceId: string, sends: readonly Sends[]): Promise<void> {
  await tx.query({
    name: 'count_sends',
    text: `insert into send_counters as c (workspace_id, integration_id, minute, sent)
      select i.workspace_id, i.id, date_trunc('minute', now()), sum(given.sent)
      from unnest($2::int8[], $3::int8[]) as given (integration_id, sent)
      join integrations i on i.workspace_id = $1 and i.id = given.integration_id
      group by i.workspace_id, i.id having sum(given.sent) > 0 order by i.id
      on conflict (workspace_id, integration_id, minute) do update set sent = c.sent + excluded.sent`,
    values: [
      workspaceId,
      int8Array(sends.map(({ integrationId }) => integrationId)),
      int8Array(sends.map(({ sent }) => String(sent))),
    ],
  })
}

/** A counter is read for 24 hours and the rest of its minute; an hour more costs nothing. */
const KEPT_HOURS = 25

/** Removes the counters that no window reaches any more. Run on a schedule, for every workspace. */
export async function pruneSendCounters(db: Queryable): Promise<number> {
  const { rowCount } = await db.query('delete from send_counters where minute < now() - make_interval(hours => $1)', [
    KEPT_HOURS,
  ])
  return rowCount ?? 0
}
