import type { Transaction } from '../../platform/db/transaction.ts'

/** Erases the next events of a visitor that belong to no contact; returns how many. */
export async function eraseEventsOfVisitor(
  tx: Transaction,
  workspaceId: string,
  { visitorId, limit }: { visitorId: string; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'erase_events_of_visitor',
    text: `delete from events e using (
        select id, recorded_at from events
        where workspace_id = $1 and visitor_id = $2 and contact_id is null limit $3) v
      where e.workspace_id = $1 and e.id = v.id and e.recorded_at = v.recorded_at`,
    values: [workspaceId, visitorId, limit],
  })
  return rowCount ?? 0
}

/** Erases the next events of visitors that belong to no contact and are older than so many days; returns how many. */
export async function eraseOldVisitorEvents(
  tx: Transaction,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'erase_old_visitor_events',
    text: `delete from events e using (
        select workspace_id, id, recorded_at from events
        where visitor_id is not null and contact_id is null and recorded_at < now() - make_interval(days => $1)
        limit $2) v
      where e.workspace_id = v.workspace_id and e.id = v.id and e.recorded_at = v.recorded_at`,
    values: [days, limit],
  })
  return rowCount ?? 0
}
