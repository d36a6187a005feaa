import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/** A stored event, and where it stands in the log; null where that was not kept. */
type Place = { id: string; recordedAt: string; tx: string | null }

/** Erases the next events of a visitor that belong to no contact, in the log too; returns their ids. */
export async function eraseEventsOfVisitor(
  tx: Transaction,
  workspaceId: string,
  { visitorId, limit }: { visitorId: string; limit: number },
): Promise<string[]> {
  const { rows } = await tx.query<Place>({
    name: 'erase_events_of_visitor',
    text: `delete from events e using (
        select id, recorded_at from events
        where workspace_id = $1 and visitor_id = $2 and contact_id is null limit $3) v
      where e.workspace_id = $1 and e.id = v.id and e.recorded_at = v.recorded_at
      returning e.id, e.recorded_at as "recordedAt", e.tx`,
    values: [workspaceId, visitorId, limit],
  })
  await eraseFromLog(tx, rows)
  return rows.map(({ id }) => id)
}

/** Erases the next events of visitors that belong to no contact and are older than so many days, in the log too; returns how many. */
export async function eraseOldVisitorEvents(
  tx: Transaction,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rows } = await tx.query<Place>({
    name: 'erase_old_visitor_events',
    text: `delete from events e using (
        select workspace_id, id, recorded_at from events
        where visitor_id is not null and contact_id is null and recorded_at < now() - make_interval(days => $1)
        limit $2) v
      where e.workspace_id = v.workspace_id and e.id = v.id and e.recorded_at = v.recorded_at
      returning e.id, e.recorded_at as "recordedAt", e.tx`,
    values: [days, limit],
  })
  await eraseFromLog(tx, rows)
  return rows.length
}

/** Every group must have read them. */
async function eraseFromLog(tx: Transaction, places: readonly Place[]): Promise<void> {
  const kept = places.filter((place) => place.tx !== null)
  if (kept.length === 0) return
  await planByIndex(tx)
  await tx.query({
    name: 'erase_visitor_events_from_log',
    text: `delete from outbox o using unnest($1::int8[], $2::int8[], $3::text[]::timestamptz[]) as k(tx, position, recorded_at)
      where o.tx = k.tx and o.position = k.position and o.recorded_at = k.recorded_at`,
    values: [
      int8Array(kept.map((place) => place.tx)),
      int8Array(kept.map(({ id }) => id)),
      textArray(kept.map(({ recordedAt }) => recordedAt)),
    ],
  })
}
