import { errorCode } from './errors.ts'
import { SQLSTATE } from './sqlstates.ts'

const ATTEMPTS_MAX = 10

/** Two transactions waited for each other and PostgreSQL ended this one. The other goes on. */
export function isDeadlock(error: unknown): boolean {
  return errorCode(error) === SQLSTATE.deadlockDetected
}

/**
 * Runs a transaction again, from its beginning, when it failed only because another one came between; what is done anew
 * sees what the other has committed. Gives up with the last error.
 */
export async function retrying<T>(transaction: () => Promise<T>, isTransient = isDeadlock): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isTransient(error)) throw error
    }
  }
}
