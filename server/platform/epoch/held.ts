/**
 * SQL: whether the installation is held, because it was restored or copied. Every way out asks it in the statement after
 * which something goes out: the claim of a job, of what waits in a lane, of a stretch of the log, and the mark that a mail
 * is handed over. The process of a copy, whose mail stays in the mailbox, says so when it connects (`createPool`).
 */
export const IS_HELD = `(select held_since is not null and coalesce(current_setting('postroom.copy', true), '') <> 'on'
  from installation)`

/**
 * The reach of work. `database`: nothing outside the database hears of it, so it goes on while the installation is held.
 * `mailbox`: it sends mail, which that of a copy is kept from leaving. Work that says neither may reach anybody.
 */
export type Reach = 'database' | 'mailbox'
