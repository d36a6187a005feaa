import { join } from 'node:path'
import type pg from 'pg'
import type { Queryable } from '../db/transaction.ts'
import { readEpochFile } from './epoch-file.ts'
import { type Known, settleInstallation } from './hold-installation.ts'
import { type Epoch, type Held, type Installation, readInstallation } from './installation.ts'
import { isAsFar, judgeEpoch } from './judge-epoch.ts'

/**
 * The knowledge a process has of how far its installation has come. A restore breaks every connection, and each new one is
 * judged before its first use: no statement runs on a restored database before it is held and its ids are moved ahead.
 */
export class EpochGuard {
  /** Why nothing goes out, as it was last seen. */
  held: Held | null = null
  readonly #journalDir: string
  /** Settles with a connection that is not judged itself. */
  readonly #settling: pg.Pool
  #known: Known | undefined
  #isRead = false

  constructor(journalDir: string, settling: pg.Pool) {
    this.#journalDir = journalDir
    this.#settling = settling
  }

  /** Judges the database at the other end of a connection, and has it held if it is not the one that was known. */
  async check(connection: Queryable): Promise<void> {
    const known = this.#known
    const found = await readInstallation(connection)
    if (found.isStandby) return
    const outside = known ?? (await this.#readFile(found))
    if (judgeEpoch(found, outside?.epoch) === 'same') return this.see(found)
    await settleInstallation(this.#settling, outside)
    await this.look(connection)
  }

  /** Looks again, on a connection that was judged. */
  async look(db: Queryable): Promise<Installation> {
    const found = await readInstallation(db)
    if (!found.isStandby) this.see(found)
    return found
  }

  /** Remembers a state that was committed. Answers of several connections come in any order. */
  see(found: Epoch & Partial<Pick<Installation, 'held'>>, sequences?: Known['sequences']): void {
    const { epoch, epochId, mark, held } = found
    if (held !== undefined) this.held = held
    if (this.#known !== undefined && !isAsFar(found, this.#known.epoch)) return
    this.#known = { epoch: { epoch, epochId, mark }, sequences: sequences ?? this.#known?.sequences ?? {} }
  }

  /** The directory of what is kept of an installation outside of its database. */
  directoryOf(id: string): string {
    return join(this.#journalDir, id)
  }

  async #readFile({ id }: Installation): Promise<Known | undefined> {
    if (id === null || this.#isRead) return undefined
    const read = await readEpochFile(this.directoryOf(id))
    this.#isRead = true
    this.#known ??= read
    return read
  }
}
