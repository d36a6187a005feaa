import type { Transaction } from '../../platform/db/transaction.ts'

const USER_AGENT_CHARS_MAX = 500

/** The one who did something. `operator` is the instance's command line, `system` is ourselves. */
export type Actor = { kind: 'user' | 'api_token' | 'operator' | 'system'; id: string | null; name: string | null }

/** The actor whose doing an entry records, and where it came from. */
export type AuditOrigin = {
  workspaceId: string
  actor: Actor
  requestId: string | null
  ip: string | null
  userAgent: string | null
  /** Runs in the transaction of each entry; its rejection undoes what was about to be recorded. */
  onRecorded?: (tx: Transaction, entry: AuditEntry) => Promise<void>
}

/** A value before and after, or the word "changed" where the values themselves are secret or personal. */
export type Diff = Record<string, { from: unknown; to: unknown } | 'changed'>

export type AuditEntry = {
  /** `<entity>.<verb>` in snake_case: `webhook_endpoint.update`. */
  action: string
  target: { type: string; id: string | null; name: string | null }
  diff?: Diff
}

/** Records what somebody did, in the transaction that does it: both are committed, or neither. */
export async function recordAudit(tx: Transaction, origin: AuditOrigin, entry: AuditEntry): Promise<void> {
  await Promise.all([insertAuditEntry(tx, origin, entry), origin.onRecorded?.(tx, entry)])
}

/** Records what the system did by itself in a workspace. */
export async function recordSystemAudit(tx: Transaction, workspaceId: string, entry: AuditEntry): Promise<void> {
  const actor = { kind: 'system', id: null, name: null } as const
  await insertAuditEntry(tx, { workspaceId, actor, requestId: null, ip: null, userAgent: null }, entry)
}

async function insertAuditEntry(tx: Transaction, origin: AuditOrigin, entry: AuditEntry): Promise<void> {
  const { actor } = origin
  await tx.query({
    name: 'insert-audit-entry',
    text: `insert into audit_entries (workspace_id, actor_kind, actor_id, actor_name, action, target_type, target_id,
             target_name, diff, request_id, ip, user_agent)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    values: [
      origin.workspaceId,
      actor.kind,
      actor.id,
      actor.name,
      entry.action,
      entry.target.type,
      entry.target.id,
      entry.target.name,
      JSON.stringify(entry.diff ?? {}),
      origin.requestId,
      origin.ip,
      origin.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    ],
  })
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The difference between two states of a resource; either may be undefined, for creation and deletion. Fields named in
 * `hidden` (secrets, personal values) show as "changed" only. Values are compared as JSON.
 */
export function diffOf(
  before: Fields | undefined,
  after: Fields | undefined,
  options: { hidden?: readonly string[] } = {},
): Diff {
  const diff: Diff = {}
  for (const field of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])) {
    const from = before?.[field] ?? null
    const to = after?.[field] ?? null
    if (JSON.stringify(from) === JSON.stringify(to)) continue
    diff[field] = options.hidden?.includes(field) ? 'changed' : { from, to }
  }
  return diff
}
