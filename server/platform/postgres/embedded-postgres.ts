import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../telemetry/logger.ts'
import { majorOf, nativePackage, runnableBinDir } from './binaries.ts'
import { checkMajor, locateCluster, SYSTEM_DIR, systemIdentifierOf } from './cluster.ts'
import { requireAddress } from './connect-fault.ts'
import { createCluster, setPasswords } from './create-cluster.ts'
import {
  type Credentials,
  HOST,
  ownerUrl,
  randomPassword,
  randomPort,
  readCredentials,
  writeCredentials,
} from './credentials.ts'
import { ensureDataDir, runsAsRoot } from './data-dir.ts'
import { acquireDataDirLock, DataDirInUseError, type DataDirLock } from './data-dir-lock.ts'
import { runningPostmaster } from './postmaster.ts'
import { noDatabase, requireDatabase } from './require-database.ts'
import { logSize, ranOutOfSpace } from './server-log.ts'
import { adopt, type Server, stopServer } from './server-process.ts'
import { explainFileError, PostgresStartError } from './start-error.ts'
import { PortTakenError, type ServerSpec, startServer } from './start-server.ts'
import { supervise } from './supervise.ts'

export type OpenOptions = {
  dataDir: string
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The caller's hold on the data directory, for as long as the server is used. */
  lock?: DataDirLock | undefined
  /** Called when the server was launched, before it answers. */
  onLaunched?: (() => void) | undefined
  /** Called after a server that died has been brought back. */
  onRestart?: (() => void) | undefined
  /** Aborting ends an opening that is under way, and the server it has started. */
  signal?: AbortSignal | undefined
  /** Only a database that is there, or is being made by another process: none is made. */
  existing?: boolean
  /** Where root keeps clusters and programs its server could not reach elsewhere. */
  systemDir?: string
}

export type EmbeddedPostgres = {
  /** For the ordinary role `postroom`, which owns the database `postroom`. Stays the same when the server is brought back. */
  readonly url: string
  readonly host: string
  readonly port: number
  /** Of the server as it is now. */
  readonly pid: number
  /** Whether the server is ours to stop, and is brought back while we run. */
  readonly owned: boolean
  /** Decimal text that tells this cluster from every other. */
  readonly systemIdentifier: string
  /** Whether an owned server has said since its start that no space is left, of which clients hear only that it is gone. */
  ranOutOfSpace(): Promise<boolean>
  /** Stops an owned server; one that is another process's goes on. */
  stop(): Promise<void>
  /** Leaves an owned server running without us; the next opening takes it over. */
  leave(): Promise<void>
}

const PORT_TRIES = 20
const ATTACH_LIMIT_MS = 15_000
const ATTACH_POLL_MS = 20

/**
 * Opens the PostgreSQL that lives in a data directory. With the caller's `lock` it is ours: made when there is none yet,
 * taken over when a killed process left it running, looked after until `stop`. Without a lock it is attached to while
 * another process has it, and started for the time being when nobody has.
 * Throws a `PostgresStartError` or `DataDirInUseError`, whose one line says what to do.
 */
export async function openEmbeddedPostgres(options: OpenOptions): Promise<EmbeddedPostgres> {
  try {
    if (options.existing) await requireDatabase(options.dataDir)
    const dataDir = await ensureDataDir(options.dataDir)
    if (options.lock !== undefined) return await openOwned(dataDir, options)
    const lock = await lockUnlessServed(dataDir)
    return lock === undefined ? await attach(dataDir, options.signal) : await openForNow(dataDir, options, lock)
  } catch (error) {
    throw explainFileError(error, options.dataDir)
  }
}

/** `release` runs after the server was stopped or left. */
async function openOwned(
  dataDir: string,
  options: OpenOptions,
  release: () => Promise<void> = async () => undefined,
): Promise<EmbeddedPostgres> {
  const spec = await prepare(dataDir, options)
  const { signal = new AbortController().signal, onLaunched } = options
  const logStart = await logSize(spec.logFile)
  const server = await startOnSomePort(spec, signal, onLaunched)
  const systemIdentifier = await systemIdentifierOf(spec.clusterDir)
  const supervision = supervise(server, spec, options.onRestart)
  return {
    url: ownerUrl(spec.credentials),
    host: HOST,
    port: spec.credentials.port,
    get pid() {
      return supervision.current().pid
    },
    owned: true,
    systemIdentifier,
    ranOutOfSpace: () => ranOutOfSpace(spec.logFile, logStart),
    stop: () => supervision.stop().finally(release),
    leave: () => supervision.leave().finally(release),
  }
}

