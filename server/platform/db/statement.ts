import type pg from 'pg'

declare const ROW: unique symbol

/**
 * A statement and the row that it answers with: who runs it does not say that again. A function that builds one is named
 * for what it answers and ends in `Statement`; a function that runs one does not.
 */
export type Statement<R extends pg.QueryResultRow> = pg.QueryConfig & {
  query_timeout?: number
  /** For one that commits alone and makes an event or a job: the signal of whoever waits for that. */
  signal?: string
  /**
   * `once` keeps one plan a connection for a named statement, by index. For a statement that has one right plan on empty
   * tables and on full ones, and costs more to plan than to run: left to itself PostgreSQL plans every page of a list
   * anew, since it takes a page whose length it does not know for a tenth of the table.
   * `whole` joins by hash: for a statement that reads whole tables, queues among them, which nobody analyses. Taken for
   * nearly empty, a queue is joined by a part of its key, each row compared with each: minutes for 30,000.
   * Both only for `queryInScope`.
   */
  plan?: 'once' | 'whole'
  /** There is no such field: it is the row's type. */
  readonly [ROW]?: R
}
