import type pg from 'pg'
import { overloaded } from '../../catalogue/problems.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { databaseOutcome, errorCode } from '../../platform/db/errors.ts'
import { NO_PARTITION } from '../../platform/db/partitions.ts'
import type { Statement } from '../../platform/db/statement.ts'
import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import type { RecordedEvent } from './recorded-event.ts'

/** Events of one request and the workspace they belong to. */
export type Batch<E> = { workspaceId: string; events: readonly E[] }

/**
 * Requests share commits: while a commit is in flight, arriving requests gather, and the next commit takes them all. It
 * waits for the one before it, unless enough has gathered to be worth one of its own or that one is slow.
 * There is no timer, so a request that finds the writer idle is committed at once. A request is answered after the
 * commit that holds it; all its events are in it or none.
 */
export type IntakeWriter<E = RecordedEvent> = {
  /** Resolves once the events are durable. Rejects with a problem, or with the database's error: then nobody knows. */
  write(batch: Batch<E>, bytes: number): Promise<void>
}

/** Commits in flight at once. */
const COMMITS_IN_FLIGHT_MAX = 3
/**
 * So many events are worth a commit beside another one. Single events from 64 clients: 14,300 a second where they share
 * the next commit, 11,700 where up to three small ones are in flight; batches of 100: the same.
 */
const COMMIT_EVENTS_WORTHWHILE = 500
/** A commit in flight for longer than this no longer holds up the next one. */
const COMMIT_SLOW_MS = 25
const COMMIT_EVENTS_MAX = 4_000
const COMMIT_BYTES_MAX = 8 * 1024 * 1024
/** Bytes of requests waiting for a commit; beyond it the honest answer is 503. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024
/** A request not yet on its way to the database after this long is refused: it is certain not to be recorded. */
const WAIT_MAX_MS = 1_500

type Waiting<E> = {
  batch: Batch<E>
  bytes: number
  sinceMs: number
  resolve: () => void
  reject: (error: unknown) => void
}

export type WriterDeps<E> = {
  sql: pg.Pool
  /** Appends all batches or none. */
  append: (batches: readonly Batch<E>[]) => Statement<object>
  /** Makes the partitions that events of now go into: maintenance has not run for longer than they were made ahead. */
  makeRoom: (sql: pg.Pool) => Promise<void>
  /** Called after each commit with the number of events in it. */
  onCommitted: (events: number) => void
}

export function createWriter<E>(deps: WriterDeps<E>): IntakeWriter<E> {
  const queue: Waiting<E>[] = []
  let waitingBytes = 0
  let waitingEvents = 0
  let inFlight = 0
  let lastCommitMs = 0
  let watched = false

  function take(): Waiting<E>[] {
    let events = 0
    let bytes = 0
    let count = 0
    for (const waiting of queue) {
      events += waiting.batch.events.length
      bytes += waiting.bytes
      if (count > 0 && (events > COMMIT_EVENTS_MAX || bytes > COMMIT_BYTES_MAX)) break
      count++
    }
    return remove(count)
  }

  function remove(count: number): Waiting<E>[] {
    const taken = queue.splice(0, count)
    for (const { bytes, batch } of taken) {
      waitingBytes -= bytes
      waitingEvents -= batch.events.length
    }
    return taken
  }

  function mayCommit(): boolean {
    if (queue.length === 0 || inFlight === COMMITS_IN_FLIGHT_MAX) return false
    const isSlow = performance.now() - lastCommitMs > COMMIT_SLOW_MS
    return inFlight === 0 || waitingEvents >= COMMIT_EVENTS_WORTHWHILE || isSlow
  }

  function pump(): void {
    while (mayCommit()) {
      inFlight++
      lastCommitMs = performance.now()
      commit(deps, take()).finally(() => {
        inFlight--
        pump()
      })
    }
  }

  function refuseStale(): void {
    const oldest = performance.now() - WAIT_MAX_MS
    const fresh = queue.findIndex((waiting) => waiting.sinceMs > oldest)
    for (const waiting of remove(fresh === -1 ? queue.length : fresh)) waiting.reject(overloaded(1))
    watched = queue.length > 0
    if (watched) setTimeout(refuseStale, WAIT_MAX_MS / 10)
  }

  /** One timer at a time, however often the queue fills and empties. */
  function watch(): void {
    if (watched || queue.length === 0) return
    watched = true
    setTimeout(refuseStale, WAIT_MAX_MS)
  }

  return {
    write(batch, bytes) {
      if (waitingBytes + bytes > WAITING_BYTES_MAX) return Promise.reject(overloaded(1))
      return new Promise((resolve, reject) => {
        queue.push({ batch, bytes, sinceMs: performance.now(), resolve, reject })
        waitingBytes += bytes
        waitingEvents += batch.events.length
        pump()
        watch()
      })
    },
  }
}

async function commit<E>(deps: WriterDeps<E>, taken: Waiting<E>[]): Promise<void> {
  try {
    crashPoint('intake_before_commit')
    await append(deps, taken)
    crashPoint('intake_after_commit')
    for (const waiting of taken) waiting.resolve()
    deps.onCommitted(taken.reduce((events, waiting) => events + waiting.batch.events.length, 0))
  } catch (error) {
    // Where the database did not do it, more requests of it would not help, and each client may say it again.
    if (taken.length === 1 || databaseOutcome(error) !== undefined) {
      for (const waiting of taken) waiting.reject(error)
      return
    }
    // Nothing of it was recorded, and one request's fault must not be the others': each goes alone.
    for (const waiting of taken) await commit(deps, [waiting])
  }
}

async function append<E>({ sql, append, makeRoom }: WriterDeps<E>, taken: Waiting<E>[]): Promise<void> {
  const statement = append(taken.map((waiting) => waiting.batch))
  try {
    await queryInScope(sql, ALL_WORKSPACES, statement)
  } catch (error) {
    if (errorCode(error) !== NO_PARTITION) throw error
    await makeRoom(sql)
    await queryInScope(sql, ALL_WORKSPACES, statement)
  }
}
