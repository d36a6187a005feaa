import type { Transaction } from '../../platform/db/transaction.ts'

/** Attaches to a contact the next events of a visitor that belong to nobody, of the 30 days up to a moment; returns how many. */
export async function attachEventsOfVisitor(
  tx: Transaction,
  workspaceId: string,
  visitor: { visitorId: string; contactId: string; until: string; limit: number },
): Promise<number> {
  const { visitorId, contactId, until, limit } = visitor
  const { rowCount } = await tx.query({
    name: 'attach_events_of_visitor',
    text: `update events e set contact_id = $3 from (
        select id, recorded_at from events
        where workspace_id = $1 and visitor_id = $2 and contact_id is null
          and recorded_at > $4::timestamptz - interval '30 days' order by id desc limit $5) v
      where e.workspace_id = $1 and e.id = v.id and e.recorded_at = v.recorded_at`,
    values: [workspaceId, visitorId, contactId, until, limit],
  })
  return rowCount ?? 0
}
