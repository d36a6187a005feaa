import { EncryptionKeyError } from '../check-encryption-key.ts'
import { ConfigError } from '../config.ts'
import { ListenError } from '../listen-error.ts'
import { CertificateError } from '../modules/submission/tls-certificate.ts'
import { BackupError } from '../platform/backup/backup-file.ts'
import { UnsuitableDatabaseError } from '../platform/db/check-database.ts'
import { databaseOutcome, outageReason, readOnlySession } from '../platform/db/errors.ts'
import { MigrationLockError, SchemaError } from '../platform/db/migrate.ts'
import { EpochFileError } from '../platform/epoch/epoch-file.ts'
import { DataDirInUseError } from '../platform/postgres/data-dir-lock.ts'
import { PostgresStartError } from '../platform/postgres/start-error.ts'
import { Problem } from '../platform/problem.ts'
import { ProcessFailedError } from '../process-task.ts'
import { JournalError } from '../try-journal.ts'
import { CommandError } from './command-error.ts'

/** The fault in one line, where a person can set it right; undefined for a bug. */
export function explainError(error: unknown): string | undefined {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof CommandError ||
    error instanceof ListenError ||
    error instanceof CertificateError ||
    error instanceof UnsuitableDatabaseError ||
    error instanceof BackupError ||
    error instanceof MigrationLockError ||
    error instanceof SchemaError ||
    error instanceof EncryptionKeyError ||
    error instanceof EpochFileError ||
    error instanceof JournalError ||
    error instanceof DataDirInUseError ||
    error instanceof PostgresStartError ||
    error instanceof ProcessFailedError
  if (isExpected) return error.message
  if (error instanceof Problem) return error.detail ?? error.title
  const outcome = databaseOutcome(error)
  if (outcome !== 'away' && outcome !== 'timed_out') return undefined
  if (readOnlySession(error)) return outageReason(error)
  return `the database does not answer: ${(error as Error).message}`
}
