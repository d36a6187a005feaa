import net from 'node:net'
import type { DnsAnswer } from '../../platform/net/dns-round.ts'
import type { HostLookup } from '../../platform/net/host-lookup.ts'
import type { LookupTxt } from '../../platform/net/txt-lookup.ts'
import { bitsOf, modifierFault, readTerm, SPF_VERSION, type SpfTerm, termsOf } from './spf-terms.ts'

/** RFC 7208 section 4.6.4: a record that needs more look-ups fails as a whole, as does one with more that find nothing. */
export const SPF_LOOKUPS_MAX = 10
const VOID_LOOKUPS_MAX = 2
const EXCHANGES_MAX = 10

const COUNTED = new Set(['include', 'a', 'mx', 'ptr', 'exists'])

export type SpfLookup = { txt: LookupTxt; hosts: HostLookup }

/** Whether a record lets a client send; `unknown` where that depends on the message, or on a name that gave no answer. */
export type ClientVerdict = 'pass' | 'no' | 'unknown'

/** The outcome of evaluating a record and all that it includes. */
export type SpfWalk = {
  lookups: number
  /** Names that were looked up and have nothing. */
  voids: string[]
  /** Domains that `include:` and `redirect=` name, at any depth. */
  included: Set<string>
  fault: string | undefined
  /** A name whose servers gave no answer. */
  unanswered: string | undefined
  /** By the client's address. */
  verdicts: ReadonlyMap<string, ClientVerdict>
}

/** Evaluates a record as a receiver does that is asked for mail from each of `clients`, addresses. */
export async function walkSpf(
  { domain, record, clients }: { domain: string; record: string; clients: readonly string[] },
  lookup: SpfLookup,
): Promise<SpfWalk> {
  const walk = { lookups: 0, voids: [], included: new Set<string>(), fault: undefined, unanswered: undefined }
  const walker = new SpfWalker({ ...walk, verdicts: new Map() }, lookup, clients)
  const found = await walker.record(domain, record)
  return { ...walker.walk, verdicts: new Map(clients.map((client) => [client, found.get(client) ?? 'no'])) }
}

type Verdicts = Map<string, ClientVerdict>
type Mechanism = Extract<SpfTerm, { kind: 'mechanism' }>
/** Undefined: that cannot be told without the message, or its name gave no answer. */
type Matches = (client: string) => boolean | undefined

const UNTOLD: Matches = () => undefined

class SpfWalker {
  readonly walk: SpfWalk
  readonly #lookup: SpfLookup
  readonly #clients: readonly string[]

  constructor(walk: SpfWalk, lookup: SpfLookup, clients: readonly string[]) {
    this.walk = walk
    this.#lookup = lookup
    this.#clients = clients
  }

  /** Verdicts on the clients that a term of the record matches, the first that does; on others there is none. */
  async record(domain: string, record: string): Promise<Verdicts> {
    const { walk } = this
    const verdicts: Verdicts = new Map()
    const terms = termsOf(record)
    walk.fault ??= modifierFault(terms)
    let redirect: string | undefined
    for (const term of terms) {
      if (walk.fault !== undefined) return verdicts
      const read = readTerm(term)
      if ('fault' in read) walk.fault = read.fault
      else if (read.kind === 'modifier') redirect = read.name === 'redirect' ? read.target : redirect
      else {
        if (COUNTED.has(read.name) && !this.#count()) return verdicts
        this.#settle(verdicts, read.passes, await this.#matcher(domain, read))
        // Mechanisms behind `all` are never looked at (RFC 7208 section 5.1).
        if (read.name === 'all') return verdicts
      }
    }
    if (redirect === undefined || walk.fault !== undefined || !this.#count()) return verdicts
    const redirected = await this.#target(redirect)
    for (const client of this.#clients) {
      const verdict = redirected === undefined ? 'unknown' : redirected.get(client)
      if (!verdicts.has(client) && verdict !== undefined) verdicts.set(client, verdict)
    }
    return verdicts
  }

  #settle(verdicts: Verdicts, passes: boolean, matches: Matches): void {
    for (const client of this.#clients) {
      if (verdicts.has(client)) continue
      const isMatched = matches(client)
      if (isMatched === undefined) verdicts.set(client, 'unknown')
      else if (isMatched) verdicts.set(client, passes ? 'pass' : 'no')
    }
  }

  async #matcher(current: string, { name, domain, lengths, argument }: Mechanism): Promise<Matches> {
    const at = domain === '' ? current : withoutDot(domain)
    switch (name) {
      case 'all':
        return () => true
      case 'ip4':
      case 'ip6': {
        const [address = '', bits] = argument.split('/', 2)
        return within([address], { four: Number(bits ?? 32), six: Number(bits ?? 128) })
      }
      case 'include': {
        const included = await this.#target(domain)
        if (included === undefined) return UNTOLD
        return (client) => {
          const verdict = included.get(client)
          return verdict === 'unknown' ? undefined : verdict === 'pass'
        }
      }
      case 'a':
        return this.#addresses(at, bitsOf(lengths))
      case 'mx':
        return this.#exchanges(at, bitsOf(lengths))
      case 'exists': {
        const found = await this.#asked(at, (host) => this.#lookup.hosts.addresses(host))
        return found === undefined ? UNTOLD : () => found.some((address) => net.isIPv4(address))
      }
      // The name of a client is its own to choose.
      default:
        return UNTOLD
    }
  }

