import { access, constants } from 'node:fs/promises'
import { makeDirectory } from './platform/make-directory.ts'
import { refusalOf } from './platform/postgres/start-error.ts'

/** The place for what is kept outside of the database cannot be used, in one line. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
  constructor(directory: string, cause: unknown) {
    super(`cannot use the directory ${directory} (JOURNAL_DIR): ${refusalOf(cause) ?? (cause as Error).message}`, {
      cause,
    })
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
