import { Resolver } from 'node:dns/promises'
import net from 'node:net'
import { createHostsLookup, type HostsLookup } from './hosts-file.ts'

/**
 * The addresses that a name resolves to now.
 * `not_found`: the name exists nowhere or has no address. `failed`: the resolver answered with a failure.
 * `timeout`: it did not answer in time.
 */
export type Resolution =
  | { outcome: 'resolved'; addresses: readonly string[] }
  | { outcome: 'unresolvable'; reason: 'not_found' | 'failed' | 'timeout' }

/** Resolves a name once, never from a cache of ours. Ends within `timeoutMs`; does not throw. */
export type Resolve = (hostname: string, timeoutMs: number) => Promise<Resolution>

/** First wait for one server's answer; the second and last try waits twice as long. */
const QUERY_TIMEOUT_MS = 1_500
const QUERY_TRIES = 2
/** c-ares reads the system's list of servers once; a machine that changes networks gets a new list. */
const SYSTEM_SERVERS_REREAD_MS = 60_000
/** An answer of more addresses than this is not a receiver's. */
export const ADDRESSES_MAX = 64

/**
 * Makes the resolver of outgoing requests: `servers` as `parseDnsServers` gives them, else the system's servers after
 * the hosts file.
 *
 * Why not `dns.lookup`: getaddrinfo runs on libuv's pool of four threads, which it shares with file access and
 * signing. A name whose servers never answer holds a thread for ten seconds and more, whatever time-out the caller
 * puts around it, so one customer's dead zones would stop everybody's deliveries. The resolver below waits on sockets,
 * any number at once. The one thing getaddrinfo has over it is the hosts file, which operators and containers rely on: that is
 * read here. Node keeps c-ares' own query cache off, so each call asks.
 */
export function createResolver(options: { servers?: readonly string[]; hosts?: HostsLookup } = {}): Resolve {
  const servers = options.servers?.length === 0 ? undefined : options.servers
  const hosts = options.hosts ?? (servers === undefined ? createHostsLookup() : undefined)
  let resolver = openResolver(servers)
  let openedMs = performance.now()

  return async (hostname, timeoutMs) => {
    const fromHosts = hosts === undefined ? [] : await hosts(hostname)
    if (fromHosts.length > 0) return { outcome: 'resolved', addresses: fromHosts }
    if (servers === undefined && performance.now() - openedMs > SYSTEM_SERVERS_REREAD_MS) {
      resolver = openResolver(servers)
      openedMs = performance.now()
    }
    let timer: NodeJS.Timeout | undefined
    const expired = new Promise<Resolution>((resolve) => {
      timer = setTimeout(resolve, timeoutMs, { outcome: 'unresolvable', reason: 'timeout' })
    })
    const resolution = await Promise.race([askBoth(resolver, hostname), expired])
    clearTimeout(timer)
    return resolution
  }
}

function openResolver(servers: readonly string[] | undefined): Resolver {
  const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers !== undefined) resolver.setServers(servers)
  return resolver
}

/** A and AAAA at once. One family's answer is enough: what the other withholds is not connected to. */
async function askBoth(resolver: Resolver, hostname: string): Promise<Resolution> {
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > ADDRESSES_MAX) return { outcome: 'unresolvable', reason: 'failed' }
  if (addresses.length > 0) return { outcome: 'resolved', addresses }
  const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : 'ENODATA'))
  if (codes.includes('ETIMEOUT')) return { outcome: 'unresolvable', reason: 'timeout' }
  if (codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')) {
    return { outcome: 'unresolvable', reason: 'not_found' }
  }
  return { outcome: 'unresolvable', reason: 'failed' }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/**
 * Reads `address:port` pairs separated by commas (`127.0.0.1:53, [::1]:5353`; port 53 when left out).
 * Throws an Error of one line that names the bad entry.
 */
export function parseDnsServers(text: string): string[] {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  for (const entry of entries) {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::([0-9]{1,5}))?$/.exec(entry) ?? []
    const address = bracketed ?? plain ?? entry
    const isAddress = bracketed === undefined ? net.isIP(address) !== 0 : net.isIPv6(address)
    if (!isAddress || Number(port ?? 53) < 1 || Number(port ?? 53) > 65_535) {
      throw new Error(`not an address and port of a DNS server: ${entry}`)
    }
  }
  return entries
}
