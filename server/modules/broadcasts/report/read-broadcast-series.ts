import type pg from 'pg'
import { DAY_MS } from '../../../platform/durations.ts'
import { readSeries } from '../../overview/read-series.ts'
import { readSpan } from '../../overview/read-span.ts'
import type { MailSeries, SeriesQuery } from '../../overview/schemas.ts'
import type { BroadcastKey } from '../queries.ts'
import { broadcastRow } from '../read-broadcasts.ts'

/** By then most of what comes back of a broadcast has. */
const FIRST_MS = 7 * DAY_MS

/** A broadcast's mail hour by hour, or by day, of its first week unless asked otherwise. Throws 400, 404. */
export async function readBroadcastSeries(sql: pg.Pool, key: BroadcastKey, query: SeriesQuery): Promise<MailSeries> {
  const { startedAt } = await broadcastRow(sql, key)
  const now = new Date()
  const from = query.from ?? startedAt ?? undefined
  const firstEnds = from === undefined ? now : new Date(Date.parse(from) + FIRST_MS)
  const to = query.to ?? (firstEnds < now ? firstEnds : now).toISOString()
  const asked = { interval: 'hour' as const, ...query, ...(from === undefined ? {} : { from }), to }
  const span = readSpan(asked, { now, lastMs: DAY_MS })
  const { before: _before, ...series } = await readSeries(sql, {
    workspaceId: key.workspaceId,
    about: `broadcast ${key.id}`,
    span,
  })
  return series
}
