import { createHash } from 'node:crypto'
import { open, readFile, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../db/errors.ts'
import { type Credentials, credentialsFile, readCredentials } from './credentials.ts'
import { ensureDir, runsAsRoot, writeDurably } from './data-dir.ts'
import { PostgresStartError, unusable } from './start-error.ts'
import { canEnter, postgresUser, type SystemUser } from './system-user.ts'

/** Where a data directory's cluster is or will be, and who runs its server when not we ourselves. */
export type ClusterPlace = { clusterDir: string; exists: boolean; user?: SystemUser }

/** Holds the clusters and programs that root's server cannot reach where they belong. */
export const SYSTEM_DIR = '/var/lib/postroom'

/** Names the data directory a cluster outside belongs to. */
const HOME_FILE = 'data-dir'

/**
 * Finds the cluster of a data directory. It is inside it, except where root's PostgreSQL, which runs as another user, is
 * not let through to it (a checkout under /root): then it is in a directory of `systemDir` that `postgres.json` names.
 */
export async function locateCluster(
  dataDir: string,
  credentials: Credentials | undefined,
  systemDir: string,
): Promise<ClusterPlace> {
  const inside = join(dataDir, 'postgres')
  const clusterDir = credentials?.clusterDir ?? inside
  const exists = await hasCluster(clusterDir)
  if (credentials !== undefined && !exists) {
    const remedy = `restore it, or remove ${credentialsFile(dataDir)} to begin with an empty one`
    throw new PostgresStartError(`the database ${clusterDir} of ${dataDir} is missing: ${remedy}`)
  }
  if (credentials?.clusterDir !== undefined) await checkHome(clusterDir, dataDir)
  if (!runsAsRoot()) return { clusterDir, exists }

  const owner = exists ? await stat(clusterDir) : undefined
  const user = owner?.uid ? { uid: owner.uid, gid: owner.gid } : await postgresUser()
  if (exists) {
    if (await canEnter(user, clusterDir)) return { clusterDir, exists, user }
    throw new PostgresStartError(`the system user ${user.uid}, who owns ${clusterDir}, cannot reach it any more`)
  }
  if (await canEnter(user, dataDir)) return { clusterDir: inside, exists, user }
  return { clusterDir: await makePlaceOutside(dataDir, systemDir), exists, user }
}

/** A data directory that was copied names the original's cluster; one that was moved takes its cluster along. */
async function checkHome(clusterDir: string, dataDir: string): Promise<void> {
  const homeFile = join(dirname(clusterDir), HOME_FILE)
  const home = await readFile(homeFile, 'utf8')
  if (home === dataDir) return
  const other = await readCredentials(home).catch(() => undefined)
  if (other?.clusterDir === clusterDir) {
    throw new PostgresStartError(`the database ${clusterDir} belongs to ${home}, of which ${dataDir} is a copy`)
  }
  await writeDurably(homeFile, dataDir)
}

async function makePlaceOutside(dataDir: string, systemDir: string): Promise<string> {
  const name = basename(dataDir).replace(/^\.+/, '')
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
  const place = join(systemDir, `${name}-${hash}`)
  await ensureDir(systemDir, 0o755)
  // The cluster that an earlier data directory of this path left behind is another database: kept, never taken over.
  if (await hasCluster(join(place, 'cluster'))) await rename(place, `${place}-left-${Date.now()}`)
  await ensureDir(place, 0o711)
  await writeDurably(join(place, HOME_FILE), dataDir)
  return join(await realpath(place), 'cluster')
}

async function hasCluster(clusterDir: string): Promise<boolean> {
  return (await majorOfCluster(clusterDir)) !== undefined
}

/** Throws when another major version of PostgreSQL made the cluster: its files are of no use to this one. */
export async function checkMajor(clusterDir: string, major: number): Promise<void> {
  const made = await majorOfCluster(clusterDir)
  if (made === String(major)) return
  throw unusable(`the database ${clusterDir} was made by PostgreSQL ${made}, this program brings ${major}`)
}

async function majorOfCluster(clusterDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The number a cluster gets when it is made and keeps for ever, as decimal text: `pg_control` begins with it. */
export async function systemIdentifierOf(clusterDir: string): Promise<string> {
  const control = await open(join(clusterDir, 'global', 'pg_control'), 'r')
  try {
    const { buffer } = await control.read(Buffer.alloc(8), 0, 8, 0)
    return buffer.readBigUInt64LE().toString()
  } finally {
    await control.close()
  }
}
