import { sql as raw } from 'kysely'
import type pg from 'pg'
import { notFound, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { int8Array } from '../../../platform/db/arrays.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { segmentMembers } from '../../segments/segment-members.ts'
import { wakeRuns } from '../run-lanes.ts'
import type { EnrollBody } from '../schemas.ts'
import { putEntries } from './put-entries.ts'

/** People of a segment that one call takes: what a request's time is enough for. */
export const SEGMENT_PEOPLE_MAX = 100_000
/** Faults that one answer names. */
const NAMED_FAULTS_MAX = 20
const build = createQueryBuilder<Record<string, never>>()

/**
 * Has contacts come in, those named or those in a segment now; the automation's own rules decide of each. Answers how many
 * wait. Throws 404, 409 when its entry is not open, 422 for contacts or a segment that
 * are not there, or a segment that is too large.
 */
export async function enrollContacts(
  deps: { sql: pg.Pool },
  caller: Caller,
  { id, body }: { id: string; body: EnrollBody },
): Promise<{ accepted: number }> {
  const { workspaceId } = caller
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const { rows } = await tx.query<{ name: string; entryOpen: boolean; now: string }>({
      name: 'automation_to_enroll_in',
      text: `select name, entry_open as "entryOpen", now() as now from automations
        where workspace_id = $1 and id = $2 and deleted_at is null for share`,
      values: [workspaceId, id],
    })
    const [automation] = rows
    if (!automation) throw notFound()
    if (!automation.entryOpen) throw wrongStatus('Its entry is closed; activate it first.')
    const { segmentId, contactIds = [] } = body
    const ids = segmentId === undefined ? contactIds : await membersOf(tx, workspaceId, segmentId)
    if (segmentId === undefined) await requireContacts(tx, workspaceId, contactIds)
    const wanting = ids.map((contactId) => ({ contactId, depth: 0 }))
    const { key, perMinute } = body
    const { accepted, lanes } = await putEntries(
      tx,
      { workspaceId, automationId: id },
      { wanting, at: automation.now, key, perMinute },
    )
    await wakeRuns(tx, lanes)
    const target = { type: 'automation', id, name: automation.name }
    await recordAudit(tx, caller, {
      action: 'automation.enroll',
      target,
      diff: { contacts: { from: null, to: accepted } },
    })
    return { accepted }
  })
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

async function membersOf(tx: Transaction, workspaceId: string, segmentId: string): Promise<string[]> {
  const pointer = '/segmentId'
  const members = isBeyondIds(segmentId) ? undefined : await segmentMembers(tx, workspaceId, { id: segmentId })
  if (!members) throw unprocessable([{ pointer, detail: 'is not a segment of this workspace' }])
  const query = raw`select id from (${members}) member order by id limit ${raw.lit(SEGMENT_PEOPLE_MAX + 1)}`
  const { rows } = await tx.query<{ id: string }>(statementOf({ compile: () => query.compile(build) }))
  if (rows.length <= SEGMENT_PEOPLE_MAX) return rows.map(({ id }) => id)
  throw unprocessable([{ pointer, detail: `has more than ${SEGMENT_PEOPLE_MAX} people: enroll parts of it` }])
}
