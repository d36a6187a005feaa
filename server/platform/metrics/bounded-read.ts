/** How long a scrape waits for an observation: Prometheus itself gives up after 10 s by default. */
export const OBSERVATION_TIMEOUT_MS = 1_000

export type BoundedReadOptions = {
  timeoutMs: number
  /** Called once per answer that did not come: the read failed, or took too long. */
  onMissing: (reason: 'failed' | 'timeout') => void
}

/**
 * Makes a slow source safe to ask at every scrape: the answer comes within `timeoutMs` or is undefined, and a source that
 * hangs is asked once, not once more by every scrape. No value is kept from earlier: a gap says "not known", an old
 * number would say that all is well.
 */
export function boundedRead<T>(read: () => T | Promise<T>, options: BoundedReadOptions): () => Promise<T | undefined> {
  let inFlight: Promise<T> | undefined
  return async () => {
    inFlight ??= Promise.resolve()
      .then(read)
      .finally(() => {
        inFlight = undefined
      })
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<typeof TOO_LATE>((resolve) => {
      timer = setTimeout(resolve, options.timeoutMs, TOO_LATE)
    })
    try {
      const answer = await Promise.race([inFlight, timeout])
      if (answer !== TOO_LATE) return answer
      options.onMissing('timeout')
    } catch {
      options.onMissing('failed')
    } finally {
      clearTimeout(timer)
    }
    return undefined
  }
}

const TOO_LATE = Symbol('too late')
