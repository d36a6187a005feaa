import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../db/errors.ts'
import { writeDurably } from './data-dir.ts'
import { pidFilePath, readPidFile, runningPostmaster } from './postmaster.ts'
import { isRunning, whenGone } from './process-identity.ts'
import { SETTINGS_FILE, settingsFor } from './settings.ts'
import { processOptions, type SystemUser } from './system-user.ts'

/** A running server. `ended` resolves with how it ended, whoever ended it, and never rejects. */
export type Server = { pid: number; port: number; ended: Promise<string>; signal(name: NodeJS.Signals): void }

export type LaunchOptions = {
  binDir: string
  clusterDir: string
  port: number
  logFile: string
  user?: SystemUser | undefined
}

const FAST_STOP_LIMIT_MS = 15_000
const IMMEDIATE_STOP_LIMIT_MS = 10_000
const KILL_LIMIT_MS = 5_000

/**
 * Starts a server. It is a session of its own: Ctrl-C in the terminal does not reach it before us, and when we are killed it
 * stays, to be adopted by the next start. Resolves when the process exists, not when it answers.
 */
export async function launch({ binDir, clusterDir, port, logFile, user }: LaunchOptions): Promise<Server> {
  await writeSettings(clusterDir)
  await removeStalePidFile(clusterDir)
  const log = await open(logFile, 'a', 0o600)
  try {
    const child = spawn(join(binDir, 'postgres'), ['-D', clusterDir, '-p', String(port)], {
      ...processOptions(user),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    })
    await once(child, 'spawn')
    child.unref()
    return { pid: child.pid as number, port, ended, signal: (name) => void child.kill(name) }
  } finally {
    await log.close()
  }
}

/** Only when they change: a server must come back on a full disk too. */
async function writeSettings(clusterDir: string): Promise<void> {
  const path = join(clusterDir, SETTINGS_FILE)
  const settings = settingsFor(clusterDir)
  const present = await readFile(path, 'utf8').catch(() => undefined)
  if (present !== settings) await writeDurably(path, settings)
}

/** Takes over a server that an earlier process left running; undefined when there is none. */
export async function adopt(clusterDir: string): Promise<Server | undefined> {
  const found = await runningPostmaster(clusterDir)
  if (found === undefined) return undefined
  const { identity, port, status } = found
  const server: Server = {
    pid: identity.pid,
    port,
    ended: whenGone(identity).then(() => 'no exit code: not our child'),
    signal: (name) => {
      if (isRunning(identity)) process.kill(identity.pid, name)
    },
  }
  if (status !== 'stopping') return server
  await stopServer(server)
  return undefined
}

/**
 * Stops a server: fast (open transactions are rolled back, everything is written) and, where that takes too long, at once
 * (the next start recovers from the log). Nothing is lost either way.
 */
export async function stopServer(server: Server): Promise<void> {
  const ways: [NodeJS.Signals, number][] = [
    ['SIGINT', FAST_STOP_LIMIT_MS],
    ['SIGQUIT', IMMEDIATE_STOP_LIMIT_MS],
    ['SIGKILL', KILL_LIMIT_MS],
  ]
  for (const [signal, limitMs] of ways) {
    server.signal(signal)
    const limit = new AbortController()
    const ended = server.ended.then(() => true)
    const late = sleep(limitMs, false, { signal: limit.signal }).catch(() => false)
    const done = await Promise.race([ended, late])
    limit.abort()
    if (done) return
  }
  throw new Error(`the database server (process ${server.pid}) cannot be ended`)
}

/**
 * PostgreSQL itself sees that a file is a dead server's, but takes a zombie or another program that got the number for a
 * living one. Only in that case the file is removed: it also tells the next server whether children of the last one live.
 */
async function removeStalePidFile(clusterDir: string): Promise<void> {
  const file = await readPidFile(clusterDir)
  if (file === undefined || !exists(file.pid)) return
  if ((await runningPostmaster(clusterDir)) === undefined) await rm(pidFilePath(clusterDir), { force: true })
}

/** Whether the number is taken, by a zombie too. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
