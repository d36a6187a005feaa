import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { makeDirectory } from './platform/make-directory.ts'
import { refusalOf } from './platform/postgres/start-error.ts'
import type { Logger } from './platform/telemetry/logger.ts'

/** Makes the directory of backups where the settings name one, and warns of one that takes no files: the night would find out. */
export async function tryBackups({ role, backupDir, dataDir }: Config, log: Logger): Promise<void> {
  if (role === 'web' || backupDir === join(dataDir, 'backups')) return
  try {
    await makeDirectory(backupDir, 0o700)
    await access(backupDir, constants.W_OK)
  } catch (error) {
    const reason = `cannot use the directory ${backupDir} (BACKUP_DIR): ${refusalOf(error) ?? (error as Error).message}`
    log.warn({ reason }, 'no backup can be taken by page or at night')
  }
}
