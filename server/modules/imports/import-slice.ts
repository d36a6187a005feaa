import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { withQueryTimeout } from '../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import type { AuditOrigin } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdStrangersAlone } from '../consents/hold-for-consent.ts'
import { noteContactConsents } from '../consents/note-consent-changes.ts'
import { type ConsentFacts, recordConsents } from '../consents/record-consents.ts'
import { giveTags } from '../contacts/give-tags.ts'
import type { UpsertMode } from '../contacts/schemas.ts'
import { retryingRaces, type Upserted, upsertContacts } from '../contacts/upsert-contacts.ts'
import { suppressAddresses } from '../suppression/suppress-addresses.ts'
import { subscribeImported } from '../topics/subscribe-imported.ts'
import { topicSource } from '../topics/topics-of-person.ts'
import { unsubscribeImported } from '../unsubscribes/unsubscribe-imported.ts'
import type { ColumnFormat } from './column-format.ts'
import { endImport } from './end-import.ts'
import type { MappedRow } from './map-row.ts'
import { addProgress, type ImportKey, type ImportRow, importForChange, insertErrors, type RowError } from './queries.ts'
import type { No } from './subscription-status.ts'

/** Rows of an import from one byte of its file to another. */
export type Slice = {
  fromByte: number
  nextByte: number
  nextLine: number
  rows: readonly SliceRow[]
  /** Rows without any value. */
  skipped: number
  /** Whether the file ends here. */
  isLast: boolean
}
export type SliceRow = { line: number; values: readonly string[]; mapped: MappedRow | { fault: string } }

type SoundRow = SliceRow & { mapped: MappedRow; outcome: Upserted }

/** Rows that failed are kept up to so many; further ones are only counted. */
const ERRORS_KEPT_MAX = 100_000
/** A statement of a slice, on a busy machine. */
const SLICE_QUERY_TIMEOUT_MS = 20_000
const ERROR_ROW_CHARS_MAX = 32 * 1024
const ERROR_VALUE_CHARS_MAX = 200

/**
 * Imports a slice: contacts, tags, consents, topics, opt-outs, what failed, and the place where the next slice begins, in one
 * transaction. `left` when the import is not at this place any more: it was canceled, or another run of its job is ahead.
 */
export async function importSlice(deps: { pool: pg.Pool }, key: ImportKey, slice: Slice): Promise<'imported' | 'left'> {
  const outcome = await retryingRaces(() =>
    inTransaction(deps.pool, key.workspaceId, async (client) => {
      const tx = withQueryTimeout(client, SLICE_QUERY_TIMEOUT_MS)
      const row = await importForChange(tx, key.workspaceId, key.id)
      if (row?.state !== 'running' || Number(row.nextByte) !== slice.fromByte) return 'left'
      await writeSlice(tx, row, { key, slice })
      crashPoint('import_before_commit')
      return 'imported'
    }),
  )
  crashPoint('import_after_commit')
  return outcome
}

const TOLD = { change: 'imported', byWhom: 'workspace' } as const

async function writeSlice(tx: Transaction, row: ImportRow, { key, slice }: { key: ImportKey; slice: Slice }) {
  const caller = starterOf(row)
  const sound = slice.rows.filter((one): one is SliceRow & { mapped: MappedRow } => !('fault' in one.mapped))
  const items = sound.map(({ mapped }) => mapped.item)
  const { tags, topicIds = [], mode = 'fill' } = settingsOf(row)
  const outcomes = items.length === 0 ? [] : await upsertContacts(tx, key.workspaceId, { items, mode })
  const done = sound.map((one, n): SoundRow => ({ ...one, outcome: outcomes[n]! }))
  await tagRows(tx, caller, { rows: done, tags, known: renamedTagsOf(row) })
  const yeses = yesesOf(done, topicIds)
  if (yeses.some((one) => one.topicIds.length > 0)) await holdStrangersAlone(tx, key.workspaceId)
  await recordConsents(tx, key.workspaceId, consentsOf(done), { importId: key.id })
  const noes = [
    ...noesOf(done, 'no_newsletters').map((destination) => ({ destination, sendingSource: 'broadcasts' as const })),
    ...noesOf(done, 'unsubscribed').map((destination) => ({ destination, sendingSource: 'everything' as const })),
  ]
  await unsubscribeImported(tx, key.workspaceId, noes, key.id)
  await suppressAddresses(tx, key.workspaceId, noesOf(done, 'suppressed'))
  const faults = slice.rows.flatMap((one) => ('fault' in one.mapped ? errorOf(one, one.mapped.fault) : []))
  const refused = done.flatMap((one) => (one.outcome.status === 'failed' ? errorOf(one, refusal(one.outcome)) : []))
  const errors = [...faults, ...refused]
  const kept = errors.slice(0, Math.max(0, ERRORS_KEPT_MAX - Number(row.errorsKept)))
  await insertErrors(tx, key, kept)
  const changes = outcomes.flatMap((one) => (one.status === 'updated' ? [one.changed.length] : []))
  const unchanged = changes.filter((fields) => fields === 0).length
  await addProgress(tx, key, {
    read: slice.rows.length + slice.skipped,
    created: outcomes.filter(({ status }) => status === 'created').length,
    updated: changes.length - unchanged,
    unchanged,
    failed: errors.length,
    skipped: slice.skipped,
    errorsKept: kept.length,
    nextByte: slice.nextByte,
    nextLine: slice.nextLine,
  })
  // A no of somebody in these rows waits for the commit.
  const told = await subscribeImported(tx, key.workspaceId, yeses)
  await noteContactConsents(
    tx,
    key.workspaceId,
    told.map(({ contactId, topicId }) => ({
      ...TOLD,
      contactId,
      sendingSource: topicSource(topicId),
      importId: key.id,
    })),
  )
  if (slice.isLast) await endImport(tx, caller, { row, ending: { state: 'done', failure: null } })
}

