import { badCursor, notInEdition } from '../../catalogue/problems.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { cursorsOf } from '../../platform/schema/paging.ts'
import { type AuditFilters, type AuditKey, type AuditRow, auditEntriesForStatement } from './queries.ts'
import type { ChainDeps } from './seal-audit.ts'

export type AuditDeps = ChainDeps & { edition: 'enterprise' | 'community' }
export type AuditSearch = AuditFilters & { cursor?: string; limit: number }

const cursors = cursorsOf('audit', [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/, /^\d{1,19}$/])

/** Reading the log needs the enterprise edition; entries are recorded in each. */
export function requireAudit({ edition }: Pick<AuditDeps, 'edition'>): void {
  if (edition === 'community') throw notInEdition('Reading the audit log')
}

/** A page of a workspace's log, newest first; `nextCursor` only when there is more. 402 in the community edition. */
export async function listAudit(deps: Pick<AuditDeps, 'sql' | 'edition'>, workspaceId: string, search: AuditSearch) {
  requireAudit(deps)
  const { cursor, limit, ...filters } = search
  // One more than asked for tells whether there is a next page.
  const statement = auditEntriesForStatement({
    workspaceId,
    filters: inUtc(filters),
    before: cursor === undefined ? undefined : keyOf(cursor),
    limit: limit + 1,
  })
  const rows = await queryInScope(deps.sql, workspaceId, statement)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { items: shown.map(entryOf), ...(hasMore ? { nextCursor: cursors.encode([last.occurredAt, last.id]) } : {}) }
}

function keyOf(cursor: string): AuditKey {
  const [occurredAt, id] = cursors.decode(cursor) ?? []
  if (occurredAt === undefined || id === undefined || toUtc(occurredAt) === undefined) throw badCursor()
  return { occurredAt, id }
}

/** An operator is no user and no token, so that an id says nothing about one. */
export function inUtc({ from, to, ...filters }: AuditFilters): AuditFilters {
  const { actorId, ...others } = filters
  return {
    ...(filters.actorKind === 'operator' ? others : filters),
    ...(from === undefined ? {} : { from: toUtc(from) ?? from }),
    ...(to === undefined ? {} : { to: toUtc(to) ?? to }),
  }
}

export function entryOf(row: AuditRow) {
  return {
    id: row.id,
    occurredAt: row.occurredAt,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    target: { type: row.targetType, id: row.targetId, name: row.targetName },
    diff: parseExactJson(row.diff) as Record<string, unknown>,
    requestId: row.requestId,
    ip: row.ip,
    userAgent: row.userAgent,
  }
}
