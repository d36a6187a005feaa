import type pg from 'pg'
import { unprocessable } from '../../../catalogue/problems.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { GuardedClient } from '../../../platform/net/guarded-client.ts'
import { Problem } from '../../../platform/problem.ts'
import type { BroadcastKey, BroadcastRow } from '../queries.ts'
import { broadcastRow } from '../read-broadcasts.ts'
import { countAudience } from '../run/audience.ts'
import { type ContentDeps, checkContent } from './check-content.ts'
import { askLinks } from './check-links.ts'
import { checkSender, type SenderDeps } from './check-sender.ts'
import type { Check, Preflight } from './preflight-schemas.ts'

/** Counting an audience may take this long; a broadcast is sent all the same when it takes longer. */
const COUNT_TIMEOUT_MS = 3_000
const QUERY_MARGIN_MS = 500

export type PreflightDeps = SenderDeps & ContentDeps & { sql: pg.Pool; client: GuardedClient }

/**
 * Everything that speaks against sending a broadcast, or should be known before. Changes nothing. With `asksLinks` the
 * servers behind its links are asked as well. Throws 404.
 */
export async function preflight(
  deps: PreflightDeps,
  key: BroadcastKey,
  { asksLinks = false } = {},
): Promise<Preflight & { updatedAt: string }> {
  const row = await broadcastRow(deps.sql, key)
  const [content, sender, audience] = await Promise.all([
    checkContent(deps, key.workspaceId, row),
    inTransaction(deps.sql, key.workspaceId, (tx) => checkSender(tx, deps, { workspaceId: key.workspaceId, ...row })),
    checkAudience(deps.sql, key.workspaceId, row),
  ])
  const asked = asksLinks ? await askLinks(deps.client, content.links, row.body) : []
  const found = [...content.checks, ...sender, ...audience.checks, ...asked]
  const errors = found.filter(({ severity }) => severity === 'error')
  const warnings = found.filter(({ severity }) => severity === 'warning')
  return {
    ready: errors.length === 0,
    checks: [...errors, ...warnings],
    recipientsCount: audience.count,
    htmlBytes: content.htmlBytes,
    updatedAt: row.updatedAt,
  }
}

/** Throws 422 naming all that keeps a broadcast from being sent; answers which state of it was looked at. */
export async function requireReady(deps: PreflightDeps, key: BroadcastKey): Promise<{ updatedAt: string }> {
  const { checks, updatedAt } = await preflight(deps, key)
  const errors = checks.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) throw unprocessable(errors.map(errorOf))
  return { updatedAt }
}

/** Why a broadcast cannot be rendered for anybody; null when it can. */
export async function contentFault(deps: PreflightDeps, key: BroadcastKey): Promise<string | null> {
  const { checks } = await checkContent(deps, key.workspaceId, await broadcastRow(deps.sql, key))
  const fault = checks.find(({ severity }) => severity === 'error')
  return fault ? `${fault.field} ${errorOf(fault).detail}` : null
}

const errorOf = ({ field, line, detail }: Check) => ({
  pointer: field === null ? '' : `/${field}`,
  detail: line === null ? detail : `line ${line}: ${detail}`,
})

async function checkAudience(
  sql: pg.Pool,
  workspaceId: string,
  row: BroadcastRow,
): Promise<{ count: number | null; checks: Check[] }> {
  try {
    const count = await inTransaction(sql, workspaceId, async (tx) => {
      await tx.query(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`)
      return countAudience(tx, workspaceId, {
        segmentIds: row.segmentIds,
        excludedSegmentIds: row.excludedSegmentIds,
        timeoutMs: COUNT_TIMEOUT_MS + QUERY_MARGIN_MS,
      })
    })
    return {
      count,
      checks: count === 0 ? [audienceCheck('error', 'audience_empty', 'Nobody is in its audience.')] : [],
    }
  } catch (error) {
    if (error instanceof Problem) {
      return { count: null, checks: [audienceCheck('error', 'segment_invalid', error.detail ?? error.title)] }
    }
    if (databaseOutcome(error) !== 'timed_out') throw error
    const detail = 'Its audience is too large, or its segments are too slow, to be counted beforehand.'
    return { count: null, checks: [audienceCheck('warning', 'audience_uncounted', detail)] }
  }
}

function audienceCheck(severity: Check['severity'], code: Check['code'], detail: string): Check {
  return { code, severity, field: 'segmentIds', line: null, detail }
}
