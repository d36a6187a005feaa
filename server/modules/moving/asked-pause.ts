import { HOUR_MS } from '../../platform/durations.ts'

/** Longest that is waited for one answer: the limits of these services are counted by the hour at most. */
const PAUSE_MS_MAX = HOUR_MS

/** The pause that an answer asks for, in milliseconds: `Retry-After` (RFC 9110), or as Brevo says when its window ends. */
export function waitOf(header: (name: string) => string | null | undefined): number | null {
  const seconds = header('retry-after') ?? header('x-sib-ratelimit-reset')
  if (seconds === null || seconds === undefined || !/^\d{1,9}$/.test(seconds)) return null
  return Math.min(PAUSE_MS_MAX, Number(seconds) * 1_000)
}
