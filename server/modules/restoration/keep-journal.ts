import type pg from 'pg'
import type { Installation } from '../../platform/epoch/installation.ts'
import { JournalFile } from '../../platform/epoch/journal-file.ts'
import { ENTRIES_AT_ONCE, entriesAfter, type JournalPosition } from './journal-entries.ts'
import { journalRow, type Reapplied, type ReapplyDeps, reapplyJournal } from './reapply-journal.ts'

export type JournalDeps = ReapplyDeps & {
  pool: pg.Pool
  /** Of what is kept of an installation outside of its database. */
  directoryOf: (id: string) => string
  onReapplied: (reapplied: Reapplied) => void
}

const START: JournalPosition = { tx: '0', id: '0' }

/**
 * Keeps the journal of one process: has every entry of the database follow into the file, and does again what the file
 * knows and a restored database does not. A file that was away for less than a month catches up.
 */
export class JournalKeeper {
  readonly #deps: JournalDeps
  #at: (JournalPosition & { epochId: string; file: JournalFile; floor: string }) | undefined

  constructor(deps: JournalDeps) {
    this.#deps = deps
  }

  /** Called again and again with the state of the installation; resolves when the file has what was committed. */
  async follow(found: Installation): Promise<void> {
    if (found.id === null) return
    await this.catchUp(found)
    const at = await this.#openAt(found, found.id)
    for (;;) {
      const entries = await entriesAfter(this.#deps.pool, at, at.floor)
      const last = entries.at(-1)
      if (last === undefined) return
      const row = journalRow(found.id)
      await at.file.append(
        entries.flatMap(({ at: position, entry }) =>
          entry
            ? [{ ...position, epochId: at.epochId, entry: this.#deps.secrets.seal(JSON.stringify(entry), row) }]
            : [],
        ),
      )
      Object.assign(at, last.at)
      if (entries.length < ENTRIES_AT_ONCE) return
    }
  }

  /** Does again on a restored database what the file knows, once a hold. */
  async catchUp({ id, epochId, held, isReapplied }: Installation): Promise<void> {
    if (id === null || held === null || isReapplied) return
    const { sql, directoryOf, onReapplied } = this.#deps
    onReapplied(await reapplyJournal(this.#deps, directoryOf(id), id))
    await sql.query('update installation set reapplied_epoch = $1 where epoch_id = $1', [epochId])
  }

  async close(): Promise<void> {
    await this.#at?.file.close()
  }

  async #openAt({ epochId, sequences }: Installation, id: string) {
    if (this.#at?.epochId === epochId) return this.#at
    await this.close()
    const file = new JournalFile(this.#deps.directoryOf(id))
    const last = await file.last()
    const position = last?.epochId === epochId ? { tx: last.tx, id: last.id } : START
    this.#at = { ...position, epochId, file, floor: sequences['public.journal_entries_id_seq'] ?? '0' }
    return this.#at
  }
}
