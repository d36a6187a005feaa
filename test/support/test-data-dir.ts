import { chmod, mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acquireDataDirLock, DataDirInUseError } from '../../server/platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from '../../server/platform/postgres/embedded-postgres.ts'
import { silentLog } from './silent-log.ts'

const MEMORY_DISK = '/dev/shm'
const MEMORY_BYTES_MIN = 2 * 1024 ** 3
const RUN_PREFIX = 'postroom-test-run-'
/** A run that begins now has made its directory but may not have locked it yet. */
const ABANDONED_AFTER_MS = 60_000

/** Root's server runs as another user, who has to be let through. */
const DIR_MODE = 0o711

/** An empty directory in memory where there is room, else on the disk; whoever asked for it removes it. */
export async function makeTempDir(prefix = 'postroom-test-'): Promise<string> {
  const path = await mkdtemp(join(await parentDir(), prefix))
  await chmod(path, DIR_MODE)
  return path
}

/** The data directory of one run, of which others may have been left behind by runs that were killed. */
export async function makeRunDir(): Promise<string> {
  await removeAbandonedRuns(await parentDir())
  return makeTempDir(RUN_PREFIX)
}

/** The directory that test files run by hand share, one for each user of the machine. */
export async function sharedDir(): Promise<string> {
  const uid = process.getuid?.() ?? 0
  const dataDir = join(await parentDir(), `postroom-test-shared-${uid}`)
  await mkdir(dataDir, { recursive: true, mode: DIR_MODE })
  if ((await stat(dataDir)).uid !== uid) throw new Error(`${dataDir} belongs to another user`)
  return dataDir
}

async function parentDir(): Promise<string> {
  const disk = await statfs(MEMORY_DISK).catch(() => undefined)
  return disk !== undefined && disk.bavail * disk.bsize > MEMORY_BYTES_MIN ? MEMORY_DISK : tmpdir()
}

/** Ends the servers of runs that were killed and removes their data. */
async function removeAbandonedRuns(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const dataDir = join(parent, name)
    if (!name.startsWith(RUN_PREFIX) || !(await isOldAndOurs(dataDir))) continue
    try {
      const lock = await acquireDataDirLock(dataDir)
      const server = await openEmbeddedPostgres({ dataDir, lock, log: silentLog })
      await server.stop()
    } catch (error) {
      if (error instanceof DataDirInUseError) continue
    }
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function isOldAndOurs(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS
}