  async #addresses(name: string, bits: Bits): Promise<Matches> {
    const found = await this.#asked(name, (host) => this.#lookup.hosts.addresses(host))
    return found === undefined ? UNTOLD : within(found, bits)
  }

  async #exchanges(name: string, bits: Bits): Promise<Matches> {
    const { walk } = this
    const exchanges = await this.#asked(name, (host) => this.#lookup.hosts.exchanges(host))
    if (exchanges === undefined) return UNTOLD
    if (exchanges.length > EXCHANGES_MAX) {
      walk.fault ??= `The record asks for the mail servers of ${name}, which are more than ${EXCHANGES_MAX}: receivers then heed none of it.`
    }
    if (this.#clients.length === 0 || walk.fault !== undefined) return UNTOLD
    const answers = await Promise.all(
      exchanges.filter((host) => host !== '').map((host) => this.#lookup.hosts.addresses(withoutDot(host))),
    )
    const matches = within(
      answers.flatMap((answer) => (answer.outcome === 'found' ? answer.records : [])),
      bits,
    )
    const isWhole = answers.every(({ outcome }) => outcome !== 'failed')
    return (client) => matches(client) || (isWhole ? false : undefined)
  }

  /** Undefined: by a macro, which depends on the message, or without an answer. */
  async #asked(name: string, look: (name: string) => Promise<DnsAnswer>): Promise<readonly string[] | undefined> {
    const { walk } = this
    if (name.includes('%')) return undefined
    const answer = await look(name)
    if (answer.outcome === 'found') return answer.records
    if (answer.outcome === 'failed') {
      walk.unanswered ??= name
      return undefined
    }
    walk.voids.push(name)
    if (walk.voids.length > VOID_LOOKUPS_MAX) {
      walk.fault ??= `The record names ${walk.voids.join(', ')}, where nothing is: receivers that find more than ${VOID_LOOKUPS_MAX} such names heed none of it.`
    }
    return []
  }

  /** Verdicts of another domain's record; undefined where there is none to be had. */
  async #target(target: string): Promise<Verdicts | undefined> {
    const { walk } = this
    const name = withoutDot(target)
    walk.included.add(name)
    // A macro depends on the message.
    if (name.includes('%')) return undefined
    const answer = await this.#lookup.txt(name)
    if (answer.outcome === 'failed') {
      walk.unanswered ??= name
      return undefined
    }
    const records = answer.outcome === 'found' ? answer.records.filter((text) => SPF_VERSION.test(text)) : []
    const [record] = records
    if (record === undefined) walk.fault ??= `The record includes ${name}, which has no SPF record: remove that part.`
    else if (records.length > 1)
      walk.fault ??= `The record includes ${name}, which has several SPF records: remove that part.`
    else return this.record(name, record)
    return undefined
  }

  #count(): boolean {
    const { walk } = this
    walk.lookups += 1
    if (walk.lookups <= SPF_LOOKUPS_MAX) return true
    walk.fault ??= `The record needs more than ${SPF_LOOKUPS_MAX} look-ups, so that receivers heed none of it: remove includes.`
    return false
  }
}

type Bits = { four: number; six: number }

function within(addresses: readonly string[], { four, six }: Bits): Matches {
  const networks = new net.BlockList()
  for (const address of addresses) {
    const isFour = net.isIPv4(address)
    networks.addSubnet(address, isFour ? four : six, isFour ? 'ipv4' : 'ipv6')
  }
  return (client) => networks.check(client, net.isIPv4(client) ? 'ipv4' : 'ipv6')
}

function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
