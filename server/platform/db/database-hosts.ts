import pg from 'pg'
import { SQLSTATE } from './sqlstates.ts'

/** The time that every host has to show that it takes writes, all at once: a caller waits for a connection not much longer. */
const PROBE_MS = 1_000
const PORT_DEFAULT = '5432'
const TARGETS: ReadonlySet<string> = new Set(['read-write', 'primary', 'any'])

type Host = { host: string; port: number; url: string }

/**
 * The hosts of an address with several of them (`postgres://user@a:5432,b/db?target_session_attrs=read-write`), each with
 * an address of its own; undefined for an address with one. Throws for one that cannot be read. The one wanted is always that
 * which takes writes.
 */
export function hostsOf(address: string): readonly Host[] | undefined {
  const scheme = ['postgres://', 'postgresql://'].find((one) => address.startsWith(one))
  if (scheme === undefined) return undefined
  const end = address.slice(scheme.length).search(/[/?]/)
  const until = end === -1 ? address.length : scheme.length + end
  const [authority, rest] = [address.slice(scheme.length, until), address.slice(until)]
  if (!authority.includes(',')) return undefined
  const at = authority.lastIndexOf('@') + 1
  const [user, hosts] = [authority.slice(0, at), authority.slice(at)]
  return hosts.split(',').map((given) => {
    const url = new URL(`${scheme}${user}${given}${rest}`)
    const target = url.searchParams.get('target_session_attrs')
    if (target !== null && !TARGETS.has(target)) throw new Error(`target_session_attrs cannot be ${target}`)
    url.searchParams.delete('target_session_attrs')
    const host = url.hostname.replace(/^\[(.+)\]$/, '$1')
    if (host === '') throw new Error('a host is empty')
    return { host, port: Number(url.port || PORT_DEFAULT), url: url.href }
  })
}

/** The one of several hosts that takes writes, as far as it is known. One for each address in a process. */
class WritingHost {
  readonly hosts: readonly Host[]
  #known: Host | undefined
  #looking: Promise<Host> | undefined

  constructor(hosts: readonly Host[]) {
    this.hosts = hosts
  }

  /** Asks all of them when none is known, once for all who ask. Rejects with the error of the last one. */
  find(): Promise<Host> {
    if (this.#known) return Promise.resolve(this.#known)
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  forget(host: Host): void {
    if (this.#known === host) this.#known = undefined
  }

  async #look(): Promise<Host> {
    const probed = await Promise.all(this.hosts.map((host) => probe(host).then(() => host, asError)))
    const found = probed.find((one) => !(one instanceof Error))
    if (found === undefined) throw probed.at(-1)
    this.#known = found as Host
    return this.#known
  }
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
const writingHosts = new Map<string, WritingHost>()

function writingHostOf(address: string | undefined): WritingHost | undefined {
  const known = writingHosts.get(address ?? '')
  if (known) return known
  const hosts = address === undefined ? undefined : hostsOf(address)
  if (!hosts) return undefined
  const made = new WritingHost(hosts)
  writingHosts.set(address!, made)
  return made
}

async function probe({ url }: Host): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: PROBE_MS,
    application_name: 'postroom-probe',
  })
  client.on('error', () => undefined)
  const takesWrites = watchWrites(client)
  try {
    await client.connect()
    if (!takesWrites()) throw readOnlyError()
  } finally {
    client.end().catch(() => undefined)
  }
}

/** PostgreSQL says of each session that it begins whether it could write, from version 14 on. */
function watchWrites(client: pg.Client): () => boolean {
  let canWrite = true
  client.connection.on('parameterStatus', (said: { parameterName: string; parameterValue: string }) => {
    const isAboutWrites =
      said.parameterName === 'in_hot_standby' || said.parameterName === 'default_transaction_read_only'
    if (isAboutWrites && said.parameterValue === 'on') canWrite = false
  })
  return () => canWrite
}

function readOnlyError(): Error {
  return Object.assign(new Error('the server takes no writes'), { code: SQLSTATE.readOnlyTransaction })
}

type Connected = (error?: Error | null, client?: pg.Client) => void

/** A connection to a database of one host or several: to the one that takes writes at this moment. */
export class DatabaseClient extends pg.Client {
  readonly #several: WritingHost | undefined

  constructor(config: pg.ClientConfig) {
    const several = writingHostOf(config.connectionString)
    super(several ? { ...config, connectionString: several.hosts[0]!.url } : config)
    this.#several = several
  }

  override connect(): Promise<pg.Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (!this.#several) {
      if (!callback) return super.connect().catch((error: unknown) => this.#fail(error))
      // In the same breath as the server's answer: whoever is called listens to the errors that may come with it.
      super.connect(((error, client) => {
        if (error) this.#leave()
        callback(error, client)
      }) as Connected as (error: Error) => void)
      return undefined
    }
    const connecting = this.#connectTo(this.#several)
    if (!callback) return connecting
    let lost: Error | undefined
    const note = (error: Error) => {
      lost = error
    }
    this.on('error', note)
    const tell = (error: Error | null) => {
      callback(error, error ? undefined : this)
      this.off('error', note)
    }
    connecting.then(() => tell(lost ?? null), tell)
    return undefined
  }

  async #connectTo(several: WritingHost): Promise<pg.Client> {
    const found = await several.find()
    const { host, port } = found
    Object.assign(this, { host, port })
    const takesWrites = watchWrites(this)
    try {
      await super.connect()
      if (!takesWrites()) throw readOnlyError()
      return this
    } catch (error) {
      several.forget(found)
      return this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    this.#leave()
    throw error
  }

  /**
   * A connection that failed is closed. A server that has asked for a password which the address has not would wait for it a minute,
   * which keeps the process, and make no database and drop none meanwhile.
   */
  #leave(): void {
    this.end().catch(() => undefined)
  }
}
