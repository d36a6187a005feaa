import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { SecretKeys } from '../crypto/secret-box.ts'
import { EXPIRY_LOCK } from '../db/expire-partitions.ts'
import { MIGRATION_LOCK } from '../db/migrate.ts'
import { LOCK_WAIT_MS, pollLock } from '../db/poll-lock.ts'
import { readSequences } from '../epoch/sequences.ts'
import { BackupError, type BackupHeader, type BackupPart, type CopiedTable, writeBackupFile } from './backup-file.ts'
import { columnList, copiedPartitions, copiedTables, qualified } from './copied-tables.ts'

export type WriteOptions = {
  path: string
  keys: SecretKeys
  /** The version of the program. */
  postroom: string
  keyCheck: string
  onProgress?: (progress: CopyProgress) => void
  /** Ends it, with nothing left of its file. */
  signal?: AbortSignal
}

/** How far a copy has come; called after every piece. */
export type CopyProgress = { table: string; bytes: number }

/**
 * Copies the database of a connection, as it is at one moment, into a file. The service may go on meanwhile: it is read in one
 * snapshot, which no writer waits for. Changes of the schema wait, and partitions stay until it is done. Where the file cannot
 * be written, the connection is ended, and with it what it holds.
 */
export async function writeBackup(client: pg.Client, options: WriteOptions): Promise<void> {
  // Held by the session, before the snapshot is taken: what they keep away is over when it is.
  await shareLock(client, '$1', MIGRATION_LOCK)
  const partitioned = new Set((await copiedPartitions(client)).map(({ table }) => table))
  for (const table of partitioned) await shareLock(client, EXPIRY_LOCK, table)
  await client.query('begin isolation level repeatable read read only')
  const giveUp = () => void client.end().catch(() => undefined)
  options.signal?.addEventListener('abort', giveUp)
  try {
    options.signal?.throwIfAborted()
    await writeBackupFile(options.path, snapshotOf(client, options), options.keys)
  } catch (error) {
    // The server may be in the middle of a table that nobody takes any more, and answers nothing else before its end.
    await client.end().catch(() => undefined)
    throw error
  } finally {
    options.signal?.removeEventListener('abort', giveUp)
  }
  await client.query('rollback').catch(() => undefined)
  await client.query('select pg_advisory_unlock_all()').catch(() => undefined)
}

async function shareLock(client: pg.Client, name: string, value: unknown): Promise<void> {
  const call = { text: `pg_try_advisory_lock_shared(${name})`, values: [value] }
  if (await pollLock(client, call, performance.now() + LOCK_WAIT_MS)) return
  throw new BackupError('the schema is being changed, or months dropped, for too long: try again later')
}

async function* snapshotOf(client: pg.Client, options: WriteOptions): AsyncGenerator<BackupPart> {
  const header = await headerOf(client, options)
  yield { kind: 'header', header }
  const rows: number[] = []
  const progress = { table: '', bytes: 0 }
  for (const table of header.tables) {
    yield { kind: 'table', table }
    progress.table = table.name
    const copy = client.query(copyTo(copyStatement(table)))
    for await (const bytes of copy as AsyncIterable<Buffer>) {
      progress.bytes += bytes.length
      options.onProgress?.(progress)
      yield { kind: 'rows', bytes }
    }
    // Known when the stream has ended; the reader that checks the file counts lines.
    await client.query('')
    rows.push(copy.rowCount)
    yield { kind: 'tableEnd', table, rows: copy.rowCount }
  }
  // Not of the snapshot: they may stand behind its ids, never before.
  yield { kind: 'end', end: { rows, sequences: await readSequences(client) } }
}

/** The select is for partitioned tables, which COPY does not take by their names. */
function copyStatement(table: CopiedTable): string {
  return `copy (select ${columnList(table)} from ${qualified(table)}) to stdout`
}

async function headerOf(client: pg.Client, { postroom, keyCheck }: WriteOptions): Promise<BackupHeader> {
  const { rows: migrations } = await client.query<BackupHeader['migrations'][number]>(
    'select version, name, checksum from schema_migrations order by version',
  )
  const { rows } = await client.query<{ server: string; jobs: number; madeAt: string }>(
    `select current_setting('server_version') as server, (select max(version) from jobs.version) as jobs,
       utc_text(now()) as "madeAt"`,
  )
  const [partitions, tables] = [await copiedPartitions(client), await copiedTables(client)]
  return { postroom, ...rows[0]!, migrations, keyCheck, partitions, tables }
}
