import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { PartitionedTable } from '../../platform/db/partitions.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { OUTBOX_SIGNAL } from '../../platform/outbox/signal.ts'
import type { Batch } from './intake-writer.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** A day's rows leave together; a week ahead survives a maintenance that does not run for days. */
export const OUTBOX_PARTITIONS: PartitionedTable = { table: 'outbox', span: 'day', ahead: 7 }
export const EVENT_PARTITIONS: PartitionedTable = { table: 'events', span: 'month', ahead: 2 }

/**
 * Appends the events of many requests to the outbox in one statement, each attached to the contact it names, if there is
 * one: by subjectId, then email, then phone. An event whose client id was recorded before is passed over.
 *
 * Columns that no event of the set fills are left out of the statement, and with them their part of the work: an array
 * to take apart, an index to probe. Sets are alike, so that only a few of the 32 forms are ever prepared. Committed alone,
 * it signals the consumer groups.
 */
export function appendRecordedEventsStatement(batches: readonly Batch<RecordedEvent>[]): Statement<object> {
  const events = batches.flatMap((batch) => batch.events)
  const used = OPTIONAL.filter((column) => events.some((event) => event[column] !== null))
  const workspaceIds = batches.flatMap((batch) => batch.events.map(() => batch.workspaceId))
  return {
    name: `append_events_${used.join('_')}`,
    text: textFor(used),
    signal: OUTBOX_SIGNAL,
    values: [
      int8Array(workspaceIds),
      textArray(events.map((event) => event.action)),
      textArray(events.map((event) => event.properties)),
      ...used.map((column) => textArray(events.map((event) => event[column]))),
    ],
  }
}

const OPTIONAL = ['subjectId', 'email', 'phone', 'occurredAt', 'clientId'] as const
type OptionalColumn = (typeof OPTIONAL)[number]
const SQL_NAME: Record<OptionalColumn, string> = {
  subjectId: 'subject_id',
  email: 'email',
  phone: 'phone',
  occurredAt: 'occurred_at',
  clientId: 'client_id',
}

const texts = new Map<string, string>()

function textFor(used: readonly OptionalColumn[]): string {
  const key = used.join()
  const known = texts.get(key)
  if (known !== undefined) return known
  const made = appendStatement(used)
  texts.set(key, made)
  return made
}

function appendStatement(used: readonly OptionalColumn[]): string {
  const arrays = ['$1::int8[]', '$2::text[]', '$3::text[]', ...used.map((_, index) => `$${index + 4}::text[]`)]
  const names = ['workspace_id', 'action', 'properties', ...used.map((column) => SQL_NAME[column])]
  const items = `unnest(${arrays.join(', ')})`
  if (!used.includes('clientId')) return insertFrom(`${items} as i(${names.join(', ')})`, used)
  // Ids are inserted in order, so that two requests with the same ids do not wait for each other in a circle. One that is
  // there is locked and left as it is: the lock is written to the WAL, so that a repeat's commit waits for the standby
  // like the first one's, which may have been cut short (DO NOTHING writes nothing, and its commit waits for nobody).
  return `with item as materialized (
      select i.*, row_number() over (partition by workspace_id, client_id order by n) as nth
      from ${items} with ordinality as i(${names.join(', ')}, n)
    ), fresh as (
      insert into event_client_ids (workspace_id, client_id)
      select workspace_id, client_id from item where client_id is not null and nth = 1 order by 1, 2
      on conflict (workspace_id, client_id) do update set recorded_at = default where false
      returning workspace_id, client_id
    )
    ${insertFrom(
      `(select item.* from item left join fresh using (workspace_id, client_id)
        where item.client_id is null or (fresh.client_id is not null and item.nth = 1) order by item.n) i`,
      used,
    )}`
}

/** Guarded by CASE, a look-up without a key costs nothing; COALESCE ends the search at the first that answers. */
function insertFrom(items: string, used: readonly OptionalColumn[]): string {
  const has = (column: OptionalColumn) => used.includes(column)
  const aliases = (['subjectId', 'email', 'phone'] as const).filter(has).map((column) => SQL_NAME[column])
  const lookUps = aliases.map(
    (name) => `case when i.${name} is not null then
      (select c.id from contacts c where c.workspace_id = i.workspace_id and c.${name} = i.${name}) end`,
  )
  const subjectOfContact = `(select c.subject_id from contacts c
    where c.workspace_id = i.workspace_id and c.id = found.contact_id)`
  const subject = has('subjectId')
    ? `i.subject_id, ${aliases.length === 1 ? '' : `case when i.subject_id is null then ${subjectOfContact} end, `}`
    : `${subjectOfContact}, `
  const others = aliases.filter((name) => name !== 'subject_id').map((name) => `i.${name}`)
  const occurredAt = has('occurredAt') ? 'coalesce(i.occurred_at::timestamptz, clock_timestamp())' : 'clock_timestamp()'
  return `insert into outbox
      (tx, workspace_id, type, name, subject, contact_id, ${[...aliases, ''].join(', ')}data, occurred_at)
    select (select outbox_tx()), i.workspace_id, 'event.recorded', i.action,
      coalesce(${[subject + others.join(', ')].join('').replace(/, $/, '')}), found.contact_id,
      ${[...aliases.map((name) => `i.${name}`), ''].join(', ')}i.properties::json, ${occurredAt}
    from ${items}
    cross join lateral (select coalesce(${lookUps.join(', ')}) as contact_id offset 0) found`
}
