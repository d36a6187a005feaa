import type { Resolver } from 'node:dns/promises'
import { ask, type DnsAnswer, failure, isNone, NO_DATA, NO_NAME, openRound } from './dns-round.ts'

/** TXT records, each with its strings joined. Asks anew at each call, follows aliases, never throws. */
export type LookupTxt = (name: string) => Promise<DnsAnswer>

/** Makes a look-up whose every call ends before a moment by `performance.now()`. */
export type TxtResolver = (deadlineMs: number) => LookupTxt

const ALIASES_MAX = 8

/** Makes the resolver of TXT records: of `servers` as `parseDnsServers` gives them, else of the system's. */
export function createTxtResolver(options: { servers?: readonly string[] } = {}): TxtResolver {
  return (deadlineMs) => {
    const { resolver, inTime } = openRound(options, deadlineMs)
    return (name) => inTime(name, () => askFollowing(resolver, name))
  }
}

/** A server that does not follow aliases itself answers without the records; then the alias is asked for. */
async function askFollowing(resolver: Resolver, name: string): Promise<DnsAnswer> {
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
