import type { Scrub } from './scrub-text.ts'

export type ErrorDescription = {
  type: string
  message: string
  /** Only of a bug: of an expected failure the place says nothing. */
  stack?: string
  cause?: ErrorDescription | string
  errors?: (ErrorDescription | string)[]
  [detail: string]: unknown
}

/** Fields by which an error may describe itself beside its message. Not its `detail` or `where`: PostgreSQL quotes data in them. */
const DETAILS = ['code', 'constraint', 'table', 'column', 'syscall', 'address', 'port', 'hostname', 'status'] as const
const CAUSES_MAX = 8
const ERRORS_MAX = 5
const FRAMES_MAX = 20
const BUGS = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError]

/** An error as plain data: type, message, codes, its chain of causes, and the stack where the error is a bug. */
export function describeError(error: Error, scrub: Scrub, depth = 0): ErrorDescription {
  const described: ErrorDescription = { type: error.name || error.constructor.name, message: scrub(error.message) }
  for (const name of DETAILS) {
    const value: unknown = Reflect.get(error, name)
    if (typeof value === 'string') described[name] = scrub(value)
    else if (typeof value === 'number') described[name] = value
  }
  if (isBug(error)) described.stack = scrub(framesOf(error))
  if (depth >= CAUSES_MAX) return described
  if (error.cause !== undefined) described.cause = describeThrown(error.cause, scrub, depth + 1)
  if (error instanceof AggregateError) {
    described.errors = error.errors.slice(0, ERRORS_MAX).map((one) => describeThrown(one, scrub, depth + 1))
  }
  return described
}

function describeThrown(thrown: unknown, scrub: Scrub, depth: number): ErrorDescription | string {
  if (thrown instanceof Error) return describeError(thrown, scrub, depth)
  return typeof thrown === 'string' ? scrub(thrown) : `thrown ${thrown === null ? 'null' : typeof thrown}`
}

/**
 * An error nobody has named: JavaScript's own, a plain Error without a code, a failed assertion, or a statement that
 * PostgreSQL could not make sense of (class 42). An error with a code or a type of its own is an expected failure.
 */
function isBug(error: Error): boolean {
  const code: unknown = Reflect.get(error, 'code')
  if (BUGS.some((type) => error instanceof type)) return true
  if (typeof code === 'string') return code === 'ERR_ASSERTION' || /^42[0-9A-Z]{3}$/.test(code)
  return error.constructor === Error
}

/** The frames alone: the message stands beside them, and would otherwise be able to pass for frames. */
function framesOf(error: Error): string {
  return (error.stack ?? '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, FRAMES_MAX)
    .map((line) => line.trim())
    .join('\n')
}
