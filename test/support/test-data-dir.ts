import { chmod, glob, mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { acquireDataDirLock, DataDirInUseError } from '../../server/platform/postgres/data-dir-lock.ts'
import { adopt, stopServer } from '../../server/platform/postgres/server-process.ts'

/** A disk in memory, on Linux. */
export const MEMORY_DISK = '/dev/shm'
const MEMORY_BYTES_MIN = 2 * 1024 ** 3
const RUN_PREFIX = 'postroom-test-run-'
/** A run that begins now has made its directory but may not have locked it yet. */
const ABANDONED_AFTER_MS = 60_000

/** Root's server runs as another user, who has to be let through. */
const DIR_MODE = 0o711

/**
 * An empty directory in memory where there is room, else on the disk; whoever asked for it removes it. In a run of all
 * tests it is inside the run's directory, which goes in any case.
 */
export async function makeTempDir(): Promise<string> {
  const runDataDir = process.env.POSTROOM_TEST_DATA_DIR
  return makeDirIn(runDataDir ? dirname(runDataDir) : await parentDir(), 'postroom-test-')
}

/**
 * A run's directory, with the run's server in its `data`, and in `tmp` what its files would leave in the system's temporary
 * directory. Removes those of runs that were killed.
 */
export async function makeRunDir(): Promise<{ runDir: string; dataDir: string; tempDir: string }> {
  const parent = await parentDir()
  for (const name of await readdir(parent)) {
    if (name.startsWith(RUN_PREFIX)) await removeIfAbandoned(join(parent, name))
  }
  const runDir = await makeDirIn(parent, RUN_PREFIX)
  const tempDir = join(runDir, 'tmp')
  await mkdir(tempDir)
  await chmod(tempDir, DIR_MODE)
  return { runDir, dataDir: join(runDir, 'data'), tempDir }
}

/** Ends the servers that still run in the directory, of test files that were killed, and removes it. */
export async function removeRunDir(runDir: string): Promise<void> {
  for await (const pidFile of glob('**/postmaster.pid', { cwd: runDir })) {
    const server = await adopt(dirname(join(runDir, pidFile)))
    if (server !== undefined) await stopServer(server)
  }
  await rm(runDir, { recursive: true, force: true })
}

/** The directory that test files run by hand share, one for each user of the machine. */
export async function sharedDir(): Promise<string> {
  const uid = process.getuid?.() ?? 0
  const dataDir = join(await parentDir(), `postroom-test-shared-${uid}`)
  await mkdir(dataDir, { recursive: true, mode: DIR_MODE })
  if ((await stat(dataDir)).uid !== uid) throw new Error(`${dataDir} belongs to another user`)
  return dataDir
}

async function makeDirIn(parent: string, prefix: string): Promise<string> {
  const path = await mkdtemp(join(parent, prefix))
  await chmod(path, DIR_MODE)
  return path
}

async function parentDir(): Promise<string> {
  const disk = await statfs(MEMORY_DISK).catch(() => undefined)
  return disk !== undefined && disk.bavail * disk.bsize > MEMORY_BYTES_MIN ? MEMORY_DISK : tmpdir()
}

async function removeIfAbandoned(runDir: string): Promise<void> {
  const found = await stat(runDir).catch(() => undefined)
  if (found?.uid !== process.getuid?.() || Date.now() - (found?.mtimeMs ?? 0) < ABANDONED_AFTER_MS) return
  try {
    await acquireDataDirLock(join(runDir, 'data'))
    await removeRunDir(runDir)
  } catch (error) {
    if (!(error instanceof DataDirInUseError)) throw error
  }
}
