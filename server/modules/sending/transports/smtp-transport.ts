import { openSmtp, type SmtpDeps } from '../../../platform/mail/open-smtp.ts'
import { sessionEnd } from '../../../platform/mail/session-end.ts'
import type { SmtpServer } from '../../../platform/mail/smtp-server.ts'
import { transact, type WireEnding } from '../../../platform/mail/smtp-transaction.ts'
import type { SmtpWire } from '../../../platform/mail/smtp-wire.ts'
import { SessionLimit } from './session-limit.ts'
import { handoverOf, sessionEnded, unopened } from './smtp-handover.ts'
import type { Handing, Handover, Transport } from './transport.ts'

/** Connections to a server at once, of this process. A server that takes fewer is met with fewer. */
export const CONNECTIONS_MAX = 20
/** New sessions that one message is offered over, each at once after the one before was ended unasked. */
const NEW_SESSIONS_MAX = 2
/** An idle connection is closed by us before most servers would (Amazon SES: 10 s). */
export const IDLE_MS = 8_000
/** How long fewer connections are tried after one more was refused. */
const FEWER_MS = 10_000
/** After an opening failed: how long its failure is the answer to everybody, at first and at most. */
const PAUSE_MS = { first: 1_000, most: 30_000 }

const CLOSED: Handover = { outcome: 'unsent', cause: 'transport_closed', message: 'The service is stopping.' }

type Connection = {
  wire: SmtpWire
  /** Offered over it so far. */
  messages: number
  /** The server takes no more over it. */
  isSpent: boolean
  idleTimer: NodeJS.Timeout | undefined
}
type Waiting = { resolve: (got: Connection | Handover) => void; reject: (error: unknown) => void }

/**
 * Sends through a mail server over connections that are kept. They are opened as messages wait; while none opens, each
 * message is answered with the failure, and the server is asked again after a pause, not once a message.
 */
export function createSmtpTransport(deps: SmtpDeps, server: SmtpServer): Transport {
  return new SmtpTransport(deps, server)
}

class SmtpTransport implements Transport {
  readonly provider = 'smtp'
  readonly concurrency = CONNECTIONS_MAX
  readonly #deps: SmtpDeps
  readonly #server: SmtpServer
  readonly #idle: Connection[] = []
  readonly #waiting: Waiting[] = []
  /** Open ones, idle or not, until the socket is closed. */
  readonly #connections = new Set<Connection>()
  readonly #limit = new SessionLimit()
  #opening = 0
  #underWay = 0
  #fewer = { max: CONNECTIONS_MAX, until: 0 }
  #failed: { answer: Handover; until: number; pauseMs: number } | undefined
  #closed = false
  #ended: (() => void) | undefined

  constructor(deps: SmtpDeps, server: SmtpServer) {
    this.#deps = deps
    this.#server = server
  }

  async send(handing: Handing): Promise<Handover> {
    this.#underWay += 1
    try {
      for (let newSessions = 0; ; ) {
        const got = await this.#acquire()
        if ('outcome' in got) return got
        const isNew = got.messages === 0
        if (isNew) newSessions += 1
        const { ending, isSessionEnd } = await this.#offer(got, handing)
        if (!isSessionEnd) return handoverOf(ending, this.#server.login)
        // Each further turn uses up a connection that has carried others, or one of the few new ones.
        if (isNew && newSessions >= NEW_SESSIONS_MAX) return sessionEnded(ending)
      }
    } finally {
      this.#underWay -= 1
      this.#endWhenDone()
    }
  }

  /** Offers the message over a connection, and tells whether the server has ended the session instead of answering for it. */
  async #offer(over: Connection, handing: Handing): Promise<{ ending: WireEnding; isSessionEnd: boolean }> {
    const carried = over.messages
    over.messages += 1
    try {
      const ending = await transact(over.wire, handing)
      // The server had closed it while it was idle.
      if (ending.outcome === 'unsent') return { ending, isSessionEnd: carried > 0 && ending.silent }
      const end = ending.outcome === 'refused' ? sessionEnd(ending.reply, carried) : null
      if (end === null) return { ending, isSessionEnd: false }
      over.isSpent = true
      this.#limit.endedAfter(carried, end === 'said', performance.now())
      return { ending, isSessionEnd: true }
    } finally {
      this.#release(over)
    }
  }

