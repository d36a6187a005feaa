import { type Dispatcher, errors } from 'undici'
import { AnswerTooLargeError, type Connection, type Connections } from './connections.ts'
import { EXCERPT_BYTES_MAX, excerptText } from './excerpt.ts'
import type { UrlRefusal } from './url-guard.ts'

/** `connection`: could not be made, or broke. `protocol`: what came back is no HTTP/1.1 answer within the limits. */
export type FailureReason = 'timeout' | 'dns' | 'connection' | 'tls' | 'protocol'

/**
 * How an attempt ended. `detail` is a short code for the log (`ECONNREFUSED`, `awaiting_answer`); neither it nor
 * `message` ever contains a resolved address.
 */
export type Exchange =
  | {
      outcome: 'answered'
      status: number
      /** The header as it came, cut to 64 characters; null without one. */
      retryAfter: string | null
      /** Beginning of the body as text, at most `EXCERPT_BYTES_MAX` bytes of UTF-8; more of a whole answer. */
      bodyExcerpt: string
      /** Names in lower case; of a whole answer only. */
      headers?: AnswerHeaders
      durationMs: number
    }
  | { outcome: 'refused'; reason: UrlRefusal; message: string; durationMs: number }
  | { outcome: 'failed'; reason: FailureReason; detail: string; durationMs: number }

export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

/** An exchange on a connection; its duration is the client's to add. */
export type Ending =
  | { outcome: 'answered'; status: number; retryAfter: string | null; bodyExcerpt: string; headers?: AnswerHeaders }
  | { outcome: 'failed'; reason: FailureReason; detail: string }
  /** The connection ended before a byte of the request was written: only this may be sent again. */
  | { outcome: 'unsent' }

export type ExchangeRequest = {
  method?: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: Uint8Array
  timeoutMs: number
  wholeAnswer?: boolean
  answerBytesMax?: number
}

/** The body is read to here at most, unless its request says otherwise; beyond it the connection is torn down and the status stands. */
export const ANSWER_BODY_BYTES_MAX = 16 * 1024
/**
 * Everything an answer may be on the wire: several times what headers and body may be together. It ends what grows
 * without being either: an endless reason phrase, an endless chunk extension.
 */
export const ANSWER_BYTES_MAX = 256 * 1024
/** Informational answers (100 to 199) one request may draw. */
export const INFORMATIONAL_ANSWERS_MAX = 16
const RETRY_AFTER_CHARACTERS_MAX = 64

/**
 * One request on a connection the caller holds; the connection is released or torn down when the promise settles.
 * Rejects when the request itself is malformed (a header value with a line break), which is the caller's bug.
 *
 * The treatment by undici of a connection that the peer closes while idle: before writing on a reused socket it yields one
 * turn of the event loop and reads, so a FIN that is already here is seen, and the request, still unwritten, goes out
 * on a fresh connection by itself. An ECONNRESET found at that point fails the request instead, equally unwritten:
 * that is `unsent`. Once written, a request is never written again: undici fails what runs on a broken socket, and
 * nothing here sends twice. A receiver that closed just as the request left therefore costs one attempt, with the
 * detail `closed_when_reused`; it may have acted on what it got.
 */
export function exchange(connections: Connections, connection: Connection, request: ExchangeRequest): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const attempt = new Attempt(connections, connection, { resolve, reject })
    attempt.start(request)
  })
}

type Settle = { resolve: (ending: Ending) => void; reject: (error: Error) => void }

