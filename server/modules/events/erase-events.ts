import { byteaArray, int8Array, textArray } from '../../platform/db/arrays.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Cursor } from '../../platform/outbox/range.ts'

/**
 * Takes persons out of the log and out of the stored events. Events that callers recorded about them go. The system's own
 * events that totals are made of stay, without anything that says of whom. `contact.erased` stays: it holds an id only.
 *
 * Three kinds of rows tell of a person: those attached to the contact; those attached to nobody that carry an alias of
 * it; and those of other contacts that carry such an alias beside their own. The last lose the alias, unless it belongs
 * to a contact by now.
 */
export type Persons = {
  workspaceId: string
  contactIds: readonly string[]
  /** `alias_hash` of each alias, as PostgreSQL writes bytea. */
  aliasHashes: readonly string[]
}

/** A row of either table; `tx` of a stored event is where its copy in the log stands, if that has to be told. */
type Found = { tx: string | null; position: string; recordedAt: string; fate: 'removed' | 'anonymous' | 'unnamed' }
export type FoundEvents = { table: 'outbox' | 'events'; found: readonly Found[] }
/** Events of a stretch that tell of the persons, and where the stretch ends; undefined behind the last. */
export type Looked<At> = { events: FoundEvents; last: At | undefined }
/** Events that told of the persons, and events of others that lost an alias of theirs. */
type Touched = { eventIds: string[]; unnamedIds: string[] }

const IS_KEPT = `(type like 'email.%' or type = 'contact.created')`
/** Keys that may stay in the data of an event that is kept: facts of the mailing, none of the person. */
const KEPT_DATA = `'{workspaceId,broadcastId,automationId,purpose,surface,sendingSource,sendingDomain,provider,bounceKind}'::text[]`

const FATE = `case when contact_id <> all ($2::bigint[]) then 'unnamed' when ${IS_KEPT} then 'anonymous' else 'removed' end as fate`
const TELLS_OF_THEM = `type <> 'contact.erased' and (contact_id = any ($2::bigint[])
  or has_alias($1, subject_id, email, phone, $3::bytea[]))`

/**
 * Looks at the next rows of the log behind `after` up to and with `until`. Every group must have passed that: none shall
 * miss an effect.
 */
export async function eventsInLog(
  tx: Transaction,
  persons: Persons,
  stretch: { after: Cursor; until: Cursor; rows: number },
): Promise<Looked<Cursor>> {
  const { after, until, rows: limit } = stretch
  const { rows } = await tx.query<Found & { tx: string }>(
    `with stretch as materialized (
       select tx, position, recorded_at, workspace_id, type, contact_id, subject_id, email, phone from outbox
       where (tx, position) > ($4::bigint, $5::bigint) and (tx, position) <= ($6::bigint, $7::bigint)
       order by tx, position limit $8
     )
     select tx, position, recorded_at as "recordedAt", ${FATE} from stretch where workspace_id = $1 and ${TELLS_OF_THEM}
     union all
     (select tx, position, recorded_at, 'last' from stretch order by tx desc, position desc limit 1)`,
    [...parametersOf(persons), after.tx, after.position, until.tx, until.position, limit],
  )
  const last = rows.pop()
  return { events: { table: 'outbox', found: rows }, last: last && { tx: last.tx, position: last.position } }
}

/** Looks at the workspace's stored events behind an id up to and with another, for those of nobody or of others. */
export async function looseEvents(
  tx: Transaction,
  persons: Persons,
  stretch: { afterId: string; throughId: string; rows: number },
): Promise<Looked<string>> {
  const { rows } = await tx.query<Found>(
    `with stretch as materialized (
       select id, recorded_at, type, contact_id, subject_id, email, phone from events
       where workspace_id = $1 and id > $4::bigint and id <= $5::bigint order by id limit $6
     )
     select null as tx, id as position, recorded_at as "recordedAt", ${FATE} from stretch where ${TELLS_OF_THEM}
     union all
     (select null, id, recorded_at, 'last' from stretch order by id desc limit 1)`,
    [...parametersOf(persons), stretch.afterId, stretch.throughId, stretch.rows],
  )
  const last = rows.pop()
  return { events: { table: 'events', found: rows }, last: last?.position }
}

/**
 * The next stored events of the contacts themselves; none when none are left. Those of a browser from before it was recognised are theirs here
 * alone: in the log they are nobody's, and are found there, up to where every group has read, by their place.
 */
