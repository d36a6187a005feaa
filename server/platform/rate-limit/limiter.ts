/** Requests are counted in the minutes of the clock. */
export const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1_000
/** How often the processes tell each other what they let through. */
export const RECONCILE_EVERY_MS = 1_000
/** Below this share of its limit a subject is counted in its own process only: most never come near. */
const SHARED_FROM = 0.01
/** Subjects of one minute that are counted at once; for one more the one that was first counted is forgotten. */
const SUBJECTS_MAX = 100_000

export type Use = { subject: string; used: number }
export type Taken = { allowed: boolean; remaining: number; resetSeconds: number }

export type Limiter = {
  /** Counts a request of a subject, unless its minute is used up: what is refused does not count. */
  take(subject: string, limit: number): Taken
  /** Whether the subject's minute is used up, without counting anything. */
  isSpent(subject: string, limit: number): boolean
  /** Tells the others now what was let through, and learns what they did. */
  reconcile(): Promise<void>
  stop(): void
}

/** `told` is what the database knows, of all processes; the rest was let through here since. */
type Count = { told: number; telling: number; since: number; limit: number }

/**
 * Limits requests of the whole fleet without asking anybody about any one of them. Each process counts for itself and
 * adds its counts to the common sums about once a second, learning theirs. Between two of these, other processes may let
 * through what is already used up: never more than the limit each, nor than what arrives there in that second. `share`
 * adds uses to a minute's sums and answers the sums; while it fails each process keeps to the limit by itself.
 * No subject pays for another's requests: beyond `subjectsMax` in a minute the first of them begin anew. Subjects that
 * anybody may make up belong in a limiter of their own, so that they push out none but each other.
 */
export function createLimiter(
  share: (minute: number, uses: readonly Use[]) => Promise<readonly Use[]>,
  { now = Date.now, everyMs = RECONCILE_EVERY_MS, subjectsMax = SUBJECTS_MAX } = {},
): Limiter {
  let minute = 0
  let counts = new Map<string, Count>()
  let sharing = false

  /** The counts of the present minute. */
  function present(): Map<string, Count> {
    const current = Math.floor(now() / WINDOW_MS)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    return counts
  }

  function countOf(subject: string, limit: number): Count {
    const known = present().get(subject)
    if (known !== undefined) return known
    const count = { told: 0, telling: 0, since: 0, limit }
    if (counts.size >= subjectsMax) for (const first of counts.keys().take(1)) counts.delete(first)
    counts.set(subject, count)
    return count
  }

  async function reconcile(): Promise<void> {
    const told = counts
    const telling: { subject: string; used: number; count: Count }[] = []
    for (const [subject, count] of told) {
      if (count.since === 0 || usedOf(count) < count.limit * SHARED_FROM) continue
      telling.push({ subject, used: count.since, count })
      count.telling = count.since
      count.since = 0
    }
    if (telling.length === 0) return
    try {
      const uses = telling.map(({ subject, used }) => ({ subject, used }))
      for (const { subject, used } of await share(minute, uses)) {
        const count = told.get(subject)
        if (count) count.told = used
      }
    } catch {
      // Told again the next time: a limit is worth no error.
      for (const { count, used } of telling) count.since += used
    } finally {
      for (const { count } of telling) count.telling = 0
    }
  }

  const timer = setInterval(() => {
    if (sharing) return
    sharing = true
    reconcile().finally(() => {
      sharing = false
    })
  }, everyMs)
  timer.unref()

  return {
    take(subject, limit) {
      const count = countOf(subject, limit)
      const allowed = usedOf(count) < limit
      if (allowed) count.since++
      const resetSeconds = WINDOW_SECONDS - Math.floor((now() % WINDOW_MS) / 1_000)
      return { allowed, remaining: Math.max(0, limit - usedOf(count)), resetSeconds }
    },
    isSpent(subject, limit) {
      const count = present().get(subject)
      return count !== undefined && usedOf(count) >= limit
    },
    reconcile,
    stop: () => clearInterval(timer),
  }
}

function usedOf({ told, telling, since }: Count): number {
  return told + telling + since
}
