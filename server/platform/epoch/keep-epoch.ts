import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import { Bell } from '../bell.ts'
import { databaseOutcome } from '../db/errors.ts'
import { ALL_WORKSPACES, inTransaction } from '../db/transaction.ts'
import { writeEpochFile } from './epoch-file.ts'
import type { EpochGuard } from './epoch-guard.ts'
import { advanceMark } from './hold-installation.ts'
import type { Held, Installation } from './installation.ts'
import { readSequences, type Sequences } from './sequences.ts'

/** A restore to a moment that is not this long ago can go unnoticed. */
const LOOK_MS = 1_000

export type KeepDeps = {
  pool: pg.Pool
  guard: EpochGuard
  /** Whether this process notes outside of the database how far the installation has come: one of those of a start does. */
  notes: boolean
  /** Called after each look but the first: what else is kept outside follows the database. */
  follow?: (found: Installation) => Promise<void>
  /** Called when the installation is held and when it goes on, and at the first look. */
  onHeld: (held: Held | null) => void
  /**
   * Called when the place outside takes nothing, with why, and with nothing when it does again. The database's absence is told by
   * whoever needs it, and says nothing of that place.
   */
  onKept: (fault: unknown) => void
}

export type EpochKeeper = {
  /** Notes where the installation is, once more, and ends. */
  stop(): Promise<void>
}

/**
 * Keeps an eye on the installation: every second it looks whether it is held, and after changes has its mark go up and
 * notes it in the file, with the numbers that the sequences stood at in the same transaction: what the file says was
 * committed, on the standby too where commits wait for one.
 */
export async function keepEpoch(deps: KeepDeps): Promise<EpochKeeper> {
  const bell = new Bell()
  const noted = new EpochNotes(deps)
  let stopping = false
  let told: Held | null | undefined
  const look = async (): Promise<Installation> => {
    const found = await deps.guard.look(deps.pool)
    if (!isDeepStrictEqual(told, found.held)) deps.onHeld(found.held)
    told = found.held
    if (deps.notes) await noted.note(found)
    return found
  }
  await look()
  const loop = (async () => {
    let isKept = true
    while (!stopping) {
      await bell.wait(LOOK_MS)
      const fault: unknown = await look()
        .then(deps.follow)
        .then(
          () => undefined,
          (error: unknown) => error,
        )
      if (databaseOutcome(fault) !== undefined || (fault === undefined) === isKept) continue
      isKept = fault === undefined
      deps.onKept(fault)
    }
  })()
  return {
    async stop() {
      stopping = true
      bell.ring()
      await loop
    },
  }
}

/** Notes the epoch in its file whenever ids were given since the last time. */
class EpochNotes {
  readonly #deps: KeepDeps
  #noted: { epochId: string; sequences: Sequences } | undefined

  constructor(deps: KeepDeps) {
    this.#deps = deps
  }

  async note({ id, epochId }: Installation): Promise<void> {
    if (id === null) return
    const { pool, guard } = this.#deps
    const now = { epochId, sequences: await readSequences(pool) }
    if (isDeepStrictEqual(now, this.#noted)) return
    const noted = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
      const sequences = await readSequences(tx)
      const epoch = await advanceMark(tx, epochId)
      return epoch && { epoch, sequences }
    })
    if (noted === undefined) return
    await writeEpochFile(guard.directoryOf(id), noted)
    guard.see(noted.epoch, noted.sequences)
    this.#noted = { epochId, sequences: noted.sequences }
  }
}