/** Lives from the dispatch of a request to its ending; undici calls it as the answer arrives. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #connections: Connections
  readonly #connection: Connection
  readonly #settle: Settle
  #timer: NodeJS.Timeout | undefined
  #settled = false
  #written = false
  #informationalAnswers = 0
  #wholeAnswer = false
  #keptBytesMax = EXCERPT_BYTES_MAX
  #bodyBytesMax = ANSWER_BODY_BYTES_MAX
  #headers: AnswerHeaders | undefined
  #status = 0
  #retryAfter: string | null = null
  #kept: Buffer | undefined
  #bodyBytes = 0

  constructor(connections: Connections, connection: Connection, settle: Settle) {
    this.#connections = connections
    this.#connection = connection
    this.#settle = settle
  }

  start({ method = 'POST', path, headers, body, timeoutMs, ...wanted }: ExchangeRequest): void {
    const { wholeAnswer = false, answerBytesMax = ANSWER_BODY_BYTES_MAX } = wanted
    this.#wholeAnswer = wholeAnswer
    this.#bodyBytesMax = answerBytesMax
    if (wholeAnswer) this.#keptBytesMax = answerBytesMax
    this.#timer = setTimeout(() => this.#expire(), timeoutMs)
    this.#connection.client.dispatch({ method, path, headers, body: body ?? null }, this)
  }

  onRequestStart(): void {
    this.#written = true
    const { socket } = this.#connection
    if (socket !== undefined) this.#connection.bytesReadMax = socket.bytesRead + ANSWER_BYTES_MAX + this.#bodyBytesMax
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) {
      this.#informationalAnswers += 1
      if (this.#informationalAnswers > INFORMATIONAL_ANSWERS_MAX) this.#fail('protocol', 'informational_answers')
      return
    }
    this.#status = status
    if (this.#wholeAnswer) this.#headers = headers
    const header = headers['retry-after']
    const value = Array.isArray(header) ? header[0] : header
    if (typeof value === 'string') this.#retryAfter = value.slice(0, RETRY_AFTER_CHARACTERS_MAX)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return
    this.#keep(chunk)
    this.#bodyBytes += chunk.length
    if (this.#bodyBytes <= this.#bodyBytesMax) return
    this.#end(this.#answered())
    this.#connections.discard(this.#connection)
  }

  onResponseEnd(): void {
    if (this.#settled) return
    this.#end(this.#answered())
    this.#connections.release(this.#connection)
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#settled) return
    if (error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError) {
      this.#settle.reject(error)
      this.#fail('protocol', error.code)
      return
    }
    const { phase, reused } = this.#connection
    if (reused && !this.#written) {
      this.#end({ outcome: 'unsent' })
      this.#connections.discard(this.#connection)
      return
    }
    const { reason, detail } = classify(error, phase)
    const closedWhenReused = reason === 'connection' && reused && this.#status === 0
    this.#fail(reason, closedWhenReused ? 'closed_when_reused' : detail)
  }

  /** Copies what is still wanted: the chunk is a view into undici's read buffer, which holding it would keep alive. */
  #keep(chunk: Buffer): void {
    const room = this.#keptBytesMax - this.#bodyBytes
    if (room <= 0) return
    const wanted = chunk.length > room ? chunk.subarray(0, room) : chunk
    if (this.#kept === undefined) {
      this.#kept = Buffer.from(wanted)
      return
    }
    const total = this.#bodyBytes + wanted.length
    if (total > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#keptBytesMax, Math.max(total, this.#kept.length * 2)))
      this.#kept.copy(grown)
      this.#kept = grown
    }
    wanted.copy(this.#kept, this.#bodyBytes)
  }

  #answered(): Ending {
    const keptBytes = Math.min(this.#bodyBytes, this.#keptBytesMax)
    const bodyExcerpt =
      this.#kept === undefined ? '' : excerptText(this.#kept.subarray(0, keptBytes), this.#keptBytesMax)
    const answer = { outcome: 'answered' as const, status: this.#status, retryAfter: this.#retryAfter, bodyExcerpt }
    return this.#headers === undefined ? answer : { ...answer, headers: this.#headers }
  }

  #expire(): void {
    const { phase } = this.#connection
    this.#fail('timeout', phase === 'open' ? (this.#status === 0 ? 'awaiting_answer' : 'reading_answer') : phase)
  }

  #fail(reason: FailureReason, detail: string): void {
    this.#end({ outcome: 'failed', reason, detail })
    this.#connections.discard(this.#connection)
  }

  #end(ending: Ending): void {
    this.#settled = true
    clearTimeout(this.#timer)
    this.#settle.resolve(ending)
  }
}

/** Names a failure by how far the connection had come. Only codes leave: messages of the system carry addresses. */
function classify(error: Error, phase: Connection['phase']): { reason: FailureReason; detail: string } {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  if (phase === 'handshaking') return { reason: 'tls', detail: code }
  if (phase === 'connecting') return { reason: 'connection', detail: code }
  if (error instanceof errors.HeadersOverflowError) return { reason: 'protocol', detail: 'headers_too_large' }
  if (error instanceof AnswerTooLargeError) return { reason: 'protocol', detail: 'answer_too_large' }
  if (error instanceof errors.ResponseContentLengthMismatchError || error instanceof errors.HTTPParserError) {
    return { reason: 'protocol', detail: 'malformed_answer' }
  }
  if (error instanceof errors.SocketError && /^bad (response|upgrade)$/.test(error.message)) {
    return { reason: 'protocol', detail: error.message.replace(' ', '_') }
  }
  return { reason: 'connection', detail: code === 'UND_ERR_SOCKET' ? 'closed_by_receiver' : code }
}
