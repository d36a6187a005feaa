import type pg from 'pg'
import { runAfterCommit, signalCommit } from './after-commit.ts'
import { errorCode, readOnlySession } from './errors.ts'
import { limitedTo } from './pool.ts'
import { connectFor } from './pool-places.ts'
import type { Session } from './session.ts'
import { SQLSTATE } from './sqlstates.ts'
import type { Statement } from './statement.ts'
import { noteWriteFault } from './write-room.ts'

/** Anything that runs statements: a pool, a client, a transaction. A `Statement` brings the type of its row along. */
export type Queryable = {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own default, where a statement says nothing of its rows.
  query: (<R extends pg.QueryResultRow = any>(statement: Statement<R>) => Promise<pg.QueryResult<R>>) &
    pg.ClientBase['query']
}

/** An open transaction whose tenant scope is set. */
export type Transaction = Queryable & {
  readonly scope: Scope
  /**
   * Runs `fn` once after the COMMIT, in the order of the calls; never when the transaction was rolled back, nor when the
   * answer to its COMMIT was lost. An error it throws is reported, and fails neither the others nor the transaction.
   */
  afterCommit(fn: () => void): void
  /**
   * Tells whoever waits for it, in this process and others, that something was committed: after the COMMIT, once however
   * often it is called. May be lost with the process, so whoever waits polls as well.
   */
  signal(name: string): void
}

/** The workspace whose rows a transaction sees, or every workspace for the system's own work. */
export type Scope = string | typeof ALL_WORKSPACES
export const ALL_WORKSPACES = '*'

const workspaceOf = (scope: Scope) => (scope === ALL_WORKSPACES ? undefined : scope)

const SCOPE = /^(\*|[0-9]{1,19})$/

/**
 * Runs `work` in a transaction that row-level security confines to one workspace (decimal id), or in `ALL_WORKSPACES`.
 * BEGIN and the scope travel in the same round trip as the first statement. Rolls back when `work` throws. Once `gone` says
 * that nobody waits for it, what it does is cancelled and fails with the signal's reason: only where nothing is written.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  scope: Scope,
  work: (tx: Transaction) => Promise<T>,
  gone?: AbortSignal,
): Promise<T> {
  if (!SCOPE.test(scope)) throw new Error(`not a workspace scope: ${scope}`)
  const client = await connectFor(pool, workspaceOf(scope))
  // Every pool hands out sessions (`createPool`); the driver's type does not say so.
  const giveUp = () => (client as pg.PoolClient & Session).giveUp(gone?.reason)
  gone?.addEventListener('abort', giveUp)
  if (gone?.aborted) giveUp()
  const tx = new OpenTransaction(pool, client, scope)
  let result: T
  let broken: Error | undefined
  try {
    const begun = client.query(`begin; set local postroom.workspace = '${scope}'`)
    begun.catch(tx.noteFault)
    result = await work(tx as unknown as Transaction)
    tx.close()
    await begun
    const committed = await client.query('commit')
    if (committed.command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement of it had failed')
  } catch (thrown) {
    tx.close()
    const error = tx.causeOf(thrown)
    broken = readOnlySession(error)
    noteWriteFault(pool, error)
    // A connection that cannot roll back is thrown away, never handed to the next caller.
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    gone?.removeEventListener('abort', giveUp)
    client.release(broken)
  }
  tx.committed()
  return result
}

/** Implements `Transaction`. Once its work has ended, what is left of it touches neither it nor the connection's next user. */
class OpenTransaction {
  readonly scope: Scope
  readonly #pool: pg.Pool
  readonly #client: pg.PoolClient
  #state: 'open' | 'closed' | 'committed' = 'open'
  /** Made with the first call: most transactions wait for nothing. */
  #afterCommit: (() => void)[] | undefined
  #signals: Set<string> | undefined
  /** Why the statements behind it are refused; the last one, as what was undone to a savepoint refuses nothing more. */
  #fault: unknown

  constructor(pool: pg.Pool, client: pg.PoolClient, scope: Scope) {
    this.scope = scope
    this.#pool = pool
    this.#client = client
  }

