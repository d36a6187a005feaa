import type { PostroomError } from './errors.ts'

const PAUSE_FIRST_MS = 500
const PAUSE_MS_MAX = 8_000
/** A server that asks for more than this is not waited for: the call ends with what it said. */
const RETRY_AFTER_SECONDS_MAX = 60
const RETRIED: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

/** How long to wait before the next attempt, in milliseconds; undefined: there is none. A fault without an answer is no `PostroomError`. */
export function pauseBefore(attempt: number, answer: PostroomError | undefined, random: number): number | undefined {
  if (answer && !RETRIED.has(answer.status) && answer.code !== 'request-in-flight') return undefined
  const backoffMs = random * Math.min(PAUSE_MS_MAX, PAUSE_FIRST_MS * 2 ** (attempt - 1))
  const askedSeconds = answer?.retryAfterSeconds
  if (askedSeconds === undefined) return backoffMs
  return askedSeconds > RETRY_AFTER_SECONDS_MAX ? undefined : askedSeconds * 1_000 + random * PAUSE_FIRST_MS
}

/** The seconds of a `Retry-After` (RFC 9110 section 10.2.3), which may name a date. */
export function retryAfterSeconds(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - nowMs) / 1_000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** Problems of a server that has done nothing. */
const NOTHING_DONE: ReadonlySet<string> = new Set(['overloaded'])
/** A repeat is refused with these whatever became of the request before. */
const REFUSED_UNSEEN: ReadonlySet<number> = new Set([401, 403, 408, 412, 429])

/** Whether a change may have been made although its answer is an error, or there is none. */
export function mayHaveTakenEffect(answer: PostroomError | undefined): boolean {
  if (answer === undefined || answer.code === 'request-in-flight') return true
  return answer.status >= 500 && !NOTHING_DONE.has(answer.code)
}

/** Whether an answer leaves open what became of the attempts before it. */
export function leavesOpen(answer: PostroomError): boolean {
  return REFUSED_UNSEEN.has(answer.status) || answer.status >= 500
}

/** Waits; rejects with the reason of a signal that ends it. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
