import type pg from 'pg'
import { notFound, wrongStatus } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { requireOperator } from '../restoration/read-restoration.ts'
import { type Doer, recordInstallationAct } from '../restoration/record-installation-act.ts'
import { filesIn, removeFile } from './backup-files.ts'
import {
  type BackupRow,
  deleteBackups,
  insertBackup,
  insertDueBackup,
  lockSchedule,
  readBackup,
  readBackups,
  readSchedule,
  writeSchedule,
} from './queries.ts'
import type { Backup, BackupSchedule, Backups } from './schemas.ts'
import { TAKE_BACKUP } from './take-backup.ts'

export type BackupsDeps = { sql: pg.Pool; directory: string }

/** The backups that the service takes of its own database, and when. Throws 403. */
export async function listBackups({ sql, directory }: BackupsDeps, doer: Doer): Promise<Backups> {
  await requireOperator(sql, doer.userId)
  const [rows, schedule, there] = await Promise.all([readBackups(sql), readSchedule(sql), filesIn(directory)])
  return { directory, schedule, items: rows.map((row) => backupOf(row, there)) }
}

export function backupOf({ copiedBytes, bytes, ...row }: BackupRow, there: ReadonlySet<string>): Backup {
  return {
    ...row,
    copiedBytes: Number(copiedBytes),
    bytes: bytes === null ? null : Number(bytes),
    isHere: there.has(row.fileName),
  }
}

/** Has one taken now. Throws 403, 409 while another one is under way. */
export async function askForBackup({ sql }: BackupsDeps, doer: Doer): Promise<Backup> {
  await requireOperator(sql, doer.userId)
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const row = await insertBackup(tx, doer.by.actor.name ?? doer.userId)
    if (row === undefined) throw wrongStatus('A backup is being taken: another one can be when it has ended.')
    await enqueue(tx, TAKE_BACKUP, { backupId: row.id, fileName: row.fileName })
    await recordInstallationAct(tx, doer.by, {
      action: 'installation.take_backup',
      diff: { file: { from: null, to: row.fileName } },
    })
    return backupOf(row, new Set())
  })
}

/** Has the night's taken where it is due. */
export async function takeDueBackup(sql: pg.Pool): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const row = await insertDueBackup(tx)
    if (row) await enqueue(tx, TAKE_BACKUP, { backupId: row.id, fileName: row.fileName })
  })
}

/** Says when one is taken by itself, and how many of those are kept. Throws 403. */
export async function setSchedule({ sql }: BackupsDeps, schedule: BackupSchedule, doer: Doer): Promise<BackupSchedule> {
  await requireOperator(sql, doer.userId)
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const before = await lockSchedule(tx)
    await writeSchedule(tx, schedule)
    const diff = {
      hour: { from: before.hour, to: schedule.hour },
      kept: { from: before.kept, to: schedule.kept },
    }
    await recordInstallationAct(tx, doer.by, { action: 'installation.schedule_backups', diff })
    return schedule
  })
}

/**
 * Removes a backup with its file, or ends one that is being taken. The file on another machine stays: what is removed then is that it is
 * known of. Throws 403, 404.
 */
export async function removeBackup({ sql, directory }: BackupsDeps, id: string, doer: Doer): Promise<void> {
  await requireOperator(sql, doer.userId)
  const row = await readBackup(sql, id)
  if (row === undefined) throw notFound()
  // Before it is forgotten: what cannot be removed can be tried again.
  if (row.state === 'done') await removeFile(directory, row.fileName)
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    await deleteBackups(tx, [id])
    await recordInstallationAct(tx, doer.by, {
      action: 'installation.delete_backup',
      diff: { file: { from: row.fileName, to: null } },
    })
  })
}
