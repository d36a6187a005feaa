import { readdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError } from '../../platform/backup/backup-file.ts'

/** The database may be on the same disk, and takes nothing more once that is full. */
const ROOM_BYTES_MIN = 1_073_741_824

/** Names of the files in a directory; none where it is not there yet. */
export async function filesIn(directory: string): Promise<ReadonlySet<string>> {
  return new Set(await readdir(directory).catch(() => []))
}

/** Removes the file of a backup, and its parts. */
export async function removeFile(directory: string, fileName: string): Promise<void> {
  await removeParts(directory, fileName)
  await rm(join(directory, fileName), { force: true })
}

/** Removes what a process that was killed has left of a backup. */
export async function removeParts(directory: string, fileName: string): Promise<void> {
  for (const name of await filesIn(directory))
    if (name.startsWith(`${fileName}.`) && name.endsWith('.partial')) await rm(join(directory, name), { force: true })
}

/** Throws a `BackupError` where a disk has next to nothing left. */
export async function requireRoom(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory)
  if (bavail * bsize < ROOM_BYTES_MIN) throw new BackupError(`the disk of ${directory} has less than 1 GiB left`)
}
