/** One field at fault: an RFC 6901 pointer into the body, and what is wrong with it. */
export type FieldFault = { pointer: string; detail: string }

/** Something that needs what was to be deleted. */
export type Use = { type: string; id: string; name: string }

type Parts = {
  status: number
  code: string
  title: string
  detail?: string | undefined
  errors?: readonly FieldFault[] | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  usedBy?: readonly Use[] | undefined
}

/** An answer that is no success, or none at all (`status` 0). */
export class SiteProblem extends Error {
  override readonly name = 'SiteProblem'
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string | undefined
  readonly errors: readonly FieldFault[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  readonly usedBy: readonly Use[]

  constructor(parts: Parts) {
    super(parts.detail ?? parts.title)
    this.status = parts.status
    this.code = parts.code
    this.title = parts.title
    this.detail = parts.detail
    this.errors = parts.errors ?? []
    this.requestId = parts.requestId
    this.retryAfterSeconds = parts.retryAfterSeconds
    this.usedBy = parts.usedBy ?? []
  }

  /** Whether the same request may succeed in a moment. */
  get passes(): boolean {
    return (
      this.code === 'request-in-flight' ||
      this.status === 0 ||
      this.status === 429 ||
      this.status === 502 ||
      this.status === 503
    )
  }
}

export function isProblem(error: unknown, status?: number): error is SiteProblem {
  return error instanceof SiteProblem && (status === undefined || error.status === status)
}

const ANOTHER_ROLE = 'An owner or admin can give you another one.'

/** Reads the problem of a response (RFC 9457); something in between may have answered without one. */
export async function problemOf(response: Response): Promise<SiteProblem> {
  const body = await bodyOf(response)
  const text = (name: string) => (typeof body[name] === 'string' ? (body[name] as string) : undefined)
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new SiteProblem({
    status: response.status,
    code: text('code') ?? `http-${response.status}`,
    title: text('title') ?? `The server answered ${response.status}`,
    // Which permission it is tells a program more than a person.
    detail: text('code') === 'missing-permission' ? ANOTHER_ROLE : text('detail'),
    errors: Array.isArray(body.errors) ? (body.errors as FieldFault[]) : [],
    requestId: text('requestId') ?? response.headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(wait) ? wait : undefined,
    usedBy: Array.isArray(body.usedBy) ? (body.usedBy as Use[]) : [],
  })
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json()
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export function noAnswer(): SiteProblem {
  return new SiteProblem({
    status: 0,
    code: 'no-answer',
    title: 'The server cannot be reached',
    detail: 'There was no answer. Try again in a moment.',
  })
}
