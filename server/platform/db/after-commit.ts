import type pg from 'pg'

/** Hears of the commits of a process: `server/app.ts` makes one for both of its pools. */
export type CommitListener = {
  /** Something was committed that somebody waits for, of this process or of another. Cheap; never throws. */
  signal(name: string): void
  /** A fault of what ran after a commit, which took effect nevertheless. */
  onError(error: unknown): void
}

const listeners = new WeakMap<pg.Pool, CommitListener>()

/** Has `listener` hear what commits through this pool. Without one signals are dropped, and whoever waits for them polls. */
export function listenToCommits(pool: pg.Pool, listener: CommitListener): void {
  listeners.set(pool, listener)
}

/** Tells the process of a pool that something was committed. For statements that commit alone; others use `tx.signal`. */
export function signalCommit(pool: pg.Pool, name: string): void {
  listeners.get(pool)?.signal(name)
}

/** Runs what waited for a commit, in its order, also what is added meanwhile. A fault of one keeps no other from it. */
export function runAfterCommit(pool: pg.Pool, work: Iterable<() => void>): void {
  for (const one of work) {
    try {
      one()
    } catch (error) {
      reportFault(pool, error)
    }
  }
}

/** The caller must not take it for a failed commit. Where nobody listens it crashes the process, like any other bug. */
function reportFault(pool: pg.Pool, error: unknown): void {
  const listener = listeners.get(pool)
  if (listener) listener.onError(error)
  else
    queueMicrotask(() => {
      throw error
    })
}
