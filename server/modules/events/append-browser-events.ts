import { byteaArray, int8Array, textArray } from '../../platform/db/arrays.ts'
import type { PartitionedTable } from '../../platform/db/partitions.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { OUTBOX_SIGNAL } from '../../platform/outbox/signal.ts'

/** An event of a browser, ready to be recorded. */
export type BrowserEvent = {
  action: string
  /** JSON. */
  properties: string
  /** RFC 3339. */
  occurredAt: string
  /** Null where no browser is recognised. */
  visitorId: string | null
  /** Of the event's id and its visitor's, 16 bytes. */
  idHash: Buffer
  /** The day under which a repeat of it is known, RFC 3339. */
  day: string
}

/** Ids of browsers' events are kept for so long after their day, in whole days. */
export const BROWSER_IDS_KEEP_DAYS = 8
const AHEAD_DAYS = 7
export const BROWSER_ID_PARTITIONS: PartitionedTable = { table: 'collect_event_ids', span: 'day', ahead: AHEAD_DAYS }
/** All days that an event may be of. */
export const BROWSER_ID_DAYS: PartitionedTable = { ...BROWSER_ID_PARTITIONS, ahead: AHEAD_DAYS + BROWSER_IDS_KEEP_DAYS }

type Batch = { workspaceId: string; events: readonly BrowserEvent[] }

/**
 * Appends the events of many requests to the outbox in one statement, each attached to whom its visitor was recognised as,
 * as well as that is proven. One whose id was recorded is passed over. Committed alone, it signals the consumer groups.
 *
 * Ids are inserted in order, so that two requests with the same ids do not wait for each other in a circle; one that is
 * there is locked and left as it is, so that a repeat's commit waits for the standby as the first one's did.
 */
export function appendBrowserEventsStatement(batches: readonly Batch[]): Statement<object> {
  const events = batches.flatMap((batch) => batch.events)
  return {
    name: 'append_browser_events',
    text: `with item as materialized (
        select i.*, row_number() over (partition by workspace_id, id_hash, day order by n) as nth
        from unnest($1::int8[], $2::text[], $3::text[], $4::text[]::timestamptz[], $5::text[], $6::bytea[],
          $7::text[]::timestamptz[]) with ordinality as i(workspace_id, action, properties, occurred_at, visitor_id, id_hash, day, n)
      ), fresh as (
        insert into collect_event_ids (workspace_id, id_hash, day)
        select workspace_id, id_hash, day from item where nth = 1 order by 1, 2, 3
        on conflict (workspace_id, id_hash, day) do update set day = excluded.day where false
        returning workspace_id, id_hash, day
      )
      insert into outbox (tx, workspace_id, type, name, subject, contact_id, visitor_id, source, proof, data, occurred_at)
      select (select outbox_tx()), i.workspace_id, 'event.recorded', i.action, coalesce(v.subject, i.visitor_id, ''),
        v.contact_id, i.visitor_id, 'collect', coalesce(v.proof, 'none'), i.properties::json, i.occurred_at
      from item i join fresh using (workspace_id, id_hash, day)
      left join lateral (
        select v.contact_id, v.proof, coalesce(c.subject_id, c.email, c.phone) as subject
        from visitors v join contacts c on c.workspace_id = v.workspace_id and c.id = v.contact_id
        where v.workspace_id = i.workspace_id and v.visitor_id = i.visitor_id offset 0) v on true
      where i.nth = 1 order by i.n`,
    signal: OUTBOX_SIGNAL,
    values: [
      int8Array(batches.flatMap((batch) => batch.events.map(() => batch.workspaceId))),
      textArray(events.map((event) => event.action)),
      textArray(events.map((event) => event.properties)),
      textArray(events.map((event) => event.occurredAt)),
      textArray(events.map((event) => event.visitorId)),
      byteaArray(events.map((event) => event.idHash)),
      textArray(events.map((event) => event.day)),
    ],
  }
}
