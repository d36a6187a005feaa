import type pg from 'pg'

/*
 * Settings that a session brings along, so that those which an operator has given the role or the database do not stand for
 * them: `alter role … set statement_timeout` is for whoever asks by hand.
 */

/** Statements see what was committed before each of them, as all that waits for a lock and goes on relies on. */
export const READ_COMMITTED = '-c default_transaction_isolation=read\\ committed'
/** Locks are waited for as long as the statement may take. */
export const NO_LOCK_TIMEOUT = '-c lock_timeout=0'
/** For work on the whole database, which takes as long as it is large. */
export const NO_TIME_LIMITS = ['-c statement_timeout=0', NO_LOCK_TIMEOUT, '-c idle_in_transaction_session_timeout=0']

/** Lets transactions of a session take as long as they do; PostgreSQL has a limit for them from version 17 on. */
export async function liftTransactionTimeout(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout' and setting <> '0'`,
  )
}