  async close(withinMs?: number): Promise<void> {
    this.#closed = true
    const deadline = withinMs === undefined ? undefined : setTimeout(() => this.#tearDown(), withinMs)
    await new Promise<void>((resolve) => {
      this.#ended = resolve
      this.#endWhenDone()
    })
    clearTimeout(deadline)
  }

  #tearDown(): void {
    this.#answerAll(CLOSED)
    for (const { wire } of this.#connections) wire.destroy()
  }

  #acquire(): Promise<Connection | Handover> {
    if (this.#closed) return Promise.resolve(CLOSED)
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      clearTimeout(idle.idleTimer)
      // A server that speaks unasked says that it is about to close.
      if (idle.wire.broken === null && idle.wire.unread === 0) return Promise.resolve(idle)
      idle.wire.destroy()
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#openMore()
    })
  }

  #release(connection: Connection): void {
    const { wire } = connection
    if (wire.broken !== null) return
    const next = this.#waiting[0]
    const isSpent = connection.isSpent || connection.messages >= this.#limit.at(performance.now())
    if (isSpent || wire.unread > 0 || (this.#closed && next === undefined)) wire.quit()
    else if (next !== undefined) {
      this.#waiting.shift()
      next.resolve(connection)
    } else {
      this.#idle.push(connection)
      connection.idleTimer = setTimeout(() => {
        this.#idle.splice(this.#idle.indexOf(connection), 1)
        wire.quit()
      }, IDLE_MS)
    }
  }

  #openMore(): void {
    const now = performance.now()
    if (this.#connections.size === 0) {
      // One alone finds out whether the server is there and lets us in: a wrong password is tried once, not twenty times.
      const failed = this.#failed !== undefined && now < this.#failed.until ? this.#failed : undefined
      if (failed !== undefined) this.#answerAll(failed.answer)
      else if (this.#opening === 0 && this.#waiting.length > 0) void this.#openOne()
      return
    }
    const { max, until } = this.#fewer
    const connectionsMax = now < until ? max : CONNECTIONS_MAX
    while (this.#opening < this.#waiting.length && this.#connections.size + this.#opening < connectionsMax)
      void this.#openOne()
  }

  async #openOne(): Promise<void> {
    this.#opening += 1
    try {
      const session = await openSmtp(this.#deps, this.#server).finally(() => {
        this.#opening -= 1
      })
      if (session.outcome === 'open')
        this.#take({ wire: session.wire, messages: 0, isSpent: false, idleTimer: undefined })
      else this.#openFailed(unopened(session, this.#server.login))
    } catch (error) {
      this.#waiting.shift()?.reject(error)
      this.#openMore()
    }
    this.#endWhenDone()
  }

  #take(connection: Connection): void {
    this.#failed = undefined
    this.#connections.add(connection)
    connection.wire.onClose(() => {
      this.#connections.delete(connection)
      clearTimeout(connection.idleTimer)
      const at = this.#idle.indexOf(connection)
      if (at !== -1) this.#idle.splice(at, 1)
      this.#openMore()
      this.#endWhenDone()
    })
    this.#release(connection)
    this.#openMore()
  }

  #openFailed(answer: Handover): void {
    const now = performance.now()
    if (this.#connections.size > 0) {
      // It takes no more than it has: those serve who waits.
      this.#fewer = { max: this.#connections.size, until: now + FEWER_MS }
      return
    }
    const pauseMs = Math.min(PAUSE_MS.most, this.#failed === undefined ? PAUSE_MS.first : this.#failed.pauseMs * 2)
    this.#failed = { answer, until: now + pauseMs, pauseMs }
    this.#answerAll(answer)
  }

  #answerAll(answer: Handover): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(answer)
  }

  #endWhenDone(): void {
    if (!this.#closed || this.#underWay > 0) return
    for (const { wire, idleTimer } of this.#idle.splice(0)) {
      clearTimeout(idleTimer)
      wire.quit()
    }
    if (this.#connections.size === 0 && this.#opening === 0) this.#ended?.()
  }
}
