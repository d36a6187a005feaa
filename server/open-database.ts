import { existingKeys } from './encryption-keys.ts'
import { readCertificate } from './modules/submission/tls-certificate.ts'
import { acquireDataDirLock, type DataDirLock } from './platform/postgres/data-dir-lock.ts'
import { openEmbeddedPostgres } from './platform/postgres/embedded-postgres.ts'
import type { Start } from './start-steps.ts'
import { tryAddresses } from './try-addresses.ts'
import { tryJournal } from './try-journal.ts'

/** `lock` is the hold on the embedded database. */
export type Opened = { url: string; lock: DataDirLock | undefined }

/** Opens the database of the settings; `onLaunched` is called where it is an embedded one that takes a moment to answer. */
export async function openDatabase(start: Start, onLaunched: () => void): Promise<Opened> {
  const { config } = start
  const lock = config.databaseUrl ? undefined : await lockDataDir(start)
  await tryPlaces(config)
  return { url: config.databaseUrl?.reveal() ?? (await openEmbedded(start, { lock, onLaunched })), lock }
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
): Promise<string> {
  const postgres = await openEmbeddedPostgres({ dataDir: config.dataDir, log, signal, ...given })
  undo.push(() => postgres.stop())
  return postgres.url
}
