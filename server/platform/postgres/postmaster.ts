import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../db/errors.ts'
import { identityOf, isPostmasterOf, type ProcessIdentity } from './process-identity.ts'

/** The facts that a server states about itself in its cluster's `postmaster.pid`. */
export type PidFile = { pid: number; port: number; status: 'starting' | 'stopping' | 'ready' | '' }

export const pidFilePath = (clusterDir: string) => join(clusterDir, 'postmaster.pid')

/**
 * Reads `postmaster.pid`, whose lines PostgreSQL documents for its own tools: number, directory, start, port, socket,
 * address, shared memory, status. Undefined when there is none or its first lines are not written yet.
 */
export async function readPidFile(clusterDir: string): Promise<PidFile | undefined> {
  try {
    const lines = (await readFile(pidFilePath(clusterDir), 'utf8')).split('\n')
    const [pid, port] = [Number(lines[0]), Number(lines[3])]
    return pid > 0 ? { pid, port, status: (lines[7]?.trim() ?? '') as PidFile['status'] } : undefined
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export type Postmaster = PidFile & { identity: ProcessIdentity }

/** The server that runs on a cluster; undefined when the file is a dead one's and its number a zombie's or another program's. */
export async function runningPostmaster(clusterDir: string): Promise<Postmaster | undefined> {
  const file = await readPidFile(clusterDir)
  if (file === undefined) return undefined
  const identity = identityOf(file.pid)
  return identity !== undefined && isPostmasterOf(file.pid, clusterDir) ? { ...file, identity } : undefined
}
