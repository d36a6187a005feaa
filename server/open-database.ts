import { existingKeys } from './encryption-keys.ts'
import { readCertificate } from './modules/submission/tls-certificate.ts'
import { acquireDataDirLock, type DataDirLock } from './platform/postgres/data-dir-lock.ts'
import { type EmbeddedPostgres, openEmbeddedPostgres } from './platform/postgres/embedded-postgres.ts'
import { outOfSpace } from './platform/postgres/start-error.ts'
import type { Start } from './start-steps.ts'
import { tryAddresses } from './try-addresses.ts'
import { tryBackups } from './try-backups.ts'
import { tryJournal } from './try-journal.ts'

export type Opened = {
  url: string
  /** The hold on the embedded database. */
  lock: DataDirLock | undefined
  /** The fault that a start ended with, or why the embedded server has caused it. */
  blame(error: unknown): Promise<unknown>
}

/** Opens the database of the settings; `onLaunched` is called where it is an embedded one that takes a moment to answer. */
export async function openDatabase(start: Start, onLaunched: () => void): Promise<Opened> {
  const { config } = start
  const lock = config.databaseUrl ? undefined : await lockDataDir(start)
  await tryPlaces(config)
  await tryBackups(config, start.log)
  if (config.databaseUrl) return { url: config.databaseUrl.reveal(), lock, blame: async (error) => error }
  const postgres = await openEmbedded(start, { lock, onLaunched })
  const blame = async (error: unknown) => ((await postgres.ranOutOfSpace()) ? outOfSpace(config.dataDir, error) : error)
  return { url: postgres.url, lock, blame }
}

/** Taken first: whoever starts the service twice is told of the other one, not of its port. */
async function lockDataDir({ config, undo }: Start): Promise<DataDirLock> {
  const lock = await acquireDataDirLock(config.dataDir)
  undo.push(() => lock.release())
  return lock
}

/** Refuses what cannot be listened on, served, written to or decrypted with before anything is made: the last thing of a start would say it too. */
async function tryPlaces(config: Start['config']): Promise<void> {
  const { role, submission, journal } = config
  await tryAddresses(config)
  if (role !== 'worker' && submission?.tls) await readCertificate(submission.tls)
  await existingKeys(config)
  if (journal.isNeeded) await tryJournal(journal.directory)
}

async function openEmbedded(
  { config, log, signal, undo }: Start,
  given: { lock: DataDirLock | undefined; onLaunched: () => void },
): Promise<EmbeddedPostgres> {
  const postgres = await openEmbeddedPostgres({ dataDir: config.dataDir, log, signal, ...given })
  undo.push(() => postgres.stop())
  return postgres
}
