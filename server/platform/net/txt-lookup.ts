import { Resolver } from 'node:dns/promises'

/**
 * The TXT records that a name has now, each with its strings joined. `none` is definite: the name does not exist or has
 * no such record. `failed`: the servers gave no answer that says either.
 */
export type TxtAnswer =
  | { outcome: 'found'; records: readonly string[] }
  | { outcome: 'none' }
  | { outcome: 'failed'; detail: string }

/** Asks anew at each call, follows aliases, never throws. */
export type LookupTxt = (name: string) => Promise<TxtAnswer>

/** Makes a look-up whose every call ends before a moment by `performance.now()`. */
export type TxtResolver = (deadlineMs: number) => LookupTxt

/** First wait for one server's answer; the second and last try waits twice as long. */
const QUERY_TIMEOUT_MS = 1_500
const QUERY_TRIES = 2
/** The longest that one name may take, aliases included. */
const NAME_TIMEOUT_MS = 6_000
const ALIASES_MAX = 8
const NO_NAME = 'ENOTFOUND'
const NO_DATA = 'ENODATA'

/** Makes the resolver of TXT records: of `servers` as `parseDnsServers` gives them, else of the system's. */
export function createTxtResolver(options: { servers?: readonly string[] } = {}): TxtResolver {
  return (deadlineMs) => {
    // One a round of look-ups, so that a machine that changes networks is followed, and ending it ends its queries.
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
    if (options.servers?.length) resolver.setServers(options.servers)
    return async (name) => {
      const leftMs = Math.min(NAME_TIMEOUT_MS, deadlineMs - performance.now())
      // A timer may fire a millisecond before its time.
      if (leftMs <= 1) return tooLate(name)
      let timer: NodeJS.Timeout | undefined
      const expired = new Promise<TxtAnswer>((resolve) => {
        timer = setTimeout(resolve, leftMs, tooLate(name))
      })
      const answer = await Promise.race([askFollowing(resolver, name), expired])
      clearTimeout(timer)
      return answer
    }
  }
}

/** A server that does not follow aliases itself answers without the records; then the alias is asked for. */
async function askFollowing(resolver: Resolver, name: string): Promise<TxtAnswer> {
  let at = name
  for (let hop = 0; hop <= ALIASES_MAX; hop += 1) {
    const texts = await ask(resolver.resolveTxt(at))
    if ('code' in texts && texts.code !== NO_DATA)
      return texts.code === NO_NAME ? { outcome: 'none' } : failure(at, texts.code)
    if ('values' in texts && texts.values.length > 0) {
      return { outcome: 'found', records: texts.values.map((strings) => strings.join('')) }
    }
    const aliases = await ask(resolver.resolveCname(at))
    if ('code' in aliases) return isNone(aliases.code) ? { outcome: 'none' } : failure(at, aliases.code)
    const [alias] = aliases.values
    if (alias === undefined) return { outcome: 'none' }
    at = alias
  }
  return { outcome: 'failed', detail: `${name} is an alias of an alias of an alias, without end.` }
}

async function ask<T>(query: Promise<T[]>): Promise<{ values: T[] } | { code: string }> {
  try {
    return { values: await query }
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : String(error) }
  }
}

function isNone(code: string): boolean {
  return code === NO_NAME || code === NO_DATA
}

function failure(name: string, code: string): TxtAnswer {
  if (code === 'ETIMEOUT' || code === 'ECANCELLED') return tooLate(name)
  const servers = `The name servers of ${name}`
  if (code === 'ESERVFAIL') return { outcome: 'failed', detail: `${servers} answered that they failed (SERVFAIL).` }
  if (code === 'EREFUSED') return { outcome: 'failed', detail: `${servers} refused to answer (REFUSED).` }
  return { outcome: 'failed', detail: `${servers} gave no usable answer (${code}).` }
}

function tooLate(name: string): TxtAnswer {
  return { outcome: 'failed', detail: `The name servers of ${name} did not answer in time.` }
}
