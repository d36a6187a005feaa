import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../db/errors.ts'
import { ensureDataDir } from './data-dir.ts'
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.ts'
import { explainFileError } from './start-error.ts'

/** Facts that a holder tells about itself. A `temporary` holder is a command that ends soon: others wait for it a while. */
export type LockInfo = { address?: string; temporary?: boolean }

export type DataDirLock = {
  /** Records where the holder can be reached, for the message of those it keeps out. */
  publish(info: LockInfo): Promise<void>
  release(): Promise<void>
}

/** Another process works on the data directory. */
export class DataDirInUseError extends Error {
  override readonly name = 'DataDirInUseError'
  readonly pid: number
  readonly info: LockInfo
  constructor(dataDir: string, pid: number, info: LockInfo) {
    const where = info.address === undefined ? '' : ` (${info.address})`
    super(`the data directory ${dataDir} is in use by process ${pid}${where}`)
    this.pid = pid
    this.info = info
  }
}

const TEMPORARY_WAIT_MS = 15_000
const TEMPORARY_POLL_MS = 50

let taken = 0

/**
 * Takes the data directory for this process; throws `DataDirInUseError` when another one has it.
 *
 * The lock is a directory `lock` with one file, named after its holder. A holder appears by renaming a prepared directory
 * onto it, which the system refuses while there is a file in it. The file of a dead process is removed by its name,
 * so that nobody can remove the lock of a process that came in between.
 */
export async function acquireDataDirLock(dataDir: string, info: LockInfo = {}): Promise<DataDirLock> {
  try {
    return await acquire(await ensureDataDir(dataDir), info)
  } catch (error) {
    throw explainFileError(error, dataDir)
  }
}

async function acquire(dataDir: string, info: LockInfo): Promise<DataDirLock> {
  const lockDir = join(dataDir, 'lock')
  const own = fileName(identityOf(process.pid) ?? { pid: process.pid, startedAt: '0' })
  const staging = join(dataDir, `lock.new-${own}-${taken++}`)
  const deadline = Date.now() + TEMPORARY_WAIT_MS

  // Nothing is written by a process that is kept out: commands work beside the service on a disk that is full, or only read.
  const first = await holderOf(lockDir)
  if (first && !first.info.temporary) throw new DataDirInUseError(dataDir, first.pid, first.info)
  await mkdir(staging)
  try {
    await writeFile(join(staging, own), JSON.stringify(info), { mode: 0o600 })
    while (!(await becomes(staging, lockDir))) {
      const holder = await holderOf(lockDir)
      if (holder === undefined) continue
      if (!holder.info.temporary || Date.now() > deadline) throw new DataDirInUseError(dataDir, holder.pid, holder.info)
      await sleep(TEMPORARY_POLL_MS)
    }
  } catch (error) {
    await rm(staging, { recursive: true, force: true })
    throw error
  }

  const publish = async (next: LockInfo) => {
    await writeFile(staging, JSON.stringify(next), { mode: 0o600 })
    await rename(staging, join(lockDir, own))
  }
  const release = async () => {
    await rm(join(lockDir, own), { force: true })
    // The process right after us has already replaced the empty directory by its own.
    await rmdir(lockDir).catch(() => undefined)
  }
  return { publish, release }
}

async function becomes(staging: string, lockDir: string): Promise<boolean> {
  try {
    await rename(staging, lockDir)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}

/** The living holder of the lock, if any; forgets dead ones. */
async function holderOf(lockDir: string): Promise<{ pid: number; info: LockInfo } | undefined> {
  const entries = await readdir(lockDir).catch(() => [])
  for (const entry of entries) {
    const path = join(lockDir, entry)
    const identity = parseFileName(entry)
    if (identity === undefined || !isRunning(identity)) {
      await rm(path, { force: true })
      continue
    }
    const info = await readInfo(path)
    if (info !== undefined) return { pid: identity.pid, info }
  }
  return undefined
}

/** The facts that a holder tells; undefined when it has let go since. After a power failure a file may be empty. */
async function readInfo(path: string): Promise<LockInfo | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : {}
  }
}

const fileName = ({ pid, startedAt }: ProcessIdentity) => `${pid}.${startedAt}`

function parseFileName(name: string): ProcessIdentity | undefined {
  const [, pid, startedAt] = /^(\d+)\.(.+)$/.exec(name) ?? []
  return pid === undefined || startedAt === undefined ? undefined : { pid: Number(pid), startedAt }
}
