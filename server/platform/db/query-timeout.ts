import type pg from 'pg'
import type { Transaction } from './transaction.ts'

/**
 * The same transaction with more time for each statement than the pool gives the statements of requests, for background
 * work in sets: a thousand rows take longer on a busy machine, and failing would only do them again.
 */
export function withQueryTimeout(tx: Transaction, queryTimeoutMs: number): Transaction {
  const query = (statement: string | pg.QueryConfig, values?: unknown[]) => {
    const asked = typeof statement === 'string' ? { text: statement, ...(values ? { values } : {}) } : statement
    return tx.query({ ...asked, query_timeout: queryTimeoutMs } as pg.QueryConfig)
  }
  return {
    scope: tx.scope,
    query: query as Transaction['query'],
    afterCommit: (fn) => tx.afterCommit(fn),
    signal: (name) => tx.signal(name),
  }
}
