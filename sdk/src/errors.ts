import type { ProblemCode } from './generated/problem-codes.ts'

/** A field at fault: a JSON pointer into the body, or `/name` of a parameter. */
export type FieldError = { pointer: string; detail: string }

type Answered = {
  status: number
  /** The body, when it was a problem of ours. */
  problem:
    | { code?: string; title?: string; detail?: string; errors?: FieldError[]; requestId?: string; count?: number }
    | undefined
  requestId: string | undefined
  retryAfterSeconds: number | undefined
}

/** An answer that is an error. A change that ends with it was not made. */
export class PostroomError extends Error {
  override readonly name: string = 'PostroomError'
  readonly status: number
  /** To branch on: of the server's catalogue, or `unexpected-answer` when something else than Postroom answered. */
  readonly code: ProblemCode | 'unexpected-answer' | (string & Record<never, never>)
  readonly title: string
  readonly detail: string | undefined
  readonly errors: readonly FieldError[]
  /** Of `audience-changed`: the number there is now. */
  readonly count: number | undefined
  /** To quote when asking for help. */
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(request: string, { status, problem, ...rest }: Answered) {
    const { code = 'unexpected-answer', title = `The answer was ${status}`, detail, errors = [], count } = problem ?? {}
    const faults = errors.map(({ pointer, detail: fault }) => `${pointer} ${fault}`).join('; ')
    super(
      `${request}: ${status} ${code}: ${[title, detail, detail === faults.replace(/^\//, '') ? '' : faults].filter(Boolean).join('. ')}`,
    )
    this.status = status
    this.code = code
    this.title = title
    this.detail = detail
    this.errors = errors
    this.count = count
    this.requestId = problem?.requestId ?? rest.requestId
    this.retryAfterSeconds = rest.retryAfterSeconds
  }
}

/** A read was not answered: the server was not reached, or not in time. `cause` tells more. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/**
 * The outcome of a change is not known, or its answer is not. With the outcome `unknown` it was made or not: a POST is called again
 * with the same arguments and this `idempotencyKey`, anything else may be called again. With `took-effect` it was made, and is
 * not to be repeated. `cause` is the last fault.
 */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError'
  readonly outcome: 'unknown' | 'took-effect'
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    options: { cause: unknown; outcome: 'unknown' | 'took-effect'; idempotencyKey: string | undefined },
  ) {
    super(message, { cause: options.cause })
    this.outcome = options.outcome
    this.idempotencyKey = options.idempotencyKey
  }
}
