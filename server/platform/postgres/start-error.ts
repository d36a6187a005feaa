import { statSync } from 'node:fs'

/** Why the embedded server cannot be used, in one line meant for the person who starts the program. */
export class PostgresStartError extends Error {
  override readonly name = 'PostgresStartError'
}

const WAY_OUT = 'set DATABASE_URL to use a PostgreSQL server of your own (15 or newer)'

/** A start error that ends in the way round it: a server of the operator's own. */
export function unusable(reason: string, cause?: unknown): PostgresStartError {
  return new PostgresStartError(`${reason}; ${WAY_OUT}`, { cause })
}

const PLAIN: Record<string, string> = {
  ENOSPC: 'no space left on the disk',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'there is a file of that name',
  ENOENT: 'it cannot be made there',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of the path is not a directory',
  ENOLINK: 'it is a link that leads nowhere',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'a name in it is too long',
  EINVAL: 'it is no path',
  EIO: 'the disk does not answer',
}

/** The end of a start whose database has used up its disk. */
export function outOfSpace(dataDir: string, cause: unknown): PostgresStartError {
  return new PostgresStartError(`the database in ${dataDir} (DATA_DIR) cannot go on: ${PLAIN.ENOSPC}`, { cause })
}

/** A file system's refusal in plain words; undefined for any other error. */
export function plainRefusal(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? undefined : PLAIN[code]
}

/** The same with the path where it says one. */
export function refusalOf(error: unknown): string | undefined {
  const { path } = error as NodeJS.ErrnoException
  const reason = plainRefusal(error)
  return reason && `${reason}${path === undefined ? '' : ` (${path})`}`
}

/** Turns a file system's refusal into one line that names the data directory; other errors come back as they are. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresStartError) return error
  const reason = refusalOf(error)
  if (reason === undefined) return error
  const message = `cannot use the data directory ${dataDir} (DATA_DIR): ${reason}${ownerOf(dataDir)}`
  return new PostgresStartError(message, { cause: error })
}

/** Words for a directory that is somebody else's: the service's user may use it, and others not. */
function ownerOf(dataDir: string): string {
  const uid = uidOf(dataDir)
  if (uid === undefined || uid === process.getuid?.()) return ''
  return `; it belongs to the user with the id ${uid}: run this as that user`
}

function uidOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
