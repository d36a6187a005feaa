import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import { errorCode } from '../../platform/db/errors.ts'
import { SQLSTATE } from '../../platform/db/sqlstates.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { fitting, type PageQuery } from '../../platform/schema/paging.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { shownContactOf } from './contact-of.ts'
import {
  type ContactIds,
  everybodyPageStatement,
  type IdStretch,
  type ListedRow,
  searched,
  searchedByName,
  searchForStatement,
  taggedPageStatement,
  withFields,
  withTag,
} from './list-queries.ts'
import { matchingPageStatement } from './matching-page-queries.ts'
import type { ShownRow } from './queries.ts'
import type { ContactFilter, ContactSort } from './schemas.ts'

export { type ContactIds, type IdStretch, inEverySet } from './list-queries.ts'

/**
 * The members of a segment, for the contacts of a workspace or of a stretch of them: a sub-query of one column `id`,
 * undefined when the workspace has no such segment.
 */
export type SegmentFilter = (
  tx: Transaction,
  workspaceId: string,
  segment: { id: string; range: IdStretch | null },
) => Promise<ContactIds | undefined>

export type FilterDeps = { segmentFilter: SegmentFilter }
/** The longest that a filtered list may take in the database: its answer is due within 2 s. */
const FILTER_TIMEOUT_MS = 1_500

export type ListDeps = FilterDeps & { sql: pg.Pool }

/** Without `sort` ascending by id. */
type ListQuery = PageQuery & ContactFilter & { sort?: ContactSort | undefined }

/**
 * A page of the contacts that fit every filter, and their exact number, both of one moment. A filter
 * that nobody can fit is an empty list; a segment that is not there a 422, and so is what takes too long to count.
 */
export async function listContacts(deps: ListDeps, workspaceId: string, query: ListQuery) {
  const whole = wholeList(workspaceId, query)
  const rows = whole
    ? await queryInScope<ListedRow>(deps.sql, workspaceId, { ...whole, plan: 'once' })
    : await inTransaction(deps.sql, workspaceId, (tx) => filteredRows(deps, tx, { workspaceId, query }))
  const items = fitting(rows).filter((row): row is { total: string } & ShownRow => row.id !== null)
  return { items: items.map(({ total: _, ...row }) => shownContactOf(row)), total: Number(rows[0]?.total ?? 0) }
}

type Listing = { workspaceId: string; query: ListQuery }

/** The page of a list whose order and total are kept: of everybody, or by id of those with one tag. Undefined for others. */
function wholeList(workspaceId: string, { page, pageSize, sort = 'id', tag, ...filter }: ListQuery) {
  const { search, searchIn: _, ...others } = filter
  if (search?.trim() || Object.values(others).some((value) => value !== undefined)) return undefined
  if (tag === undefined) return everybodyPageStatement(workspaceId, { page, pageSize, sort })
  if (sort !== 'id' && sort !== '-id') return undefined
  return taggedPageStatement(workspaceId, tag.trim(), { page, pageSize, sort })
}

async function filteredRows(deps: ListDeps, tx: Transaction, { workspaceId, query }: Listing): Promise<ListedRow[]> {
  const { page, pageSize, sort = 'id', ...filter } = query
  const { sets, term } = await setsOf(deps, tx, { workspaceId, filter })
  // A segment may be anything, also what is gathered from all events.
  const byKey = filter.segmentId === undefined
  const [, , { rows }] = await Promise.all([
    tx.query(`set local statement_timeout = ${FILTER_TIMEOUT_MS}`),
    term === '' ? undefined : tx.query(searchForStatement(term)),
    tx.query(matchingPageStatement(workspaceId, { sets, byKey }, { page, pageSize, sort })),
  ]).catch((error: unknown) => throwTooMany(error, query))
  return rows
}

/** Too many to count in time is what the caller asked for, not a database that is away. */
function throwTooMany(error: unknown, filter: ContactFilter): never {
  if (errorCode(error) !== SQLSTATE.queryCanceled) throw error
  const costly = (['search', 'segmentId', 'customField'] as const).find((name) => filter[name] !== undefined)
  const pointer = costly === undefined ? '' : `/${costly}`
  const seconds = FILTER_TIMEOUT_MS / 1_000
  throw unprocessable([{ pointer, detail: `takes more than ${seconds} s to look through: ask for less` }])
}

type Filtering = { workspaceId: string; filter: ContactFilter; stretch?: IdStretch }

/** The contacts that each filter finds, and the term that the transaction must search for. */
async function setsOf(deps: FilterDeps, tx: Transaction, { workspaceId, filter, stretch }: Filtering) {
  const fields = fieldFilter(filter)
  const term = filter.search?.trim() ?? ''
  const sets: ContactIds[] = []
  if (Object.keys(fields).length > 0) sets.push(withFields(workspaceId, fields, stretch))
  if (term !== '')
    sets.push(filter.searchIn === 'names' ? searchedByName(workspaceId, term, stretch) : searched(workspaceId, stretch))
  if (filter.segmentId !== undefined) {
    sets.push(await segmentSet(deps, tx, { workspaceId, segmentId: filter.segmentId, range: stretch ?? null }))
  }
  if (filter.tag !== undefined) sets.push(withTag(workspaceId, filter.tag.trim(), stretch))
  return { sets, term }
}

/**
 * The ids of the contacts, or those of a stretch, that fit every filter, as sub-queries for this transaction whose members
 * are in all of them: none without a filter. Throws 422 for a segment that is not there.
 */
export async function contactsThatFit(deps: FilterDeps, tx: Transaction, given: Filtering): Promise<ContactIds[]> {
  const { sets, term } = await setsOf(deps, tx, given)
  if (term !== '') await tx.query(searchForStatement(term))
  return sets
}

/** An address that is none matches nobody, and says so by an empty list. */
function fieldFilter({ email, subjectId, phone, updatedSince, customField }: ContactFilter) {
  return {
    ...(email === undefined ? {} : { email: normaliseEmail(email) ?? '' }),
    ...(subjectId === undefined ? {} : { subjectId: subjectId.trim() }),
    ...(phone === undefined ? {} : { phone: phone.trim() }),
    ...(updatedSince === undefined ? {} : { updatedSince }),
    ...(customField === undefined ? {} : { customField: keyAndValue(customField) }),
  }
}

function keyAndValue(text: string): { key: string; value: string } {
  const colon = text.indexOf(':')
  return { key: text.slice(0, colon), value: text.slice(colon + 1) }
}

async function segmentSet(
  deps: FilterDeps,
  tx: Transaction,
  { workspaceId, segmentId, range }: { workspaceId: string; segmentId: string; range: IdStretch | null },
): Promise<ContactIds> {
  const members = isBeyondIds(segmentId)
    ? undefined
    : await deps.segmentFilter(tx, workspaceId, { id: segmentId, range })
  if (!members) throw unprocessable([{ pointer: '/segmentId', detail: 'is not a segment of this workspace' }])
  return members
}
