import { access, constants } from 'node:fs/promises'
import { makeDirectory } from './platform/make-directory.ts'

/** The place for what is kept outside of the database cannot be used, in one line. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
  constructor(directory: string, cause: unknown) {
    super(`JOURNAL_DIR ${directory} cannot be written to: ${(cause as Error).message}`, { cause })
  }
}

/** Makes the directory of the journal, and refuses one that takes no files. */
export async function tryJournal(directory: string): Promise<void> {
  try {
    await makeDirectory(directory, 0o700)
    await access(directory, constants.W_OK)
  } catch (error) {
    throw new JournalError(directory, error)
  }
}
