import type pg from 'pg'
import { audienceChanged, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { GuardedClient } from '../../../platform/net/guarded-client.ts'
import { toUtc } from '../../../platform/rfc3339.ts'
import type { SenderDeps } from '../../sending/judge-sender.ts'
import { busyIsOverloaded } from '../../templates/manage-templates.ts'
import type { BroadcastKey } from '../queries.ts'
import { broadcastRow } from '../read-broadcasts.ts'
import { checkAudience } from './check-audience.ts'
import { type ContentDeps, checkContent } from './check-content.ts'
import { askLinks } from './check-links.ts'
import { checkSender, checkWorkspaceName } from './check-sender.ts'
import { nameAudience } from './name-audience.ts'
import type { Check, Preflight } from './preflight-schemas.ts'

/** An audience that is larger or smaller than somebody was told by more than either is another one (decisions, section 13). */
const MOVED_SHARE_MAX = 0.01
const MOVED_COUNT_MAX = 10

/** Parts that a broadcast is judged with, without asking the servers behind its links. */
export type JudgeDeps = SenderDeps & ContentDeps & { sql: pg.Pool }
export type PreflightDeps = JudgeDeps & { client: GuardedClient }

/**
 * Everything that speaks against sending a broadcast, or should be known before. Changes nothing. With `linksVia` the
 * servers behind its links are asked as well. Throws 404, and 503 when too many templates wait to be compiled or rendered.
 */
export async function preflight(
  deps: JudgeDeps,
  key: BroadcastKey,
  { linksVia }: { linksVia?: GuardedClient | undefined } = {},
): Promise<Preflight> {
  const row = await broadcastRow(deps.sql, key)
  const [content, sender, audience, names] = await Promise.all([
    checkContent(deps, { workspaceId: key.workspaceId, renderedFor: 'request' }, row).catch(busyIsOverloaded),
    inTransaction(deps.sql, key.workspaceId, async (tx) => [
      ...(await checkSender(tx, deps, { workspaceId: key.workspaceId, ...row })),
      ...(await checkWorkspaceName(tx, key.workspaceId)),
    ]),
    checkAudience(deps.sql, key.workspaceId, row),
    inTransaction(deps.sql, key.workspaceId, (tx) => nameAudience(tx, key.workspaceId, row)),
  ])
  const asked = linksVia ? await askLinks(linksVia, content.links, row.body) : []
  const found = [...content.checks, ...sender, ...audience.checks, ...asked]
  const errors = found.filter(({ severity }) => severity === 'error')
  const warnings = found.filter(({ severity }) => severity === 'warning')
  return {
    ready: errors.length === 0,
    updatedAt: row.updatedAt,
    audience: names,
    checks: [...errors, ...warnings],
    recipientsCount: audience.count,
    forecast: audience.forecast,
    htmlBytes: content.htmlBytes,
  }
}

/** A draft as somebody has seen it: how many people it goes to, and the state that it was in. */
export type Expected = { expectedCount?: number; expectedUpdatedAt?: string }

/**
 * Throws 422 naming all that keeps a broadcast from being sent, and 409 where it was changed, or its audience is not as large as was
 * expected any more; answers which state of it was looked at.
 */
export async function requireReady(
  deps: JudgeDeps,
  key: BroadcastKey,
  { expectedCount, expectedUpdatedAt }: Expected = {},
): Promise<{ updatedAt: string }> {
  const { checks, updatedAt, recipientsCount } = await preflight(deps, key)
  if (expectedUpdatedAt !== undefined && (toUtc(expectedUpdatedAt) ?? expectedUpdatedAt) !== updatedAt)
    throw wrongStatus('It was changed since it was looked at: look at it again.')
  const errors = checks.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw unprocessable(errors.map(errorOf))
  if (expectedCount !== undefined && hasMoved(expectedCount, recipientsCount)) throw audienceChanged(recipientsCount)
  return { updatedAt }
}

/** One that cannot be counted is not known to be the same. */
function hasMoved(expected: number, count: number | null): boolean {
  return count === null || Math.abs(count - expected) > Math.min(MOVED_COUNT_MAX, expected * MOVED_SHARE_MAX)
}

/** Why a broadcast cannot be rendered for anybody; null when it can. */
export async function contentFault(deps: JudgeDeps, key: BroadcastKey): Promise<string | null> {
  const row = await broadcastRow(deps.sql, key)
  const { checks } = await checkContent(deps, { workspaceId: key.workspaceId, renderedFor: 'sender' }, row)
  const fault = checks.find(({ severity }) => severity === 'error')
  return fault ? `${fault.field} ${errorOf(fault).detail}` : null
}

const errorOf = ({ field, line, detail }: Check) => ({
  pointer: field === null ? '' : `/${field}`,
  detail: line === null ? detail : `line ${line}: ${detail}`,
})
