import type { SMTPServerOptions, SMTPServerSession } from 'smtp-server'
import { MINUTE_MS } from '../../platform/durations.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { isClientGone, smtpError } from '../../platform/mail/smtp-listener.ts'
import { ReceivingRoom, type Room } from '../../platform/receiving-room.ts'
import { ConnectionShares } from '../auth/connection-shares.ts'
import type { GuardParts } from '../auth/guard.ts'
import { tokenSubject } from '../auth/limit-requests.ts'
import { type LoggedIn, type LogIn, logIn, tokenThatSends } from './log-in.ts'
import { type Received, ROOM_BYTES, receiveMail, SHARE_BYTES } from './receive-mail.ts'
import { type SubmissionServer, TLS_FIRST } from './submission-server.ts'
import { type TakeInDeps, type TakenIn, takeInSubmission } from './take-in-submission.ts'
import { shareKey, TokenShares } from './token-shares.ts'

export type SubmissionDeps = TakeInDeps & {
  guard: GuardParts
  onSubmission: (outcome: TakenIn['outcome'] | 'failed') => void
  onError: (error: unknown) => void
}

export const MAIL_BYTES_MAX = 10 * 1024 * 1024
export const RECIPIENTS_MAX = 50
/** Of one network, before they have logged in; a pool of an application opens a few at once. */
export const STRANGERS_MAX = 20
const LOGIN_FAILURES_MAX = 3
/** From the connection to the login, whatever is said in between. */
const LOGIN_TIMEOUT_MS = MINUTE_MS
/** Of one mail's content, however slowly it comes. */
const CONTENT_TIMEOUT_MS = 10 * MINUTE_MS
const AWAY = '4.3.0 Not now, try again'
/** Relics that the server answers for fun, and what proxies say of others. */
export const NO_COMMANDS = ['WIZ', 'SHELL', 'KILL', 'XCLIENT', 'XFORWARD']

type Handlers = Required<
  Pick<SMTPServerOptions, 'onConnect' | 'onSecure' | 'onAuth' | 'onMailFrom' | 'onRcptTo' | 'onData' | 'onClose'>
>

export type TalkOptions = { clearLogin: boolean; connectionsPerToken: number }

/** Everything that is said on a listener's connections. */
export class SubmissionTalk {
  readonly #deps: SubmissionDeps
  readonly #clearLogin: boolean
  readonly #shares = new ConnectionShares(STRANGERS_MAX)
  readonly #room = new ReceivingRoom(ROOM_BYTES)
  readonly #tokens: TokenShares
  readonly #strangers = new Map<string, NodeJS.Timeout>()
  readonly #failures = new Map<string, number>()

  constructor(deps: SubmissionDeps, { clearLogin, connectionsPerToken }: TalkOptions) {
    this.#deps = deps
    this.#tokens = new TokenShares(connectionsPerToken)
    this.#clearLogin = clearLogin
  }

