/** SQLSTATE of PostgreSQL's error, or the system's error code (`ECONNREFUSED`), when the error has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Name of the constraint a statement broke, when that is what the error says. */
export function brokenConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('constraint' in error)) return undefined
  return typeof error.constraint === 'string' ? error.constraint : undefined
}

export const READ_ONLY = '25006'

/** 25006 read-only, 53 out of resources, 55P03 lock timeout, 57 ended by an operator or a crash, 58 system error, 08 connection. */
const AWAY_CODE = /^(08|53|57|58)|^(25006|25P03|55P03|40001|40P01|F0001)$/
const AWAY_SYSTEM =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|ECONNABORTED)$/
const AWAY_MESSAGE =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/

/**
 * Whether the error says that the database is away or refuses work for now, as against a wrong statement or wrong data.
 * The outcome of the statement is then unknown to the caller when it was a commit.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = errorCode(error)
  if (code !== undefined && (AWAY_CODE.test(code) || AWAY_SYSTEM.test(code))) return true
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway)
  return AWAY_MESSAGE.test(error.message) || (error.cause !== undefined && isDatabaseAway(error.cause))
}

/**
 * The error, when the session it came from can only read: its server was demoted, or told to. Such a session stays so
 * even when the server writes again, so its connection is closed and the next one may reach a server that writes.
 */
export function readOnlySession(error: unknown): Error | undefined {
  return error instanceof Error && errorCode(error) === READ_ONLY ? error : undefined
}
