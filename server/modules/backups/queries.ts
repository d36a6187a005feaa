import type { Queryable } from '../../platform/db/transaction.ts'
import type { Backup, BackupSchedule } from './schemas.ts'

/** Backups that a page shows. */
const SHOWN_MAX = 100
/** Failed tries of the night that stay, to be read. */
const FAILED_KEPT = 10

export type BackupRow = Omit<Backup, 'isHere' | 'copiedBytes' | 'bytes'> & { copiedBytes: string; bytes: string | null }

const COLUMNS = `id, state, file_name as "fileName", asked_at as "askedAt", asked_by as "askedBy", taken_at as "takenAt",
  copied_bytes as "copiedBytes", bytes, host, error, ended_at as "endedAt"`

/** One that is asked for while another is under way is none. */
const ONE_AT_A_TIME = `on conflict ((true)) where state in ('waiting', 'running') do nothing`

const FILE_NAME = `to_char(now() at time zone 'UTC', '"postroom-"YYYY-MM-DD"T"HH24-MI-SS.MS"Z.backup"')`

/** The newest first. */
export async function readBackups(db: Queryable): Promise<BackupRow[]> {
  const { rows } = await db.query<BackupRow>({
    name: 'read_backups',
    text: `select ${COLUMNS} from backups order by id desc limit ${SHOWN_MAX}`,
  })
  return rows
}

export async function readBackup(db: Queryable, id: string): Promise<BackupRow | undefined> {
  const { rows } = await db.query<BackupRow>({
    name: 'read_backup',
    text: `select ${COLUMNS} from backups where id = $1`,
    values: [id],
  })
  return rows[0]
}

/** Undefined while another one is under way. */
export async function insertBackup(tx: Queryable, askedBy: string): Promise<BackupRow | undefined> {
  const { rows } = await tx.query<BackupRow>({
    name: 'insert_backup',
    text: `insert into backups (file_name, asked_by) values (${FILE_NAME}, $1) ${ONE_AT_A_TIME} returning ${COLUMNS}`,
    values: [askedBy],
  })
  return rows[0]
}

/** The night's, once its hour has come since the last of them was asked for. Undefined where none is due, or another one is under way. */
export async function insertDueBackup(tx: Queryable): Promise<BackupRow | undefined> {
  const { rows } = await tx.query<BackupRow>({
    name: 'insert_due_backup',
    text: `insert into backups (file_name)
      select ${FILE_NAME} from backup_schedule s cross join lateral (select make_interval(hours => s.hour) as hour) h
      where s.hour is not null and not exists (
        select from backups b where b.asked_by is null and b.asked_at >= date_trunc('day', now() - h.hour, 'UTC') + h.hour)
      ${ONE_AT_A_TIME} returning ${COLUMNS}`,
  })
  return rows[0]
}

/** Says that a machine takes it now; false for one that is removed, or has ended. */
export async function beginBackup(db: Queryable, id: string, host: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'begin_backup',
    text: `update backups set state = 'running', host = $2, copied_bytes = 0
      where id = $1 and state in ('waiting', 'running')`,
    values: [id, host],
  })
  return rowCount === 1
}

/** Says how far it has come; false for one that was removed meanwhile. */
export async function noteProgress(db: Queryable, id: string, copiedBytes: number): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'note_progress_of_backup',
    text: `update backups set copied_bytes = $2 where id = $1 and state = 'running'`,
    values: [id, copiedBytes],
  })
  return rowCount === 1
}

export type Ended = { takenAt: string; bytes: number } | { error: string }

/** False for one that was removed meanwhile. */
export async function endBackup(db: Queryable, id: string, ended: Ended): Promise<boolean> {
  const { takenAt, bytes, error } = { takenAt: null, bytes: null, error: null, ...ended }
  const { rowCount } = await db.query({
    name: 'end_backup',
    text: `update backups set state = case when $4::text is null then 'done' else 'failed' end, taken_at = $2, bytes = $3,
        error = $4, ended_at = now()
      where id = $1 and state = 'running'`,
    values: [id, takenAt, bytes, error],
  })
  return rowCount === 1
}

/** Backups of every night beyond those that are kept. */
export async function oldBackups(db: Queryable): Promise<Pick<BackupRow, 'id' | 'fileName' | 'host'>[]> {
  const { rows } = await db.query<Pick<BackupRow, 'id' | 'fileName' | 'host'>>({
    name: 'old_backups',
    text: `select b.id, b.file_name as "fileName", b.host
      from (select *, row_number() over (partition by state order by id desc) as nth
        from backups where asked_by is null and state in ('done', 'failed')) b cross join backup_schedule s
      where b.nth > case b.state when 'done' then s.kept else ${FAILED_KEPT} end`,
  })
  return rows
}

export async function deleteBackups(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await db.query({
    name: 'delete_backups',
    text: 'delete from backups where id = any ($1::bigint[])',
    values: [ids],
  })
}

export async function readSchedule(db: Queryable): Promise<BackupSchedule> {
  const { rows } = await db.query<BackupSchedule>({
    name: 'read_backup_schedule',
    text: 'select hour, kept from backup_schedule',
  })
  return rows[0]!
}

/** The same of a transaction that will change it. */
export async function lockSchedule(tx: Queryable): Promise<BackupSchedule> {
  const { rows } = await tx.query<BackupSchedule>({
    name: 'lock_backup_schedule',
    text: 'select hour, kept from backup_schedule for no key update',
  })
  return rows[0]!
}

export async function writeSchedule(tx: Queryable, { hour, kept }: BackupSchedule): Promise<void> {
  await tx.query({
    name: 'write_backup_schedule',
    text: 'update backup_schedule set hour = $1, kept = $2',
    values: [hour, kept],
  })
}
