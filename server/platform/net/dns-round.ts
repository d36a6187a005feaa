import { Resolver } from 'node:dns/promises'

/**
 * Records that a name has now. `none` is definite: the name does not exist or has no such record. `failed`: the servers gave
 * no answer that says either.
 */
export type DnsAnswer = { outcome: 'found'; records: readonly string[] } | { outcome: 'none' } | DnsFailure
export type DnsFailure = { outcome: 'failed'; detail: string }

/** First wait for one server's answer; the second and last try waits twice as long. */
const QUERY_TIMEOUT_MS = 1_500
const QUERY_TRIES = 2
/** The longest that one name may take, aliases included. */
const NAME_TIMEOUT_MS = 6_000
export const NO_NAME = 'ENOTFOUND'
export const NO_DATA = 'ENODATA'

/** Look-ups that belong together and end before a moment by `performance.now()`. */
export type DnsRound = {
  resolver: Resolver
  /** The answer about a name, or that it came too late. */
  inTime(name: string, ask: () => Promise<DnsAnswer>): Promise<DnsAnswer>
}

/** Of `servers` as `parseDnsServers` gives them, else of the system's. */
export function openRound({ servers }: { servers?: readonly string[] }, deadlineMs: number): DnsRound {
  // One a round of look-ups, so that a machine that changes networks is followed, and ending it ends its queries.
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers?.length) resolver.setServers(servers)
  return {
    resolver,
    async inTime(name, ask) {
      const leftMs = Math.min(NAME_TIMEOUT_MS, deadlineMs - performance.now())
      // A timer may fire a millisecond before its time.
      if (leftMs <= 1) return tooLate(name)
      let timer: NodeJS.Timeout | undefined
      const expired = new Promise<DnsAnswer>((resolve) => {
        timer = setTimeout(resolve, leftMs, tooLate(name))
      })
      const answer = await Promise.race([ask(), expired])
      clearTimeout(timer)
      return answer
    },
  }
}

/** The answer to a query, or the code of what c-ares says instead. */
export async function ask<T>(query: Promise<T[]>): Promise<{ values: T[] } | { code: string }> {
  try {
    return { values: await query }
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : String(error) }
  }
}

export function isNone(code: string): boolean {
  return code === NO_NAME || code === NO_DATA
}

export function failure(name: string, code: string): DnsFailure {
  if (code === 'ETIMEOUT' || code === 'ECANCELLED') return tooLate(name)
  const servers = `The name servers of ${name}`
  if (code === 'ESERVFAIL') return { outcome: 'failed', detail: `${servers} answered that they failed (SERVFAIL).` }
  if (code === 'EREFUSED') return { outcome: 'failed', detail: `${servers} refused to answer (REFUSED).` }
  return { outcome: 'failed', detail: `${servers} gave no usable answer (${code}).` }
}

function tooLate(name: string): DnsFailure {
  return { outcome: 'failed', detail: `The name servers of ${name} did not answer in time.` }
}
