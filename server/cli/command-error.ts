import { PROBLEMS } from '../catalogue/problems.ts'
import { Problem } from '../platform/problem.ts'

/** A command that cannot be carried out, in one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Says what it is that is not there: `.catch(missing('token 42'))`. Other errors come through as they are. */
export function missing(what: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof Problem && error.code === PROBLEMS.notFound.code
      ? new CommandError(`there is no ${what}`)
      : error
  }
}
