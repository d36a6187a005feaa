import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../db/errors.ts'
import { makeDirectory } from '../make-directory.ts'
import type { Known } from './hold-installation.ts'

const FILE = 'epoch.json'
const EPOCH_ID = /^[0-9a-f-]{36}$/
const NUMBER = /^\d{1,19}$/

/** A file that says how far the installation has come cannot be understood: guessing could have mail go out again. */
export class EpochFileError extends Error {
  override readonly name = 'EpochFileError'
}

/** Reads what was last noted of an installation in its directory; undefined when nothing was. */
export async function readEpochFile(directory: string): Promise<Known | undefined> {
  const path = join(directory, FILE)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined
    throw error
  })
  if (text === undefined) return undefined
  try {
    const { epoch, epochId, mark, sequences } = JSON.parse(text)
    if (Number.isSafeInteger(epoch) && EPOCH_ID.test(epochId) && NUMBER.test(mark) && typeof sequences === 'object')
      return { epoch: { epoch, epochId, mark }, sequences }
  } catch {
    // Said below, as of every file that is none of ours.
  }
  throw new EpochFileError(
    `${path} cannot be read: move it away and say "./postroom restored" if the database was restored`,
  )
}

/** Replaces what is noted: after a crash the file is the old one or the new one, and the new one is on the disk. */
export async function writeEpochFile(directory: string, { epoch, sequences }: Known): Promise<void> {
  await makeDirectory(directory, 0o700)
  const path = join(directory, FILE)
  const written = `${path}.${process.pid}`
  const file = await open(written, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ ...epoch, at: new Date().toISOString(), sequences }, null, 1)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(written, path)
  await syncDirectory(directory)
}

/** A name is on the disk when its directory is. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  await handle.sync().finally(() => handle.close())
}
