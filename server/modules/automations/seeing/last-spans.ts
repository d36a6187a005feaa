/** Spans of time up to now that counts are kept for. */
export const LAST_SPANS = ['24h', '7d', '30d'] as const
export type LastSpan = (typeof LAST_SPANS)[number]

/**
 * SQL: the beginning of a span, which is that of an hour or of a day in UTC, for these are kept. It has up to an hour or a day more
 * than its name says.
 */
export const SINCE: Readonly<Record<LastSpan, string>> = {
  '24h': `date_trunc('hour', postroom_clock() - interval '24 hours', 'UTC')`,
  '7d': `date_trunc('day', postroom_clock() - interval '7 days', 'UTC')`,
  '30d': `date_trunc('day', postroom_clock() - interval '30 days', 'UTC')`,
}
