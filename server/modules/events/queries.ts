import type pg from 'pg'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { PartitionedTable } from '../../platform/db/partitions.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** A day's rows leave together; a week ahead survives a maintenance that does not run for days. */
export const OUTBOX_PARTITIONS: PartitionedTable = { table: 'outbox', span: 'day', ahead: 7 }
export const EVENT_PARTITIONS: PartitionedTable = { table: 'events', span: 'month', ahead: 2 }

/** Events of one request and the workspace they belong to. */
export type Batch = { workspaceId: string; events: readonly RecordedEvent[] }

/**
 * Appends the events of many requests to the outbox in one statement, each attached to the contact it names, if there is
 * one: by subjectId, then email, then phone. COALESCE stops at the first that answers, so most rows cost one index probe.
 * An event whose client id was recorded before is passed over.
 */
export function appendRecordedEvents(batches: readonly Batch[]): pg.QueryConfig {
  const columns = columnsOf(batches)
  const named = columns.clientId.some((id) => id !== null)
  return {
    name: named ? 'append_events_with_ids' : 'append_events',
    text: named ? APPEND_WITH_IDS : APPEND,
    values: [
      int8Array(columns.workspaceId),
      textArray(columns.action),
      textArray(columns.subjectId),
      textArray(columns.email),
      textArray(columns.phone),
      textArray(columns.properties),
      textArray(columns.occurredAt),
      ...(named ? [textArray(columns.clientId)] : []),
    ],
  }
}

const ITEMS = `select * from unnest($1::int8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
  with ordinality as i(workspace_id, action, subject_id, email, phone, properties, occurred_at, n)`

const INSERT = `insert into outbox (tx, workspace_id, type, name, subject, contact_id, subject_id, email, phone, data, occurred_at)
  select (select outbox_tx()), i.workspace_id, 'event.recorded', i.action,
    coalesce(i.subject_id,
      (select c.subject_id from contacts c where c.workspace_id = i.workspace_id and c.id = found.contact_id),
      i.email, i.phone),
    found.contact_id, i.subject_id, i.email, i.phone, i.properties::json,
    coalesce(i.occurred_at::timestamptz, clock_timestamp())
  from (ITEMS) i
  cross join lateral (select coalesce(
    (select c.id from contacts c where c.workspace_id = i.workspace_id and c.subject_id = i.subject_id),
    (select c.id from contacts c where c.workspace_id = i.workspace_id and c.email = i.email),
    (select c.id from contacts c where c.workspace_id = i.workspace_id and c.phone = i.phone)) as contact_id
    offset 0) found`

const APPEND = `${INSERT.replace('ITEMS', ITEMS)} order by i.n`

/** Ordered inserts of the ids keep two requests with the same ids from waiting for each other in a circle. */
const APPEND_WITH_IDS = `with item as materialized (
    select i.*, id.client_id, row_number() over (partition by i.workspace_id, id.client_id order by i.n) as nth
    from (${ITEMS}) i
    join unnest($8::text[]) with ordinality as id(client_id, n) on id.n = i.n
  ), fresh as (
    insert into event_client_ids (workspace_id, client_id)
    select workspace_id, client_id from item where client_id is not null and nth = 1 order by 1, 2
    on conflict do nothing
    returning workspace_id, client_id
  )
  ${INSERT.replace(
    'ITEMS',
    `select item.* from item left join fresh using (workspace_id, client_id)
    where item.client_id is null or (fresh.client_id is not null and item.nth = 1)`,
  )} order by i.n`

type Columns = Record<'workspaceId', string[]> &
  Record<'action' | 'subjectId' | 'email' | 'phone' | 'properties' | 'occurredAt' | 'clientId', (string | null)[]>

function columnsOf(batches: readonly Batch[]): Columns {
  const columns: Columns = {
    workspaceId: [],
    action: [],
    subjectId: [],
    email: [],
    phone: [],
    properties: [],
    occurredAt: [],
    clientId: [],
  }
  for (const { workspaceId, events } of batches) {
    for (const event of events) {
      columns.workspaceId.push(workspaceId)
      columns.action.push(event.action)
      columns.subjectId.push(event.subjectId)
      columns.email.push(event.email)
      columns.phone.push(event.phone)
      columns.properties.push(event.properties)
      columns.occurredAt.push(event.occurredAt)
      columns.clientId.push(event.clientId)
    }
  }
  return columns
}

/** Forgets client ids whose events have left by age, at most `limit` at once; returns how many. */
export async function forgetClientIds(db: Queryable, input: { retentionDays: number; limit: number }): Promise<number> {
  const { rowCount } = await db.query(
    `delete from event_client_ids where ctid = any (array(
       select ctid from event_client_ids where recorded_at < now() - make_interval(days => $1) limit $2))`,
    [input.retentionDays, input.limit],
  )
  return rowCount ?? 0
}
