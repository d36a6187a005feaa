import { SQLSTATE } from './sqlstates.ts'
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

/**
 * An error that says nothing against the statement and its data, but that the database did not do it this time:
 * - `away`: it cannot be reached, was cut off, or refuses work for now. Later it may be back.
 * - `timed_out`: it did not answer within a limit. It may be away, or this may be too much to do within that limit.
 * - `conflict`: another transaction came between, and this one was rolled back. The same again may work at once.
 * - `closed`: this process has closed its pool. It never works again.
 *
 * Where the answer to a commit is missing, `away` and `timed_out` leave it open whether it was carried out.
 */
export type DatabaseOutcome = 'away' | 'timed_out' | 'conflict' | 'closed'

/** Could not be serialised, deadlock, lock time-out. */
const CONFLICT_CODE = /^(40001|40P01|55P03)$/
/** 08 connection, 53 out of resources, 57 ended by an operator or a crash, 58 system error, 25006 read-only, 25P03 idle too long. */
const AWAY_CODE = /^(08|53|57|58)|^(25006|25P03|F0001)$/
const AWAY_SYSTEM =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|ECONNABORTED)$/
/** Of those: nobody answers at the address, now or ever. */
const NOBODY_SYSTEM = /^(ECONNREFUSED|ENOTFOUND|ENOENT|EHOSTUNREACH|ENETUNREACH)$/
/** The driver's own errors have no code. */
const AWAY_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/
const TIMED_OUT_MESSAGE = /^Query read timeout/
const CLOSED_MESSAGE = /^Cannot use a pool after calling end/

/** Which of these an error is, by itself or by its cause; undefined for a wrong statement, wrong data, or another's error. */
export function databaseOutcome(error: unknown): DatabaseOutcome | undefined {
  if (!(error instanceof Error) || isOfFile(error) || isOfSender(error)) return undefined
  const outcome = byCode(errorCode(error)) ?? byMessage(error.message)
  if (outcome !== undefined) return outcome
  if (error instanceof AggregateError) return error.errors.map(databaseOutcome).find((one) => one !== undefined)
  return error.cause === undefined ? undefined : databaseOutcome(error.cause)
}

/** Whether a connection was not made because nobody answers at its address: a wrong one, or a server that is not started. */
export function isNobodyThere(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isNobodyThere)
  return NOBODY_SYSTEM.test(errorCode(error) ?? '')
}

/** A file that is not there has the code of a socket that is not there. */
function isOfFile(error: Error): boolean {
  return 'path' in error && 'syscall' in error && error.syscall !== 'connect'
}

/** A request whose sender broke it off has the code of a connection that was cut, and in Node.js this message. */
function isOfSender(error: Error): boolean {
  return error.message === 'aborted' && errorCode(error) === 'ECONNRESET'
}

function byCode(code: string | undefined): DatabaseOutcome | undefined {
  if (code === undefined) return undefined
  if (code === SQLSTATE.queryCanceled) return 'timed_out'
  if (CONFLICT_CODE.test(code)) return 'conflict'
  return AWAY_CODE.test(code) || AWAY_SYSTEM.test(code) ? 'away' : undefined
}

function byMessage(message: string): DatabaseOutcome | undefined {
  if (TIMED_OUT_MESSAGE.test(message)) return 'timed_out'
  if (CLOSED_MESSAGE.test(message)) return 'closed'
  return AWAY_MESSAGE.test(message) ? 'away' : undefined
}

/** Why the database did not do it, in words for an operator: one that only reads does not say who has told it to. */
export function outageReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (errorCode(error) !== SQLSTATE.readOnlyTransaction) return message
  return `the database takes no writes (${message}): it is a standby, or its server, database or role is set to default_transaction_read_only, as hosted ones are whose disk is full`
}

/**
 * The error, when the session it came from can only read: its server was demoted, or told to. Such a session stays so
 * even when the server writes again, so its connection is closed and the next one may reach a server that writes.
 */
export function readOnlySession(error: unknown): Error | undefined {
  return error instanceof Error && errorCode(error) === SQLSTATE.readOnlyTransaction ? error : undefined
}
