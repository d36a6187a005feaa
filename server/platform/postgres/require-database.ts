import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../db/errors.ts'
import { PostgresStartError } from './start-error.ts'

/** A data directory has one of these when a database was made in it, or is being made. */
const TRACES = ['postgres.json', 'postgres', 'lock']

/** Throws where a directory holds no database. Makes nothing, not even the directory. */
export async function requireDatabase(dataDir: string): Promise<void> {
  for (const trace of TRACES) if (await isThere(join(dataDir, trace))) return
  throw noDatabase(dataDir)
}

export function noDatabase(dataDir: string): PostgresStartError {
  return new PostgresStartError(
    `there is no database in ${dataDir}: give DATA_DIR or DATABASE_URL as the service has it, or start the service first`,
  )
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}
