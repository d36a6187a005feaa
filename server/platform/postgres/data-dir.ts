import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '../make-directory.ts'

const SECRET_MODE = 0o600

export const runsAsRoot = () => process.getuid?.() === 0

/**
 * Makes the data directory when it is missing and answers its real path. Made by root it can be passed through by the
 * user the server runs as, but not listed; an existing directory stays as it is.
 */
export async function ensureDataDir(dataDir: string): Promise<string> {
  await ensureDir(dataDir, runsAsRoot() ? 0o711 : 0o700)
  return realpath(dataDir)
}

/** Makes a directory with this mode, whatever the umask; one that exists keeps its own. */
export async function ensureDir(path: string, mode: number): Promise<void> {
  const made = await makeDirectory(path, mode)
  if (made !== undefined) await chmod(path, mode)
}

/**
 * Replaces a file in one step that survives a crash: either the old text is there afterwards or the new one.
 * Readable by its owner only, who is the owner of the directory also when root writes it.
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.new-${process.pid}`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', SECRET_MODE)
  try {
    if (runsAsRoot()) {
      const { uid, gid } = await stat(dirname(path))
      await file.chown(uid, gid)
    }
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncDir(dirname(path))
}

/** Makes the names in a directory survive a crash. */
export async function syncDir(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
