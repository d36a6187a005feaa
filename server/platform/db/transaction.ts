import type pg from 'pg'
import { readOnlySession } from './errors.ts'

/** Anything that runs statements: a pool, a client, a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

/** An open transaction whose tenant scope is set. */
export type Transaction = Queryable & { readonly scope: Scope }

/** The workspace whose rows a transaction sees, or every workspace for the system's own work. */
export type Scope = string | typeof ALL_WORKSPACES
export const ALL_WORKSPACES = '*'

const SCOPE = /^(\*|[0-9]{1,19})$/

/**
 * Runs `work` in a transaction that row-level security confines to one workspace (decimal id), or in `ALL_WORKSPACES`.
 * BEGIN and the scope travel in the same round trip as the first statement. Rolls back when `work` throws.
 */
export async function inTransaction<T>(pool: pg.Pool, scope: Scope, work: (tx: Transaction) => Promise<T>): Promise<T> {
  if (!SCOPE.test(scope)) throw new Error(`not a workspace scope: ${scope}`)
  const client = await pool.connect()
  const tx = client as unknown as Transaction & { scope: Scope }
  tx.scope = scope
  let broken: Error | undefined
  try {
    const begun = client.query(`begin; set local postroom.workspace = '${scope}'`)
    begun.catch(() => undefined)
    const result = await work(tx)
    await begun
    const committed = await client.query('commit')
    if (committed.command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement of it had failed')
    return result
  } catch (error) {
    broken = readOnlySession(error)
    // A connection that cannot roll back is thrown away, never handed to the next caller.
    await client.query('rollback').catch((rollbackError: Error) => {
      broken = rollbackError
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * One statement of one workspace: begin, scope, statement and commit share one round trip. A `query_timeout` of the
 * statement, in ms, counts for the commit as well, which waits behind it.
 */
export async function queryInScope<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  scope: Scope,
  statement: pg.QueryConfig & { query_timeout?: number },
): Promise<R[]> {
  if (!SCOPE.test(scope)) throw new Error(`not a workspace scope: ${scope}`)
  const commit = statement.query_timeout === undefined ? {} : { query_timeout: statement.query_timeout }
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const results = await Promise.allSettled([
      client.query(`begin; set local postroom.workspace = '${scope}'`),
      client.query<R>(statement),
      client.query({ text: 'commit', ...commit }),
    ])
    const [begun, answered, committed] = results
    // After a failed statement COMMIT answers ROLLBACK and leaves the connection usable; only its own failure does not.
    if (answered.status === 'rejected') broken = readOnlySession(answered.reason)
    if (committed.status === 'rejected') broken = committed.reason
    if (begun.status === 'rejected') throw begun.reason
    if (answered.status === 'rejected') throw answered.reason
    if (committed.status === 'rejected') throw committed.reason
    return answered.value.rows
  } finally {
    client.release(broken)
  }
}
