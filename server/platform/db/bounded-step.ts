import type pg from 'pg'
import { databaseOutcome } from './errors.ts'
import { inTransaction, type Scope, type Transaction } from './transaction.ts'

/**
 * The longest that a transaction of background work is open. No reader of the log passes one that has written, so the
 * events of every workspace wait for its end: it comes within a second, commit included, whatever the work meets.
 */
export const STEP_MS_MAX = 800
/** Steps become larger until they take this long. */
const STEP_MS_GOAL = 200
/** The server ends a statement in time; if even that is not answered, the database is away. */
const ANSWER_MS = 5_000

/** How much the next step takes on: learnt from how long those before it took. Not kept: the work's own mark is. */
export class StepSize {
  #rows: number
  readonly #rowsMax: number

  constructor(rowsMax: number) {
    this.#rows = rowsMax
    this.#rowsMax = rowsMax
  }

  get rows(): number {
    return this.#rows
  }

  took(ms: number): void {
    if (ms > STEP_MS_GOAL) this.halve()
    else if (ms < STEP_MS_GOAL / 2) this.#rows = Math.min(this.#rowsMax, this.#rows * 2)
  }

  /** False when it is a single row already. */
  halve(): boolean {
    if (this.#rows === 1) return false
    this.#rows = Math.ceil(this.#rows / 2)
    return true
  }
}

export type BoundedWork<T> = {
  size: StepSize
  /** Changes at most `rows` rows and notes how far it came: both are committed together. */
  work: (tx: Transaction, rows: number) => Promise<T>
  /** Instead of STEP_MS_MAX. */
  msMax?: number
}

/**
 * One step of background work in a transaction that the server ends within `msMax`, also when this process stands still.
 * One that is too much for that is undone and tried again with half as many rows; with a single row, its error is thrown.
 */
export async function boundedStep<T>(pool: pg.Pool, scope: Scope, step: BoundedWork<T>): Promise<T> {
  const { size, work, msMax = STEP_MS_MAX } = step
  for (;;) {
    let beganMs = performance.now()
    try {
      const done = await inTransaction(pool, scope, (tx) => {
        beganMs = performance.now()
        return work(withDeadline(tx, beganMs + msMax, msMax), size.rows)
      })
      size.took(performance.now() - beganMs)
      return done
    } catch (error) {
      if (databaseOutcome(error) !== 'timed_out' || !size.halve()) throw error
    }
  }
}

/** The transaction, each of whose statements gets the time that is left of it; and between them it may not stand still. */
function withDeadline(tx: Transaction, deadlineMs: number, idleMs: number): Transaction {
  const query = (statement: string | pg.QueryConfig, values?: unknown[]) => {
    const leftMs = Math.max(1, Math.ceil(deadlineMs - performance.now()))
    const limits = `set local statement_timeout = ${leftMs}; set local idle_in_transaction_session_timeout = ${idleMs}`
    // It fails when the transaction has: then so does the statement.
    tx.query(limits).catch(() => undefined)
    const asked = typeof statement === 'string' ? { text: statement, ...(values ? { values } : {}) } : statement
    return tx.query({ ...asked, query_timeout: leftMs + ANSWER_MS } as pg.QueryConfig)
  }
  return {
    scope: tx.scope,
    query: query as Transaction['query'],
    afterCommit: (fn) => tx.afterCommit(fn),
    signal: (name) => tx.signal(name),
  }
}