  query(...statement: Parameters<pg.PoolClient['query']>): unknown {
    if (this.#state !== 'open') return Promise.reject(overError())
    const answer: unknown = this.#client.query(...statement)
    if (answer instanceof Promise) answer.catch(this.noteFault)
    return answer
  }

  readonly noteFault = (error: unknown): void => {
    if (!isConsequence(error)) this.#fault = error
  }

  /** The error itself, or, of statements sent together, the one that failed first: only that tells whether to try again. */
  causeOf(error: unknown): unknown {
    return isConsequence(error) ? (this.#fault ?? error) : error
  }

  afterCommit(fn: () => void): void {
    if (this.#state === 'closed') throw overError()
    this.#afterCommit ??= []
    this.#afterCommit.push(fn)
  }

  signal(name: string): void {
    if (this.#signals?.has(name)) return
    this.afterCommit(() => signalCommit(this.#pool, name))
    this.#signals ??= new Set()
    this.#signals.add(name)
  }

  close(): void {
    this.#state = 'closed'
  }

  /** Runs what waited, and what that adds, which has no other moment to wait for. */
  committed(): void {
    this.#state = 'committed'
    if (this.#afterCommit) runAfterCommit(this.#pool, this.#afterCommit)
    this.#state = 'closed'
  }
}

function isConsequence(error: unknown): boolean {
  return errorCode(error) === SQLSTATE.inFailedTransaction
}

function overError(): Error {
  return new Error('the transaction is over')
}

/** `jit`: servers before 18 count a disabled node as costly enough to compile, at each execution: a claim of deliveries took 1.8 s. */
const PLAN_ONCE = 'set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local jit = off'
const PLANS = {
  once: PLAN_ONCE,
  whole: 'set local enable_mergejoin = off; set local enable_nestloop = off; set local jit = off',
} as const

/**
 * Has the named statements of a transaction planned once a connection from here on, by index, as `plan: 'once'` does for a
 * single one: for transactions whose statements find everything by its key. Left to itself PostgreSQL plans each of them
 * five times on each connection before it keeps a plan, and plans those behind row-level security in milliseconds. Goes out
 * with the next statement.
 */
export function planOnce(tx: Transaction): void {
  // Where it fails the statement behind it does as well.
  tx.query(PLAN_ONCE).catch(() => undefined)
}

/**
 * One statement of one workspace: begin, scope, statement and commit share one round trip. A `query_timeout` of the
 * statement, in ms, counts for the commit as well, which waits behind it. `signal` is told after the commit.
 */
export async function queryInScope<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  scope: Scope,
  { signal, plan, ...statement }: Statement<R>,
): Promise<R[]> {
  if (!SCOPE.test(scope)) throw new Error(`not a workspace scope: ${scope}`)
  const { query_timeout } = statement
  const commit = query_timeout === undefined ? {} : { query_timeout }
  const settings = [`set local postroom.workspace = '${scope}'`, limitedTo(pool, query_timeout)]
  if (plan !== undefined) settings.push(PLANS[plan])
  const client = await connectFor(pool, workspaceOf(scope))
  let broken: Error | undefined
  let rows: R[]
  try {
    const results = await Promise.allSettled([
      client.query(`begin; ${settings.join('; ')}`),
      client.query<R>(statement),
      client.query({ text: 'commit', ...commit }),
    ])
    const [begun, answered, committed] = results
    // After a failed statement COMMIT answers ROLLBACK and leaves the connection usable; only its own failure does not.
    if (answered.status === 'rejected') broken = readOnlySession(answered.reason)
    if (committed.status === 'rejected') broken = committed.reason
    for (const one of [answered, committed]) if (one.status === 'rejected') noteWriteFault(pool, one.reason)
    if (begun.status === 'rejected') throw begun.reason
    if (answered.status === 'rejected') throw answered.reason
    if (committed.status === 'rejected') throw committed.reason
    rows = answered.value.rows
  } finally {
    client.release(broken)
  }
  if (signal !== undefined) signalCommit(pool, signal)
  return rows
}
