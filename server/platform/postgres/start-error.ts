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
  ENOTDIR: 'a part of the path is not a directory',
}

/** Turns a file system's refusal into one line that names the data directory; other errors come back as they are. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof PostgresStartError) return error
  const { code, path } = error as NodeJS.ErrnoException
  const reason = code === undefined ? undefined : PLAIN[code]
  if (reason === undefined) return error
  return new PostgresStartError(`cannot use the data directory ${dataDir}: ${reason}${path ? ` (${path})` : ''}`, {
    cause: error,
  })
}
