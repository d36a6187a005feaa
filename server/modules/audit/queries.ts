import type { Statement } from '../../platform/db/statement.ts'
import type { Actor } from './record-audit.ts'

export type AuditFilters = {
  from?: string
  to?: string
  actorKind?: string
  actorId?: string
  action?: string
  targetType?: string
  targetId?: string
  ip?: string
  requestId?: string
}

/** Where a page ends: the time and id of its last entry. */
export type AuditKey = { occurredAt: string; id: string }

export type AuditRow = {
  id: string
  occurredAt: string
  actorKind: Actor['kind']
  actorId: string | null
  actorName: string | null
  action: string
  targetType: string
  targetId: string | null
  targetName: string | null
  diff: string
  requestId: string | null
  ip: string | null
  userAgent: string | null
}

/** Columns a filter compares for equality. Only filters in use stand in the statement, so that each finds its index. */
const EQUALS = {
  actorKind: 'actor_kind',
  actorId: 'actor_id',
  action: 'action',
  targetType: 'target_type',
  targetId: 'target_id',
  ip: 'ip',
  requestId: 'request_id',
} as const satisfies Partial<Record<keyof AuditFilters, string>>

/** Kinds of actors that have an index of their own, since few entries are theirs. */
const RARE_KINDS: ReadonlySet<string> = new Set(['operator', 'system'] satisfies Actor['kind'][])

type Search = { workspaceId: string; filters: AuditFilters; before: AuditKey | undefined; limit: number }

/**
 * A page of the log, newest first, strictly before a key. Entries are in the filters' indexes from their sealing on, so
 * the page is the newest of two: of the sealed ones by index, and of the few that wait for their seal.
 */
export function auditEntriesForStatement(search: Search): Statement<AuditRow> {
  const { filters, before } = search
  const values: unknown[] = [search.workspaceId]
  const value = (item: unknown) => `$${values.push(item)}`
  const conditions = ['workspace_id = $1']
  if (filters.from !== undefined) conditions.push(`occurred_at >= ${value(filters.from)}::timestamptz`)
  if (filters.to !== undefined) conditions.push(`occurred_at < ${value(filters.to)}::timestamptz`)
  for (const [filter, column] of Object.entries(EQUALS)) {
    const wanted = filters[filter as keyof typeof EQUALS]
    if (wanted !== undefined) conditions.push(`${column} = ${value(wanted)}`)
  }
  if (before !== undefined) {
    conditions.push(`(occurred_at, id) < (${value(before.occurredAt)}::timestamptz, ${value(before.id)}::bigint)`)
  }
  // The planner sees that an index of some kinds of actors serves only where the kind stands in the statement itself.
  if (RARE_KINDS.has(filters.actorKind ?? '')) conditions.push(`actor_kind in ('operator', 'system')`)
  const limit = value(search.limit)
  const newest = (
    sealed: string,
  ) => `(select * from audit_entries where ${conditions.join(' and ')} and seal is ${sealed}
      order by occurred_at desc, id desc limit ${limit})`
  const text = `select id, occurred_at as "occurredAt", actor_kind as "actorKind", actor_id as "actorId",
      actor_name as "actorName", action, target_type as "targetType", target_id as "targetId",
      target_name as "targetName", diff, request_id as "requestId", ip, user_agent as "userAgent"
    from (${newest('null')} union all ${newest('not null')}) entries
    order by occurred_at desc, id desc
    limit ${limit}`
  return { text, values }
}
