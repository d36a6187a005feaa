import { connectFailureCode, tlsFailureCode } from '../../platform/mail/smtp-failure.ts'
import type { AnswerHeaders, Exchange } from '../../platform/net/exchange.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { Secret } from '../../platform/telemetry/secret.ts'
import type { CheckFailureCode } from './check-failures.ts'

/** Whose account is asked about, and where. */
export type SesLogin = { region: string; endpoint: string | null; accessKeyId: Secret; secretAccessKey: Secret }

/** What Amazon SES says of an account; a limit it does not have is null. */
export type SesAccount = {
  outcome: 'read'
  perSecond: number | null
  perDay: number | null
  sentLast24h: number
  /** Only to verified addresses may be sent. */
  sandbox: boolean
  /** False while Amazon has paused the account. */
  sendingEnabled: boolean
}

export type SesFailure = { outcome: 'failed'; code: CheckFailureCode; reply: string | null }

/** Covers signing, look-up, connection and the whole answer. */
const ACCOUNT_DEADLINE_MS = 10_000
const REPLY_CHARS_MAX = 200

/**
 * Asks Amazon SES (GetAccount, API v2) what the account may send. One request, never repeated, through the guarded
 * client: an endpoint of a customer's choice gets no further than a webhook would. The SDK signs and reads; it is loaded
 * when it is first needed (measured beside what runs: 40 to 130 ms and 8 MB), and what it would take from this machine's environment is given.
 */
export async function readSesAccount(
  client: GuardedClient,
  login: SesLogin,
  deadlineMs = ACCOUNT_DEADLINE_MS,
): Promise<SesAccount | SesFailure> {
  const { GetAccountCommand, SESv2Client } = await import('@aws-sdk/client-sesv2')
  let exchange: Exchange | undefined
  const ses = new SESv2Client({
    region: login.region,
    endpoint: login.endpoint ?? amazonEndpoint(login.region),
    credentials: { accessKeyId: login.accessKeyId.reveal(), secretAccessKey: login.secretAccessKey.reveal() },
    maxAttempts: 1,
    retryMode: 'standard',
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    requestHandler: {
      async handle(request: SignedRequest) {
        exchange = await client.send({ ...outgoing(request), deadlineMs, wholeAnswer: true })
        if (exchange.outcome !== 'answered') throw new Error('no answer')
        const { status, headers, bodyExcerpt } = exchange
        return { response: { statusCode: status, headers: flat(headers), body: Buffer.from(bodyExcerpt) } as never }
      },
    },
  })
  try {
    const { SendQuota, ProductionAccessEnabled, SendingEnabled } = await ses.send(new GetAccountCommand({}))
    if (SendQuota?.Max24HourSend === undefined || SendQuota.MaxSendRate === undefined) throw new Error('no quota')
    return {
      outcome: 'read',
      perSecond: limitOf(SendQuota.MaxSendRate, 1),
      perDay: limitOf(SendQuota.Max24HourSend, 0),
      sentLast24h: Math.max(0, Math.round(SendQuota.SentLast24Hours ?? 0)),
      sandbox: ProductionAccessEnabled === false,
      sendingEnabled: SendingEnabled !== false,
    }
  } catch (error) {
    if (exchange === undefined) throw error
    return failureOf(exchange, error as { name?: string })
  } finally {
    ses.destroy()
  }
}

/** What the SDK hands to its way out. */
type SignedRequest = {
  method: string
  protocol: string
  hostname: string
  port?: number
  path: string
  query?: Record<string, string | string[] | null>
  headers: Record<string, string>
}

/** Written by the guarded client itself, the first with the value that was signed. */
const FRAMING = new Set(['host', 'content-length', 'connection'])

function outgoing({ method, protocol, hostname, port, path, headers }: SignedRequest) {
  if (method !== 'GET') throw new Error(`${method} is not a read`)
  const origin = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}`
  const sent = Object.entries(headers).filter(([name]) => !FRAMING.has(name.toLowerCase()))
  return { method, url: origin + path, headers: Object.fromEntries(sent) } as const
}

function flat(headers: AnswerHeaders = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))
}

/** AWS General Reference, Amazon SES endpoints; China is a partition of its own. */
function amazonEndpoint(region: string): string {
  return `https://email.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

const LIMIT_MAX = 2 ** 31 - 1

/** A limit as a whole number; SES says -1 for none. Throws for what is no number. */
function limitOf(value: number, min: number): number | null {
  if (!Number.isFinite(value)) throw new Error('not a limit')
  return value < 0 ? null : Math.min(LIMIT_MAX, Math.max(min, Math.floor(value)))
}

function failureOf(exchange: Exchange, error: { name?: string }): SesFailure {
  if (exchange.outcome !== 'answered') return { outcome: 'failed', code: unansweredCode(exchange), reply: null }
  const { status } = exchange
  const name = error.name ?? ''
  // The name of the error, as its header gives it: texts of an endpoint of somebody's choice are shown to nobody.
  const reply = status >= 400 && /^\w{1,80}$/.test(name) ? `${status} ${name}`.slice(0, REPLY_CHARS_MAX) : null
  return { outcome: 'failed', code: answeredCode(status, name), reply }
}

function unansweredCode(exchange: Exclude<Exchange, { outcome: 'answered' }>): CheckFailureCode {
  if (exchange.outcome === 'refused') return 'address_refused'
  const { reason, detail } = exchange
  switch (reason) {
    case 'dns':
      return detail === 'not_found'
        ? 'host_not_found'
        : detail === 'timeout'
          ? 'host_lookup_timeout'
          : 'host_lookup_failed'
    case 'timeout':
      return detail === 'connecting'
        ? 'connection_timeout'
        : detail === 'handshaking'
          ? 'tls_timeout'
          : 'account_timeout'
    case 'tls':
      return tlsFailureCode(detail)
    case 'protocol':
      return 'not_ses'
    case 'connection':
      return connectFailureCode(detail)
  }
}

function answeredCode(status: number, name: string): CheckFailureCode {
  if (status < 400) return 'not_ses'
  if (status === 429 || /Throttl|TooManyRequests/.test(name)) return 'provider_throttled'
  if (status >= 500) return 'provider_unavailable'
  if (/AccessDenied/.test(name)) return 'permission_missing'
  if (status === 401 || status === 403) return 'keys_refused'
  return 'not_ses'
}
