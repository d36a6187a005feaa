import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { errorCode } from '../db/errors.ts'
import type { Logger } from '../telemetry/logger.ts'
import { lastingFault } from './connect-fault.ts'
import { type Credentials, ownerUrl } from './credentials.ts'
import { readPidFile } from './postmaster.ts'
import { orphansOf } from './process-identity.ts'
import { logSize, reasonIn, tailOf, trimLog } from './server-log.ts'
import { adopt, launch, type Server, stopServer } from './server-process.ts'
import { clusterNameOf } from './settings.ts'
import { PostgresStartError } from './start-error.ts'
import type { SystemUser } from './system-user.ts'

/** Everything needed to start a cluster's server, again and again. */
export type ServerSpec = {
  dataDir: string
  clusterDir: string
  binDir: string
  logFile: string
  credentials: Credentials
  user?: SystemUser | undefined
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

const READY_POLL_MS = 10
const CONNECT_LIMIT_MS = 10_000
const STILL_STARTING_MS = 10_000
const ORPHANS_LIMIT_MS = 5_000
const ORPHANS_POLL_MS = 50

/** Another process has the port. */
export class PortTakenError extends PostgresStartError {}

/** Children of a killed server still hold the cluster's shared memory. */
class OrphansError extends PostgresStartError {}

/** Adopts the cluster's server or starts one, and resolves when it answers. Aborting stops it again and rejects. */
export async function startServer(spec: ServerSpec, signal: AbortSignal, onLaunched?: () => void): Promise<Server> {
  const adopted = await adoptAnswering(spec, signal)
  if (adopted !== undefined) return adopted
  const deadline = Date.now() + ORPHANS_LIMIT_MS
  for (;;) {
    try {
      return await startOnce(spec, signal, onLaunched)
    } catch (error) {
      if (!(error instanceof OrphansError) || Date.now() > deadline) throw error
      for (const pid of orphansOf(clusterNameOf(spec.clusterDir))) kill(pid)
      await pause(ORPHANS_POLL_MS, signal)
    }
  }
}

/** Undefined when none runs, and when the one that did was about to die. */
async function adoptAnswering(spec: ServerSpec, signal: AbortSignal): Promise<Server | undefined> {
  const server = await adopt(spec.clusterDir)
  if (server === undefined) return undefined
  try {
    await untilAnswers(spec, server, signal)
  } catch (error) {
    if (error instanceof EndedEarly) return undefined
    throw error
  }
  spec.log.info({ serverPid: server.pid, port: server.port }, 'took over the database server that was running')
  return server
}

async function startOnce(spec: ServerSpec, signal: AbortSignal, onLaunched: (() => void) | undefined): Promise<Server> {
  signal.throwIfAborted()
  await trimLog(spec.logFile)
  const logStart = await logSize(spec.logFile)
  const server = await launch({ ...spec, port: spec.credentials.port })
  onLaunched?.()
  try {
    await untilAnswers(spec, server, signal)
    return server
  } catch (error) {
    await stopServer(server)
    if (!(error instanceof EndedEarly)) throw error
    throw startErrorFrom(spec, await tailOf(spec.logFile, logStart), error)
  }
}

class EndedEarly extends Error {}

function startErrorFrom({ clusterDir, logFile }: ServerSpec, output: string, cause: EndedEarly): PostgresStartError {
  const reason = reasonIn(output) ?? cause.message
  const message = `cannot start the database ${clusterDir}: ${reason} (see ${logFile})`
  if (output.includes('could not create any TCP/IP sockets')) return new PortTakenError(message)
  if (output.includes('pre-existing shared memory block')) return new OrphansError(message)
  return new PostgresStartError(message)
}

/** Waits for the server's own word that it is open, however long it recovers, and then for an answer to the owner role. */
async function untilAnswers(spec: ServerSpec, server: Server, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  void server.ended.then((how) => over.abort(new EndedEarly(`the server ended with ${how}`)))
  const stillUseful = AbortSignal.any([signal, over.signal])
  let nextWordAt = Date.now() + STILL_STARTING_MS
  while (!(await saysReady(spec.clusterDir, server))) {
    if (Date.now() > nextWordAt) {
      spec.log.info({ serverPid: server.pid }, 'the database server is still starting or recovering')
      nextWordAt = Date.now() + STILL_STARTING_MS
    }
    await pause(READY_POLL_MS, stillUseful)
  }
  await untilConnects({ ...spec, credentials: { ...spec.credentials, port: server.port } }, stillUseful)
}

/** Rejects with the reason itself of an abort. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

async function saysReady(clusterDir: string, server: Server): Promise<boolean> {
  const file = await readPidFile(clusterDir)
  return file?.pid === server.pid && file.status === 'ready'
}

async function untilConnects({ dataDir, credentials }: ServerSpec, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + CONNECT_LIMIT_MS
  for (;;) {
    const client = new pg.Client({ connectionString: ownerUrl(credentials), connectionTimeoutMillis: CONNECT_LIMIT_MS })
    // A connection that breaks while it is closed has done its work.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch (cause) {
      const fault = lastingFault(cause, dataDir)
      if (fault !== undefined) throw fault
      if (Date.now() > deadline) throw cause
    } finally {
      await client.end()
    }
    await pause(READY_POLL_MS, signal)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}
