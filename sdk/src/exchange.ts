import type { Options } from './call.ts'
import { AnswerLostError, NoAnswerError, PostroomError } from './errors.ts'
import { leavesOpen, mayHaveTakenEffect, pauseBefore, retryAfterSeconds } from './retry.ts'

/** An attempt that has ended, for logs and measurements. */
export type Attempt = {
  method: string
  url: string
  /** From 1. */
  attempt: number
  /** Undefined without an answer. */
  status: number | undefined
  requestId: string | undefined
  error: unknown
  durationMs: number
  /** How long is waited for the next attempt; undefined when there is none. */
  retryInMs: number | undefined
}

/** The world outside: exchanged in tests, and where a platform has its own. */
export type Surroundings = {
  fetch: typeof fetch
  /** Waits between attempts. */
  pause: (ms: number, signal?: AbortSignal) => Promise<void>
  onAttempt: ((attempt: Attempt) => void) | undefined
}

export type Outgoing = {
  method: string
  url: string
  headers: Headers
  body: NonNullable<RequestInit['body']> | undefined
  idempotencyKey: string | undefined
}

const TIMEOUT_MS = 30_000
const RETRIES = 2
const RETRIES_MAX = 5
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const GONE = new Response(null, { status: 204 })

/** Those of a call that concern its attempts. */
export type Limits = { [Name in 'retries' | 'timeoutMs' | 'deadlineMs' | 'signal']: Options[Name] | undefined }

type Reading<Result> = (response: Response) => Promise<Result>
type Ended<Result> = { result: Result; status: number } | { fault: unknown; answer: PostroomError | undefined }

/** Sends a request until it is answered for good, in as many attempts as it may have. */
export async function exchange<Result>(
  { fetch, pause, onAttempt }: Surroundings,
  request: Outgoing,
  { options, read }: { options: Limits; read: Reading<Result> },
): Promise<Result> {
  const { deadlineMs = Number.POSITIVE_INFINITY, timeoutMs = TIMEOUT_MS, signal } = options
  const endsAtMs = Date.now() + deadlineMs
  const retries = request.body instanceof ReadableStream ? 0 : retriesOf(options)
  let isUncertain = false
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const startedMs = Date.now()
    const leftMs = Math.min(timeoutMs, endsAtMs - startedMs)
    const ended = await attemptOnce(fetch, request, { read, signal, leftMs })
    const { answer, fault } = 'fault' in ended ? ended : { answer: undefined, fault: undefined }
    const pauseMs = 'fault' in ended && attempt <= retries ? pauseBefore(attempt, answer, Math.random()) : undefined
    const retryInMs = pauseMs !== undefined && Date.now() + pauseMs < endsAtMs ? pauseMs : undefined
    const { method, url } = request
    const status = 'status' in ended ? ended.status : answer?.status
    const durationMs = Date.now() - startedMs
    onAttempt?.({
      ...{ method, url, attempt, status, requestId: answer?.requestId },
      error: fault,
      durationMs,
      retryInMs,
    })
    if (!('fault' in ended)) return ended.result
    if (signal?.aborted) throw signal.reason
    // It is no more, as it was to be: an attempt before may have done it.
    if (isUncertain && method === 'DELETE' && answer?.status === 404) return await read(GONE.clone())
    if (retryInMs === undefined) throw faultOf(request, ended, isUncertain)
    isUncertain ||= mayHaveTakenEffect(answer)
    await pause(retryInMs, signal)
  }
}

function retriesOf({ retries = RETRIES }: Limits): number {
  if (!(retries >= 0 && retries <= RETRIES_MAX)) throw new RangeError(`retries is 0 to ${RETRIES_MAX}`)
  return retries
}

type How<Result> = { read: Reading<Result>; signal: AbortSignal | undefined; leftMs: number }

async function attemptOnce<Result>(
  fetch: Surroundings['fetch'],
  { method, url, headers, body }: Outgoing,
  { read, signal, leftMs }: How<Result>,
): Promise<Ended<Result>> {
  const ending = new AbortController()
  const stop = () => ending.abort(signal!.reason)
  let isFile = false
  signal?.addEventListener('abort', stop)
  const timer = setTimeout(() => ending.abort(new DOMException('It was not answered in time', 'TimeoutError')), leftMs)
  try {
    const init = { method, headers, redirect: 'manual' as const, signal: ending.signal }
    const isStream = body instanceof ReadableStream
    const response = await fetch(url, {
      ...init,
      ...(body === undefined ? {} : { body }),
      ...(isStream ? { duplex: 'half' } : {}),
    })
    if (response.ok) {
      const result = await read(response)
      // Its bytes are read after the call, and can be given up until the end.
      isFile = result instanceof Response
      return { result, status: response.status }
    }
    const answer = await errorOf(response, `${method} ${url}`)
    return { fault: answer, answer }
  } catch (fault) {
    return fault instanceof PostroomError ? { fault, answer: fault } : { fault, answer: undefined }
  } finally {
    clearTimeout(timer)
    if (!isFile) signal?.removeEventListener('abort', stop)
  }
}

async function errorOf(response: Response, request: string): Promise<PostroomError> {
  const { status, headers } = response
  const text = await response.text()
  const isProblem = /^application\/problem\+json/.test(headers.get('content-type') ?? '')
  const requestId = headers.get('x-request-id') ?? undefined
  const seconds = retryAfterSeconds(headers.get('retry-after'), Date.now())
  const problem = isProblem ? JSON.parse(text) : undefined
  return new PostroomError(request, { status, problem, requestId, retryAfterSeconds: seconds })
}

/** The error of a call that has no attempt left. */
function faultOf(
  { method, url, idempotencyKey }: Outgoing,
  { fault, answer }: { fault: unknown; answer: PostroomError | undefined },
  isUncertain: boolean,
): unknown {
  const request = `${method} ${url}`
  if (answer?.code === 'idempotent-answer-lost') {
    const message = `${request} took effect, and its answer is lost: ${answer.detail ?? ''}`
    return new AnswerLostError(message, { cause: answer, outcome: 'took-effect', idempotencyKey })
  }
  if (READS.has(method)) return answer ?? new NoAnswerError(`${request} was not answered`, { cause: fault })
  if (answer && !mayHaveTakenEffect(answer) && !(isUncertain && leavesOpen(answer))) return answer
  const message = `${request}: whether it took effect is not known (${answer?.code ?? 'no answer'})`
  return new AnswerLostError(message, { cause: fault, outcome: 'unknown', idempotencyKey })
}