export async function attachedEvents(
  tx: Transaction,
  persons: Persons,
  { fence, rows: limit }: { fence: Cursor; rows: number },
): Promise<FoundEvents> {
  const { rows } = await tx.query<Found>(
    `select case when visitor_id is not null and (tx, id) <= ($4::bigint, $5::bigint) then tx end as tx, id as position,
       recorded_at as "recordedAt", ${FATE} from events
     where workspace_id = $1 and contact_id = any ($2::bigint[]) and type <> 'contact.erased' limit $3`,
    [persons.workspaceId, int8Array(persons.contactIds), limit, fence.tx, fence.position],
  )
  return { table: 'events', found: rows }
}

function parametersOf({ workspaceId, contactIds, aliasHashes }: Persons): unknown[] {
  return [workspaceId, int8Array(contactIds), byteaArray(aliasHashes.map(bytesOf))]
}

/** Bytes as PostgreSQL writes them: `\\x` and hex. */
const bytesOf = (text: string) => Buffer.from(text.slice(2), 'hex')

/** Does with each row what its fate is. */
export async function eraseFound(tx: Transaction, persons: Persons, { table, found }: FoundEvents): Promise<Touched> {
  const { workspaceId, aliasHashes } = persons
  const rowsOf = (fate: Found['fate']) => found.filter((row) => row.fate === fate)
  const [removed, anonymous, unnamed] = [rowsOf('removed'), rowsOf('anonymous'), rowsOf('unnamed')]
  const keys = (rows: readonly Found[]) => [
    workspaceId,
    int8Array(rows.map((row) => row.tx)),
    int8Array(rows.map((row) => row.position)),
    textArray(rows.map((row) => row.recordedAt)),
  ]
  const isKey = `t.workspace_id = $1 and t.recorded_at = k.recorded_at and
    ${table === 'outbox' ? 't.tx = k.tx and t.position = k.position' : 't.id = k.position'}`
  const named = `unnest($2::bigint[], $3::bigint[], $4::text[]::timestamptz[]) as k(tx, position, recorded_at)`
  const json = table === 'outbox' ? 'json' : 'jsonb'
  if (removed.length > 0) await tx.query(`delete from ${table} t using ${named} where ${isKey}`, keys(removed))
  const logged = table === 'events' ? removed.filter((row) => row.tx !== null) : []
  if (logged.length > 0) {
    await planByIndex(tx)
    await tx.query(
      `delete from outbox t using ${named}
       where t.workspace_id = $1 and t.tx = k.tx and t.position = k.position and t.recorded_at = k.recorded_at`,
      keys(logged),
    )
  }
  if (anonymous.length > 0) {
    await tx.query(
      `update ${table} t set subject = '', contact_id = null, subject_id = null, email = null, phone = null,
         data = (select coalesce(${json}_object_agg(key, value), '{}') from ${json}_each(t.data) where key = any (${KEPT_DATA}))
       from ${named} where ${isKey}`,
      keys(anonymous),
    )
  }
  const unnamedIds: string[] = []
  if (unnamed.length > 0) {
    const { rows } = await tx.query<{ id: string }>(
      `update ${table} t set
         subject = case when stale.subject_id and t.subject = t.subject_id or stale.email and t.subject = t.email
           or stale.phone and t.subject = t.phone then '' else t.subject end,
         subject_id = case when stale.subject_id then null else t.subject_id end,
         email = case when stale.email then null else t.email end,
         phone = case when stale.phone then null else t.phone end,
         data = case when t.type = 'event.recorded' then t.data else (
           select coalesce(${json}_object_agg(key, case when ${IS_STALE} then 'null' else value end), '{}') from ${json}_each(t.data)) end
       from ${named} join ${table} o on ${isKey.replaceAll('t.', 'o.')} cross join lateral (select ${STALE}) stale
       where ${isKey} and (stale.subject_id or stale.email or stale.phone) returning k.position as id`,
      [...keys(unnamed), byteaArray(aliasHashes.map(bytesOf))],
    )
    unnamedIds.push(...rows.map(({ id }) => id))
  }
  const ids = (rows: readonly Found[]) => rows.map((row) => row.position)
  return { eventIds: ids([...removed, ...anonymous]), unnamedIds }
}

/** Whether a field of the data of the system's own event `o` spells an alias that is taken from it: they have its aliases once more. */
const IS_STALE = `(key, value #>> '{}') in (
  ('subjectId', case when stale.subject_id then o.subject_id end), ('email', case when stale.email then o.email end),
  ('phone', case when stale.phone then o.phone end))`

/** Which columns of `o` hold an alias of the persons that no contact has. */
const STALE = (['subject_id', 'email', 'phone'] as const)
  .map((column) => {
    const kind = column === 'subject_id' ? 'subjectId' : column
    return `coalesce(alias_hash($1, '${kind}', o.${column}) = any ($5::bytea[]), false) and not exists (
      select from contacts c where c.workspace_id = $1 and c.${column} = o.${column}) as ${column}`
  })
  .join(', ')
