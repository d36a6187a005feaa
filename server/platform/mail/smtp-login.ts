import { createHmac } from 'node:crypto'
import { replyLine, type WireReply } from './read-replies.ts'
import { type SmtpFailure, smtpFailure } from './smtp-failure.ts'
import type { SmtpServer } from './smtp-server.ts'
import type { WireBreak } from './smtp-wire.ts'

type Answer = WireReply | WireBreak
/** One line to the server, and its answer. */
type Command = (line: string) => Promise<Answer>
type Given = { username: string; secret: string; command: Command }

/** How a password that is an access token begins, as in HTTP (RFC 6750). */
const TOKEN = /^Bearer /i

/** In the order of preference: TLS keeps what each of them says, and PLAIN takes one round trip. */
const BY_PASSWORD: Readonly<Record<string, (given: Given) => Promise<Answer>>> = {
  async PLAIN({ username, secret, command }) {
    const initial = base64(`\0${username}\0${secret}`)
    const answer = await command(`AUTH PLAIN ${initial}`)
    return isChallenge(answer) ? command(initial) : answer
  },
  async LOGIN({ username, secret, command }) {
    const first = await command('AUTH LOGIN')
    if (!isChallenge(first)) return first
    const second = await command(base64(username))
    return isChallenge(second) ? command(base64(secret)) : second
  },
  /** RFC 2195. */
  async 'CRAM-MD5'({ username, secret, command }) {
    const challenge = await command('AUTH CRAM-MD5')
    if (!isChallenge(challenge)) return challenge
    const digest = createHmac('md5', secret).update(Buffer.from(challenge.text, 'base64')).digest('hex')
    return command(base64(`${username} ${digest}`))
  },
}

/**
 * Logs in by PLAIN, LOGIN or CRAM-MD5, whichever the server offers first in this order; an access token (`Bearer …`) goes
 * by XOAUTH2 and by nothing else. Null when the server has taken it.
 */
export async function logIn(to: {
  methods: readonly string[]
  login: NonNullable<SmtpServer['login']>
  command: Command
}): Promise<SmtpFailure | null> {
  const { methods, login, command } = to
  const password = login.password.reveal()
  const isToken = TOKEN.test(password)
  const known = isToken ? { XOAUTH2: presentToken } : BY_PASSWORD
  const method = Object.entries(known).find(([name]) => methods.includes(name))?.[1]
  if (method === undefined) return smtpFailure('auth_not_offered')
  const secret = isToken ? password.replace(TOKEN, '').trim() : password
  return failureOf(await method({ username: login.username, secret, command }))
}

/** XOAUTH2 as Google and Microsoft have it: a refusal is a challenge first, and the reply only after an empty line. */
async function presentToken({ username, secret, command }: Given): Promise<Answer> {
  const answer = await command(`AUTH XOAUTH2 ${base64(`user=${username}\u0001auth=Bearer ${secret}\u0001\u0001`)}`)
  return isChallenge(answer) ? command('') : answer
}

function failureOf(answer: Answer): SmtpFailure | null {
  if (answer === 'timeout') return smtpFailure('auth_timeout')
  if (typeof answer === 'string') return smtpFailure('auth_failed')
  const { code } = answer
  if (code === 235) return null
  // RFC 4954 section 6: 454 is temporary, 535 is wrong credentials, 530 and 538 ask for more than was offered.
  if (code >= 500) return smtpFailure('credentials_refused', replyLine(answer))
  return smtpFailure(code >= 400 ? 'auth_unavailable' : 'auth_failed', replyLine(answer))
}

function isChallenge(answer: Answer): answer is WireReply {
  return typeof answer !== 'string' && answer.code === 334
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
