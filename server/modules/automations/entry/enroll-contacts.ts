import { sql as raw } from 'kysely'
import type pg from 'pg'
import { notFound, unprocessable } from '../../../catalogue/problems.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/enqueue.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import { wakeRuns } from '../run-lanes.ts'
import type { EnrollBody, Enrolled } from '../schemas.ts'
import { closedEntry } from './closed-entry.ts'
import { COMERS_A_CHUNK, PLACE_COMERS } from './place-comers.ts'
import { putEntries } from './put-entries.ts'
import { verdictsOn } from './verdicts-on.ts'

/** People of a segment that one call takes. */
export const SEGMENT_PEOPLE_MAX = 1_000_000
/** Below what the route gives its request. */
const FIND_MS_MAX = 8_000
/** Milliseconds that an answer waits for what is decided of those named. */
const VERDICTS_MS_MAX = 1_000
/** Faults that one answer names. */
const NAMED_FAULTS_MAX = 20
const build = createQueryBuilder<Record<string, never>>()

export type EnrollDeps = {
  sql: pg.Pool
  /** Instead of FIND_MS_MAX. */
  findMsMax?: number
}

/**
 * Has contacts come in, those named or those in a segment now; the automation's own rules decide of each. Answers how many are in the
 * queue, and what was decided of those named so far. Throws 404, 409 when its entry is not open, 422 for neither or both, for contacts or a segment that
 * are not there, or a segment that is too large or too slow.
 */
export async function enrollContacts(
  deps: EnrollDeps,
  caller: Caller,
  { id, body }: { id: string; body: EnrollBody },
): Promise<Enrolled> {
  const { workspaceId } = caller
  const key = { workspaceId, automationId: id }
  if ((body.contactIds === undefined) === (body.segmentId === undefined)) throw oneOfBoth(body)
  const { accepted, at } = await inTransaction(deps.sql, workspaceId, async (tx) => {
    const { name, ...put } = await (body.segmentId === undefined
      ? enrollNamed(tx, key, body)
      : enrollSegment(tx, key, { ...body, segmentId: body.segmentId, findMsMax: deps.findMsMax ?? FIND_MS_MAX }))
    const target = { type: 'automation', id, name }
    await recordAudit(tx, caller, {
      action: 'automation.enroll',
      target,
      diff: { contacts: { from: null, to: put.accepted } },
    })
    return put
  })
  if (body.segmentId !== undefined) return { accepted, verdicts: null }
  const { contactIds = [], key: entryKey, perMinute } = body
  const forMs = perMinute === undefined ? VERDICTS_MS_MAX : 0
  return { accepted, verdicts: await verdictsOn(deps.sql, key, { contactIds, at, entryKey, forMs }) }
}

/** A caller that names nobody, by a key that is spelt in another way or left out, believes that somebody comes in. */
const oneOfBoth = ({ contactIds }: EnrollBody) =>
  unprocessable([
    contactIds === undefined
      ? { pointer: '/contactIds', detail: 'is required where no segmentId is given' }
      : { pointer: '/segmentId', detail: 'cannot be given with contactIds' },
  ])

type Put = { accepted: number; name: string; at: string }
type Open = { name: string; now: string }

async function enrollNamed(tx: Transaction, key: Key, body: EnrollBody): Promise<Put> {
  const { name, now: at } = await holdOpen(tx, key)
  return { name, at, accepted: await putContacts(tx, key, { ...body, at }) }
}

type OfSegment = EnrollBody & { segmentId: string; findMsMax: number }

/** The lock comes last: it gives the transaction an id, and readers of the log wait for those that have one. */
async function enrollSegment(tx: Transaction, key: Key, body: OfSegment): Promise<Put> {
  const { now: at } = requireOpen(await tx.query<Entry>({ name: 'automation_to_enroll_in', ...entryOf(key) }))
  const accepted = await putSegment(tx, key, { ...body, at })
  const { name } = await holdOpen(tx, key)
  if (accepted > 0) await enqueue(tx, PLACE_COMERS, key)
  return { name, accepted, at }
}

type Entry = Open & { entryOpen: boolean; isStopped: boolean }

const entryOf = ({ workspaceId, automationId }: Key) => ({
  text: `select name, entry_open as "entryOpen", stopped_at is not null as "isStopped", clock_timestamp() as now from automations
    where workspace_id = $1 and id = $2 and deleted_at is null`,
  values: [workspaceId, automationId],
})