/** Finds or makes everything the server needs to start: programs, cluster, passwords. */
async function prepare(dataDir: string, { log, systemDir = SYSTEM_DIR, existing }: OpenOptions): Promise<ServerSpec> {
  const kept = await readCredentials(dataDir)
  const { clusterDir, exists, user } = await locateCluster(dataDir, kept, systemDir)
  if (existing && !exists) throw noDatabase(dataDir)
  const programs = await nativePackage()
  if (exists) await checkMajor(clusterDir, majorOf(programs.version))
  const binDir = await runnableBinDir({ ...programs, copiesDir: runsAsRoot() ? systemDir : dataDir, user })

  const tools = { binDir, clusterDir, user }
  const credentials = kept ?? newCredentials(dataDir, clusterDir)
  if (!exists) {
    await requireAddress()
    log.info({ clusterDir }, 'making the database')
    await createCluster(tools, credentials)
  } else if (kept === undefined) {
    log.warn({ clusterDir }, "the database's passwords are lost, setting new ones")
    const running = await adopt(clusterDir)
    if (running !== undefined) await stopServer(running)
    await setPasswords(tools, credentials)
  }
  if (kept === undefined) await writeCredentials(dataDir, credentials)
  return { dataDir, ...tools, logFile: join(dataDir, 'postgres.log'), credentials, log }
}

function newCredentials(dataDir: string, clusterDir: string): Credentials {
  return {
    port: randomPort(),
    ownerPassword: randomPassword(),
    superuserPassword: randomPassword(),
    ...(clusterDir === join(dataDir, 'postgres') ? {} : { clusterDir }),
  }
}

/** On the port of last time, or on another where that one is taken now; keeps it for the next time. */
async function startOnSomePort(
  spec: ServerSpec,
  signal: AbortSignal,
  onLaunched: (() => void) | undefined,
): Promise<Server> {
  const { credentials, dataDir, log } = spec
  for (let tries = 1; ; tries++) {
    try {
      const server = await startServer(spec, signal, onLaunched)
      if (server.port !== credentials.port) {
        credentials.port = server.port
        await writeCredentials(dataDir, credentials)
      }
      return server
    } catch (error) {
      if (!(error instanceof PortTakenError) || tries === PORT_TRIES) throw error
      log.warn({ port: credentials.port }, 'the port of the database is taken by another program, choosing another one')
      credentials.port = randomPort()
      await writeCredentials(dataDir, credentials)
    }
  }
}

/** Undefined when a process has the data directory for long; one that has it for a moment is waited for. */
async function lockUnlessServed(dataDir: string): Promise<DataDirLock | undefined> {
  try {
    return await acquireDataDirLock(dataDir, { temporary: true })
  } catch (error) {
    if (error instanceof DataDirInUseError && !error.info.temporary) return undefined
    throw error
  }
}

async function openForNow(dataDir: string, options: OpenOptions, lock: DataDirLock): Promise<EmbeddedPostgres> {
  try {
    return await openOwned(dataDir, options, lock.release)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Uses the server of the process that has the data directory; waits for it while that process is starting it. */
async function attach(dataDir: string, signal: AbortSignal | undefined): Promise<EmbeddedPostgres> {
  const deadline = Date.now() + ATTACH_LIMIT_MS
  for (;;) {
    const credentials = await readCredentials(dataDir)
    const attached = credentials && (await attachNow(dataDir, credentials))
    if (attached !== undefined) return attached
    if (Date.now() > deadline) {
      throw new PostgresStartError(
        `the database of ${dataDir}, which another process has in use, does not come up: that process's log and ${join(dataDir, 'postgres.log')} say why`,
      )
    }
    await sleep(ATTACH_POLL_MS, undefined, signal ? { signal } : {})
  }
}

async function attachNow(dataDir: string, credentials: Credentials): Promise<EmbeddedPostgres | undefined> {
  const clusterDir = credentials.clusterDir ?? join(dataDir, 'postgres')
  const found = await runningPostmaster(clusterDir)
  if (found?.status !== 'ready') return undefined
  const { pid, port } = found
  const url = ownerUrl({ ...credentials, port })
  const nothing = async () => undefined
  const systemIdentifier = await systemIdentifierOf(clusterDir)
  const ranOutOfSpace = async () => false
  return { url, host: HOST, port, pid, owned: false, systemIdentifier, ranOutOfSpace, stop: nothing, leave: nothing }
}
