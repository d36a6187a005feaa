import { Bell } from '../bell.ts'
import { databaseOutcome } from './errors.ts'

/** Waits between tries while the database is away; what was given is kept meanwhile. */
const AWAY_FIRST_MS = 100
const AWAY_MAX_MS = 2_000

export type Recorder<T> = {
  /**
   * Resolves to true when the item is durable, to false when it could not be written even alone, or not before the stop.
   * Never rejects: it tries until it is stopped.
   */
  record(item: T): Promise<boolean>
  /** Lets what waits be written for at most so long, and gives up the rest: how many that were. */
  stop(withinMs: number): Promise<number>
}

export type RecorderDeps<T> = {
  /**
   * Writes all of them or none, in one commit. When a commit's answer is lost, the same items come again under the same
   * `batch`; the numbers rise.
   */
  writeAll(items: readonly T[], batch: number): Promise<void>
  /** Items of one commit at most; the rest goes with the next. */
  itemsMax: number
  onError(error: unknown): void
}

/**
 * Writes what many callers of this process give it together: while one commit is under way the next items gather, so a
 * single one is written at once and a hundred cost one commit. A commit that fails is tried again item by item, and an
 * item that fails alone is reported and given up.
 *
 * Its owner stops it before the pool is ended.
 */
export function createRecorder<T>({ writeAll, itemsMax, onError }: RecorderDeps<T>): Recorder<T> {
  let waiting: { item: T; done: (written: boolean) => void }[] = []
  let batchNumber = 0
  let writing = false
  let stopped = false
  const bell = new Bell()
  let written = Promise.resolve()

  async function writeWaiting(): Promise<void> {
    writing = true
    let awayMs = AWAY_FIRST_MS
    let alone = false
    let batch: typeof waiting = []
    while (waiting.length > 0 && !stopped) {
      if (batch.length === 0) {
        batch = waiting.slice(0, alone ? 1 : itemsMax)
        batchNumber++
      }
      try {
        await writeAll(
          batch.map(({ item }) => item),
          batchNumber,
        )
        waiting = waiting.slice(batch.length)
        for (const { done } of batch) done(true)
        batch = []
        alone = false
        awayMs = AWAY_FIRST_MS
      } catch (error) {
        const outcome = databaseOutcome(error)
        if (awayMs === AWAY_FIRST_MS || outcome === undefined) onError(error)
        if (outcome === 'closed') giveUp()
        else if (outcome === undefined) {
          if (alone) waiting.shift()?.done(false)
          alone = !alone
          batch = []
        } else {
          await bell.wait(awayMs)
          awayMs = Math.min(AWAY_MAX_MS, awayMs * 2)
        }
      }
    }
    writing = false
  }

  function giveUp(): number {
    stopped = true
    const given = waiting
    waiting = []
    for (const { done } of given) done(false)
    bell.ring()
    return given.length
  }

  return {
    record(item) {
      if (stopped) return Promise.resolve(false)
      return new Promise((done) => {
        waiting.push({ item, done })
        if (!writing) written = writeWaiting()
      })
    },
    async stop(withinMs) {
      const late = new Bell()
      const all = written.then(() => late.ring())
      await Promise.race([all, late.wait(withinMs)])
      late.ring()
      return giveUp()
    },
  }
}