  handlers(server: () => SubmissionServer): Handlers {
    const hangUp = (session: SMTPServerSession, text: string) => server().connectionOf(session)?.send(421, text)
    return {
      onConnect: (session, done) => {
        if (!this.#shares.admit(session)) return done(smtpError(421, '4.7.0 Too many connections of yours'))
        this.#strangers.set(
          session.id,
          setTimeout(() => hangUp(session, '4.7.0 No login in time'), LOGIN_TIMEOUT_MS).unref(),
        )
        if (!session.secure && !this.#clearLogin) session.disabledCommands = [...NO_COMMANDS, 'AUTH']
        done()
      },
      onSecure: (_socket, session, done) => {
        session.disabledCommands = undefined
        done()
      },
      onAuth: ({ username, password }, session, done) => {
        const given = { username: username ?? '', password: password ?? '', ip: session.remoteAddress }
        logIn({ sql: this.#deps.sql, guard: this.#deps.guard }, given).then(
          (result) => {
            // Gone before it was let in: nobody would give its share back.
            if (!server().connectionOf(session)) return done(smtpError(421, '4.4.2 Connection lost'))
            const refusal = this.#noteLogin(result, session)
            done(refusal, result.outcome === 'in' ? { user: result.user } : undefined)
          },
          (error) => done(this.#failed(error, 454)),
        )
      },
      onMailFrom: (_address, session, done) => {
        this.#admitMail(session).then(
          (refusal) => done(refusal),
          (error) => done(this.#failed(error, 451)),
        )
      },
      onRcptTo: ({ address }, { envelope }, done) => {
        if (normaliseEmail(address) === undefined) return done(smtpError(553, '5.1.3 No address that mail can go to'))
        done(envelope.rcptTo.length < RECIPIENTS_MAX ? null : smtpError(452, '4.5.3 Too many recipients'))
      },
      onData: (stream, session, done) => {
        const timer = setTimeout(() => hangUp(session, '4.4.2 Too slow'), CONTENT_TIMEOUT_MS).unref()
        const recipients = recipientsOf(session)
        receiveMail(stream, this.#roomOf(session), MAIL_BYTES_MAX)
          .finally(() => clearTimeout(timer))
          .then((received) => this.#takeIn(received, recipients, session))
          .then(
            (answer) => (typeof answer === 'string' ? done(null, answer) : done(answer)),
            (error) => {
              this.#deps.onSubmission('failed')
              done(this.#failed(error, 451))
            },
          )
      },
      onClose: (session) => {
        this.#forget(session)
        const user = session.user as LoggedIn | undefined
        if (user) this.#tokens.leave(user.facts, session.id)
      },
    }
  }

  #noteLogin(result: LogIn, session: SMTPServerSession): Error | null {
    if (result.outcome === 'in') {
      if (!this.#tokens.admit(result.user.facts, session.id))
        return smtpError(421, '4.7.0 Too many connections with this token')
      this.#forget(session)
      return null
    }
    const failures = (this.#failures.get(session.id) ?? 0) + 1
    this.#failures.set(session.id, failures)
    return result.outcome === 'too_many' || failures >= LOGIN_FAILURES_MAX
      ? smtpError(421, '4.7.0 Too many failed logins')
      : smtpError(535, '5.7.8 The password is an API token with the scope emails:send, the user name is postroom')
  }

  #roomOf(session: SMTPServerSession): Room {
    return this.#room.of([{ of: shareKey((session.user as LoggedIn).facts), bytesMax: SHARE_BYTES }])
  }

  /** One that has logged in, or has gone, is no stranger any more. */
  #forget(session: SMTPServerSession): void {
    this.#shares.leave(session)
    clearTimeout(this.#strangers.get(session.id))
    this.#strangers.delete(session.id)
    this.#failures.delete(session.id)
  }

  /** Why no mail is taken from the session now; null: it is. */
  async #admitMail(session: SMTPServerSession): Promise<Error | null> {
    const user = session.user as LoggedIn | undefined
    // Where a login is possible the server asks for it by itself.
    if (!user) return smtpError(530, TLS_FIRST)
    const { guard } = this.#deps
    const facts = await tokenThatSends(guard, user.token)
    if (facts === undefined) return smtpError(421, '4.7.0 The token is no longer valid')
    if (this.#roomOf(session).lacks(1)) return smtpError(452, '4.3.1 Too much mail at once, try again')
    const spent = guard.limits.admit(NO_HEADERS, 'api', tokenSubject(facts.workspaceId, facts.actor.id))
    if (spent) return smtpError(451, '4.7.1 Too many requests with this token, try again in a minute')
    return null
  }

  /** The text of a 250, or why the mail was not taken. */
  async #takeIn(
    received: Received,
    recipients: readonly string[],
    session: SMTPServerSession,
  ): Promise<string | Error> {
    if (received.outcome === 'too_large') return smtpError(552, `5.3.4 More than ${MAIL_BYTES_MAX} bytes`)
    if (received.outcome === 'no_room') return smtpError(452, '4.3.1 Too much mail at once, try again')
    try {
      const { guard, onSubmission } = this.#deps
      const facts = await tokenThatSends(guard, (session.user as LoggedIn).token)
      if (facts === undefined) return smtpError(421, '4.7.0 The token is no longer valid')
      guard.uses.note({ workspaceId: facts.workspaceId, id: facts.actor.id })
      const from = { requestId: session.id, ip: session.remoteAddress, userAgent: null }
      const taken = await takeInSubmission(this.#deps, { ...facts, ...from }, { raw: received.raw, recipients })
      onSubmission(taken.outcome)
      return answerTo(taken)
    } finally {
      received.release()
    }
  }

  #failed(error: unknown, code: number): Error {
    if (!isClientGone(error)) this.#deps.onError(error)
    return smtpError(code, AWAY)
  }
}

/** Limits of the API tell of themselves in headers, which there are none of here. */
const NO_HEADERS = { headers: () => undefined }

function recipientsOf({ envelope }: SMTPServerSession): string[] {
  return [...new Set(envelope.rcptTo.flatMap(({ address }) => normaliseEmail(address) ?? []))]
}

function answerTo(taken: TakenIn): string | Error {
  if (taken.outcome !== 'refused') return `2.0.0 Queued ${taken.id}`
  return taken.reason === 'sender' ? smtpError(550, `5.7.1 ${taken.detail}`) : smtpError(554, `5.6.0 ${taken.detail}`)
}
