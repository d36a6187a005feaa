import type pg from 'pg'
import type { AbandonedSessions } from './abandoned-sessions.ts'
import { cancelStatement } from './cancel-statement.ts'
import { DatabaseClient } from './database-hosts.ts'

export type SessionOptions = pg.ClientConfig & {
  /** How long a statement may take that states no `query_timeout` of its own. */
  answerWithinMs: number
  abandoned: AbandonedSessions
}

/** The limit to give the server for a statement that its caller waits so long for. */
export function serverLimitMs(withinMs: number): number {
  return Math.max(1, withinMs - SERVER_EARLIER_MS)
}

type Done = (error: Error | undefined, result?: unknown) => void
type Statement = pg.QueryConfig & { query_timeout?: number }
type Release = (error?: Error | boolean) => void

/** Begins a transaction, or says something of the session: it is over at once. */
const SETS_OUT = /^\s*(begin|start|set|reset|commit|rollback)\b/i
/** The server's word is this much earlier than the caller's patience: the session then stays in use. */
const SERVER_EARLIER_MS = 100

const SETS = /^\s*(set|reset)\b/i
const BEGIN = /^\s*(begin|start)\b/i
const COMMIT = /^\s*commit\b/i

/**
 * A connection of a pool, whose place stays taken as long as the server is at work for it. A statement that takes longer
 * than its caller waits fails, and with it the session: nothing is sent through it any more. Closing the connection would
 * not end what the server does (it notices at its next word to the client), and the pool would open another one: in a
 * stall of all writes a process had 195 sessions after 40 s. So the session is given back to the pool when the server has
 * answered everything, or is found to have it no more; meanwhile the statement is cancelled, unless it may be a commit,
 * whose wait for a standby a cancellation cuts short. One that commits by itself the server is told to end in time: its
 * limit is the statement's alone, never the commit's.
 */
export class Session extends DatabaseClient {
  readonly #answerWithinMs: number
  readonly #abandoned: AbandonedSessions
  readonly #unanswered = new Set<{ text: string | undefined; fail: (error: Error) => void }>()
  readonly #quiet = Promise.withResolvers<void>()
  #failure: Error | undefined
  #isCancellable = false
  #release: Release = () => undefined

  constructor(options: SessionOptions) {
    super(options)
    this.#answerWithinMs = options.answerWithinMs
    this.#abandoned = options.abandoned
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's forms, of which there are seven.
  override query(...given: any[]): any {
    const [asked, values] = given
    if (typeof asked?.submit === 'function') return super.query(asked)
    const statement: Statement = typeof asked === 'string' ? { text: asked } : { ...asked }
    if (Array.isArray(values)) statement.values = values
    const callback: unknown = given.at(-1)
    if (typeof callback === 'function') return this.#ask(statement, callback as Done)
    return new Promise((resolve, reject) => {
      this.#ask(statement, (error, result) => (error ? reject(error) : resolve(result)))
    }).catch((error: Error) => {
      // The stack of the caller, as the driver has it, not that of the socket.
      Error.captureStackTrace(error)
      throw error
    })
  }

  #ask({ query_timeout: withinMs = this.#answerWithinMs, ...statement }: Statement, done: Done): void {
    if (this.#failure) {
      done(this.#failure)
      return
    }
    const timer = setTimeout(() => this.#abandon(new Error('Query read timeout')), withinMs)
    const one = {
      text: statement.text,
      fail(error: Error) {
        clearTimeout(timer)
        tell(error)
      },
    }
    let tell = (error: Error | undefined, result?: unknown) => {
      tell = () => undefined
      done(error, result)
    }
    const limits = this.#isOutside() && !SETS_OUT.test(statement.text ?? '')
    this.#unanswered.add(one)
    this.#gather()
    // Neither is anybody's to wait for: where they fail, so does the statement.
    if (limits) super.query(`set statement_timeout = ${serverLimitMs(withinMs)}`, () => undefined)
    super.query(statement, (error: Error | undefined, result: unknown) => {
      clearTimeout(timer)
      this.#unanswered.delete(one)
      tell(error ?? undefined, result)
      if (this.#failure && this.#unanswered.size === 0) this.#leave()
    })
    if (limits) super.query('reset statement_timeout', () => undefined)
  }

  /** Statements that are sent together leave in one piece: each by itself is a call of the system here, and one at the server. */
  #gather(): void {
    const { stream } = this.connection
    if (stream.writableCorked > 0) return
    stream.cork()
    queueMicrotask(() => stream.uncork())
  }

  /** Whether no transaction is open, nor will be when what was sent has been answered. */
  #isOutside(): boolean {
    return this.getTransactionStatus() === 'I' && [...this.#unanswered].every(({ text = '' }) => SETS.test(text))
  }

  /** Has what is under way fail for `reason`, as where it takes longer than its caller waits. For reading: a commit may still go through. */
  giveUp(reason: Error): void {
    if (this.#failure) return
    this.#abandon(reason)
    if (this.#unanswered.size === 0) this.#leave()
  }

  #abandon(failure: Error): void {
    this.#failure = failure
    const texts = [...this.#unanswered].map(({ text = '' }) => text)
    // The answer to a begin may not have been read yet.
    const isInside = this.getTransactionStatus() === 'T' || BEGIN.test(texts[0] ?? '')
    this.#isCancellable = isInside && !texts.some((text) => COMMIT.test(text))
    for (const one of this.#unanswered) one.fail(failure)
    this.#abandoned.add(this)
    this.cancel()
  }

  /** Asks the server to end what nobody waits for, unless that may be a commit. One that comes between two statements it does not heed. */
  cancel(): void {
    if (this.#isCancellable) cancelStatement(this)
  }

  #leave(): void {
    this.#abandoned.delete(this)
    this.#quiet.resolve()
  }

  /** Set by the pool each time it hands the session out, called by whoever had it. */
  set release(release: Release) {
    this.#release = release
  }

  get release(): Release {
    const release = this.#release
    return (error) => {
      if (this.#failure === undefined) return release(error)
      void this.#quiet.promise.then(() => release(this.#failure))
    }
  }

  /** Ends the connection without a word: the server has it no more, or nobody waits for what it does. */
  cutOff(): void {
    this.connection.stream.destroy()
  }
}
