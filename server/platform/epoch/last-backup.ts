import type { Queryable } from '../db/transaction.ts'

/** The last backup that the command took: of which moment it is, RFC 3339, and its size. */
export type LastBackup = { takenAt: string; bytes: number }

/** Undefined where none was taken; those of a server's own are not known here. */
export async function readLastBackup(db: Queryable): Promise<LastBackup | undefined> {
  const { rows } = await db.query<{ takenAt: string; bytes: string }>({
    name: 'read_last_backup',
    text: `select backed_up_at as "takenAt", backed_up_bytes as bytes from installation where backed_up_at is not null`,
  })
  return rows[0] && { takenAt: rows[0].takenAt, bytes: Number(rows[0].bytes) }
}

/** Notes a backup. One that began earlier and took longer does not hide a newer one. */
export async function noteBackup(db: Queryable, { takenAt, bytes }: LastBackup): Promise<void> {
  await db.query(
    `update installation set backed_up_at = $1, backed_up_bytes = $2 where coalesce(backed_up_at < $1::timestamptz, true)`,
    [takenAt, bytes],
  )
}
