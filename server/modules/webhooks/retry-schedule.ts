/**
 * Waits before attempts 2 to 10, after the attempt before: 75 h in all (decisions 7). Attempt 1 goes at once.
 */
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
export const ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1
/** Upwards only, so that the schedule is never shorter than stated. */
const JITTER = 0.2
const RETRY_AFTER_FACTOR_MAX = 2

/**
 * Milliseconds until the attempt after `attempt` (1-based), undefined when that was the last. A receiver's `Retry-After`
 * can stretch the wait up to twice the planned one, never shorten it.
 */
export function retryDelayMs(input: {
  attempt: number
  retryAfterMs?: number | undefined
  random: number
}): number | undefined {
  const planned = RETRY_DELAYS_MS[input.attempt - 1]
  if (planned === undefined) return undefined
  const asked = Math.min(input.retryAfterMs ?? 0, planned * RETRY_AFTER_FACTOR_MAX)
  return Math.round(Math.max(planned * (1 + JITTER * input.random), asked))
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date (RFC 9110 section 10.2.3). Undefined if neither. */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND
  if (!/^[A-Za-z]{3}/.test(text)) return undefined
  // The oldest of the three forms names no zone and means UTC as well.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