/** Its entry stays open until the transaction ends. */
async function holdOpen(tx: Transaction, key: Key): Promise<Open> {
  const { text, values } = entryOf(key)
  return requireOpen(await tx.query<Entry>({ name: 'hold_automation_to_enroll_in', text: `${text} for share`, values }))
}

function requireOpen({ rows: [automation] }: { rows: Entry[] }): Open {
  if (!automation) throw notFound()
  if (!automation.entryOpen) throw closedEntry(automation)
  return automation
}

type Key = { workspaceId: string; automationId: string }
type Putting = EnrollBody & { at: string }

async function putContacts(
  tx: Transaction,
  to: Key,
  { contactIds = [], at, key, perMinute }: Putting,
): Promise<number> {
  await requireContacts(tx, to.workspaceId, contactIds)
  const wanting = contactIds.map((contactId) => ({ contactId, depth: 0 }))
  const { accepted, lanes } = await putEntries(tx, to, { wanting, at, key, perMinute })
  await wakeRuns(tx, lanes)
  return accepted
}

async function requireContacts(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'contacts_to_enroll',
    text: 'select id from contacts where workspace_id = $1 and id = any ($2::int8[])',
    values: [workspaceId, int8Array(ids.filter((id) => !isBeyondIds(id)))],
  })
  const known = new Set(rows.map(({ id }) => id))
  const detail = 'is not a contact of this workspace'
  const faults = ids.flatMap((id, n) => {
    const isKnown = !isBeyondIds(id) && known.has(BigInt(id).toString())
    return isKnown ? [] : [{ pointer: `/contactIds/${n}`, detail }]
  })
  if (faults.length > 0) throw unprocessable(faults.slice(0, NAMED_FAULTS_MAX))
}

/**
 * Writes the people of a segment down as they are now; a job puts them into the queue, chunk by chunk. Finding them takes as long
 * as FIND_MS_MAX, and needs no id of a transaction: all are found and counted before the first row is written, which is when it gets
 * one. The log waits for some hundred rows, a chunk each.
 */
async function putSegment(
  tx: Transaction,
  to: Key,
  { segmentId, findMsMax, at, key, perMinute }: Putting & OfSegment,
): Promise<number> {
  const { workspaceId, automationId } = to
  const pointer = '/segmentId'
  const members = isBeyondIds(segmentId) ? undefined : await segmentMembers(tx, workspaceId, { id: segmentId })
  if (!members) throw unprocessable([{ pointer, detail: 'is not a segment of this workspace' }])
  const chunk = raw.lit(COMERS_A_CHUNK)
  const query = raw`with chunks as materialized (
      select part, array_agg(id order by id) as contact_ids
      from (
        select id, (row_number() over (order by id) - 1) / ${chunk} as part
        from (${members}) member limit ${raw.lit(SEGMENT_PEOPLE_MAX + 1)}) numbered
      group by part
    ), found as materialized (
      select coalesce(sum(cardinality(contact_ids)), 0)::int as people from chunks
    ), put as (
      insert into automation_comers (workspace_id, automation_id, contact_ids, begins_at, per_minute, entry_key)
      select cast(${workspaceId} as bigint), cast(${automationId} as bigint), contact_ids,
        cast(${at} as timestamptz) + coalesce(part * ${chunk} * interval '1 minute' / cast(${perMinute ?? null} as integer), interval '0'),
        cast(${perMinute ?? null} as integer), cast(${key ?? null} as text)
      from chunks where (select people from found) <= ${raw.lit(SEGMENT_PEOPLE_MAX)} order by part
    )
    select people from found`
  const { rows } = await withQueryTimeout(tx, findMsMax)
    .query<{ people: number }>(statementOf({ compile: () => query.compile(build) }))
    .catch((error: unknown) => {
      if (databaseOutcome(error) !== 'timed_out') throw error
      throw unprocessable([{ pointer, detail: `takes more than ${findMsMax / 1_000} s to gather: enroll parts of it` }])
    })
  const { people } = rows[0]!
  if (people > SEGMENT_PEOPLE_MAX)
    throw unprocessable([{ pointer, detail: `has more than ${SEGMENT_PEOPLE_MAX} people: enroll parts of it` }])
  return people
}
