import { Bell } from '../bell.ts'
import { type Clock, systemClock } from '../clock.ts'
import { databaseOutcome } from './errors.ts'
import { asNoReader } from './pool-places.ts'

/** Waits between tries while the database is away; what was given is kept meanwhile. */
const AWAY_FIRST_MS = 100
const AWAY_MAX_MS = 2_000
/** So often in a row the same commit may run into its time before less is tried at once. */
const TIME_OUTS_MAX = 3

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
  /**
   * Settles a batch whose commit has not been answered for: true when it is written, and when not, it never will be. Absent
   * where the same items may be written twice.
   */
  wasWritten?(batch: number): Promise<boolean>
  /** Writes less of an item that cannot be written alone as it is: then it counts as written. */
  writeLess?(item: T): Promise<void>
  /** Items of one commit at most; the rest goes with the next. */
  itemsMax: number
  onError(error: unknown): void
  /** Of the waits between tries. */
  clock?: Clock
}

/**
 * Writes what many callers of this process give it together: while one commit is under way the next items gather, so a
 * single one is written at once and a hundred cost one commit. A commit that fails is tried again item by item, and an
 * item that fails alone is reported, and given up unless less of it can be written. One that takes too long time and again is tried in halves; an item that
 * does so alone goes behind the others.
 *
 * Its owner stops it before the pool is ended.
 */
export function createRecorder<T>(deps: RecorderDeps<T>): Recorder<T> {
  const { writeAll, wasWritten, writeLess, itemsMax, onError, clock = systemClock } = deps
  let waiting: { item: T; done: (written: boolean) => void }[] = []
  /** The first of those that wait, which are being written; empty when others may be taken. */
  let batch: typeof waiting = []
  let batchNumber = 0
  let sizeMax = itemsMax
  let alone = false
  let lessOfIt = false
  let awayMs = AWAY_FIRST_MS
  let timeOuts = 0
  let writing = false
  let stopped = false
  const bell = new Bell()
  let written = Promise.resolve()

  async function writeWaiting(): Promise<void> {
    writing = true
    awayMs = AWAY_FIRST_MS
    while (waiting.length > 0 && !stopped) {
      if (batch.length === 0) {
        batch = waiting.slice(0, alone ? 1 : sizeMax)
        batchNumber++
      }
      await writeBatch().then(() => settle(), afterError)
    }
    writing = false
  }

  function writeBatch(): Promise<void> {
    if (lessOfIt && writeLess) return writeLess(batch[0]!.item)
    return writeAll(
      batch.map(({ item }) => item),
      batchNumber,
    )
  }

  function settle(): void {
    waiting = waiting.slice(batch.length)
    for (const { done } of batch) done(true)
    sizeMax = Math.min(itemsMax, sizeMax * 2)
    batch = []
    alone = false
    lessOfIt = false
    timeOuts = 0
    awayMs = AWAY_FIRST_MS
  }

  async function afterError(error: unknown): Promise<void> {
    const outcome = databaseOutcome(error)
    if (awayMs === AWAY_FIRST_MS || outcome === undefined) onError(error)
    if (outcome === 'closed') giveUp()
    else if (outcome === undefined) afterRefusal()
    else {
      await bell.wait(awayMs, clock)
      awayMs = Math.min(AWAY_MAX_MS, awayMs * 2)
      timeOuts = outcome === 'timed_out' ? timeOuts + 1 : 0
      if (timeOuts >= TIME_OUTS_MAX && !stopped) await divide()
    }
  }

  function afterRefusal(): void {
    if (alone && writeLess && !lessOfIt) {
      lessOfIt = true
      return
    }
    if (alone) waiting.shift()?.done(false)
    alone = !alone
    lessOfIt = false
    batch = []
  }

  /** Has the next try write half of the batch, once it is certain that the whole was not written and will not be. */
  async function divide(): Promise<void> {
    // Unknown while the database does not say: the same is tried again.
    const isWritten = wasWritten === undefined ? false : await wasWritten(batchNumber).catch(() => undefined)
    if (isWritten === undefined || stopped) return
    if (isWritten) return settle()
    sizeMax = Math.ceil(batch.length / 2)
    if (batch.length === 1) waiting.push(waiting.shift()!)
    batch = []
    lessOfIt = false
    timeOuts = 0
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
        if (!writing) written = asNoReader(writeWaiting)
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
