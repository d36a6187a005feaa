import type { Database } from './app.ts'
import type { Role } from './config.ts'
import type { CatcherAddress } from './modules/mailbox/catcher-address.ts'
import type { LogFormat } from './platform/telemetry/logger.ts'

/** The task that the first process of a service gives each other one at its start; settings they read themselves. */
export type ProcessTask = {
  type: 'task'
  /** On each of its lines in the log. */
  name: string
  role: Role
  database: Database
  catcher: CatcherAddress | undefined
  connections: { sql: number; pgx: number }
  logFormat: LogFormat
}

/** Its answers: ready, where it listens; failed, why; its metrics; stopped, how much was left. */
export type ProcessReady = { type: 'ready'; address: { host: string; port: number } | undefined }
export type ProcessFailed = { type: 'failed'; message: string }
export type ProcessMetrics = { type: 'metrics'; text: string }
export type ProcessStopped = { type: 'stopped'; unrecorded: number; metrics: string }

/** The error of a process that cannot start, in one line. */
export class ProcessFailedError extends Error {
  override readonly name = 'ProcessFailedError'
}