/** In the name of whoever started it. */
export function starterOf(row: ImportRow): Caller {
  return { ...(JSON.parse(row.startedBy ?? 'null') as AuditOrigin), scopes: new Set() }
}

export function settingsOf(row: ImportRow) {
  return JSON.parse(row.settings ?? 'null') as {
    mapping: Record<string, string>
    tags: string[]
    topicIds?: string[]
    consent: 'confirmed' | 'unconfirmed'
    /** Of one that was started by a version before: none, and it fills. */
    mode?: UpsertMode
    /** Likewise: all is text. */
    formats?: Record<string, ColumnFormat>
  }
}

/** Tags that were renamed since the import was started, by the names that it has for them. */
const renamedTagsOf = ({ tagIds }: ImportRow) => new Map(Object.entries(JSON.parse(tagIds) as Record<string, string>))

type Tagging = { rows: readonly SoundRow[]; tags: string[]; known: Map<string, string> }

async function tagRows(tx: Transaction, caller: Caller, { rows, tags, known }: Tagging) {
  const tagged = rows.flatMap(({ mapped, outcome }) =>
    outcome.status === 'failed' ? [] : [{ contactId: outcome.contactId, tags: [...mapped.tags, ...tags] }],
  )
  await giveTags(tx, caller, tagged, { inPart: true, known })
}

/** One entry a contact: of two rows the first counts, and the second fills its blanks. */
function consentsOf(rows: readonly SoundRow[]) {
  const facts = new Map<string, ConsentFacts>()
  for (const { mapped, outcome } of rows) {
    if (mapped.consent === null || outcome.status === 'failed') continue
    facts.set(outcome.contactId, { ...mapped.consent, ...facts.get(outcome.contactId) })
  }
  return [...facts].map(([contactId, known]) => ({ contactId, provenance: 'imported' as const, facts: known }))
}

/** A row without consent is of somebody who said yes to nothing. */
function yesesOf(rows: readonly SoundRow[], topicIds: readonly string[]) {
  return rows.flatMap(({ mapped, outcome }) => {
    if (mapped.consent === null || outcome.status === 'failed') return []
    const isConfirmed = mapped.consent.confirmedAt !== undefined
    return [{ contactId: outcome.contactId, topicIds: [...mapped.topicIds, ...topicIds], isConfirmed }]
  })
}

/** The addresses of rows with a no, also where the row makes no contact. */
function noesOf(rows: readonly SoundRow[], no: No): string[] {
  return rows.flatMap(({ mapped }) => (mapped.no === no ? (mapped.item.fields.email ?? []) : []))
}

function refusal({ error }: { error: { pointer: string; detail: string } }): string {
  return `${error.pointer.slice(1)} ${error.detail}`.trim()
}

/** The row as it stood in the file, cut when it is very long; without what PostgreSQL's text refuses. */
function errorOf({ line, values }: SliceRow, error: string): RowError {
  const chars = values.reduce((sum, value) => sum + value.length, 0)
  const shown = chars <= ERROR_ROW_CHARS_MAX ? values : values.map((value) => value.slice(0, ERROR_VALUE_CHARS_MAX))
  return { line, error, values: shown.map((value) => value.replaceAll('\0', '').toWellFormed()) }
}
