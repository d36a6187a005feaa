import type pg from 'pg'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import { ruleOf } from '../../sending/ledger/refusal-words.ts'
import type { MessageState } from '../../sending/message-states.ts'
import { type Audience, countAudience, forecastAudience, type RefusalCount } from '../run/audience.ts'
import type { Check, Preflight } from './preflight-schemas.ts'

/** Looking at everybody may take this long, and counting them the same again; a broadcast is sent all the same when it takes longer. */
const LOOK_TIMEOUT_MS = 2_500
const QUERY_MARGIN_MS = 500

type Found = Pick<Preflight, 'forecast'> & { count: number | null; checks: Check[] }

type TopicAudience = Audience & { topicId: string | null }

/** The size of an audience, and who of it would not be mailed and why, as things stand now. */
export async function checkAudience(sql: pg.Pool, workspaceId: string, audience: TopicAudience): Promise<Found> {
  try {
    const forecast = await withinTime(() => forecastNow(sql, workspaceId, audience))
    if (forecast) return foundOf(forecast.sendCount + sumOf(forecast.skips), forecast)
    const count = await withinTime(() => countNow(sql, workspaceId, audience))
    if (count !== undefined) return foundOf(count, null)
    const detail = 'Its audience is too large, or its segments are too slow, to be counted beforehand.'
    return { count: null, forecast: null, checks: [audienceCheck('warning', 'audience_uncounted', detail)] }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const checks = [audienceCheck('error', 'segment_invalid', error.detail ?? error.title)]
    return { count: null, forecast: null, checks }
  }
}

function foundOf(count: number, forecast: Preflight['forecast']): Found {
  if (count === 0)
    return { count, forecast, checks: [audienceCheck('error', 'audience_empty', 'Nobody is in its audience.')] }
  if (forecast?.sendCount !== 0) return { count, forecast, checks: [] }
  const detail = 'Nobody in its audience would be mailed: each of them is skipped.'
  return { count, forecast, checks: [audienceCheck('warning', 'audience_skipped', detail)] }
}

const forecastNow = (sql: pg.Pool, workspaceId: string, audience: TopicAudience) =>
  inTransaction(sql, workspaceId, async (tx) => {
    await tx.query(`set local statement_timeout = ${LOOK_TIMEOUT_MS}`)
    return forecastOf(
      await forecastAudience(tx, workspaceId, { ...picked(audience), topicId: audience.topicId, timeoutMs }),
    )
  })

const countNow = (sql: pg.Pool, workspaceId: string, audience: Audience) =>
  inTransaction(sql, workspaceId, async (tx) => {
    await tx.query(`set local statement_timeout = ${LOOK_TIMEOUT_MS}`)
    return countAudience(tx, workspaceId, { ...picked(audience), timeoutMs })
  })

const timeoutMs = LOOK_TIMEOUT_MS + QUERY_MARGIN_MS
const picked = ({ segmentIds, excludedSegmentIds }: Audience): Audience => ({ segmentIds, excludedSegmentIds })

/** The largest skip first. */
function forecastOf(counts: readonly RefusalCount[]): NonNullable<Preflight['forecast']> {
  const skips = counts.flatMap(({ refusal, count }) => {
    if (refusal === null) return []
    const [state, reason] = refusal.split(':') as ['skipped' | 'suppressed', string]
    return [{ state, reason, rule: ruleOf(state satisfies MessageState, reason), count: Number(count) }]
  })
  const sendCount = Number(counts.find(({ refusal }) => refusal === null)?.count ?? 0)
  return { sendCount, skips: skips.sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason)) }
}

const sumOf = (skips: readonly { count: number }[]) => skips.reduce((sum, { count }) => sum + count, 0)

/** Undefined when the database took longer. */
async function withinTime<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (databaseOutcome(error) !== 'timed_out') throw error
    return undefined
  }
}

function audienceCheck(severity: Check['severity'], code: Check['code'], detail: string): Check {
  return { code, severity, field: 'segmentIds', line: null, detail }
}
