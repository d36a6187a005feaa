import type { GetAccountCommandOutput } from '@aws-sdk/client-sesv2'
import { connectFailureCode, tlsFailureCode } from '../../platform/mail/smtp-failure.ts'
import type { Exchange } from '../../platform/net/exchange.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { CheckFailureCode } from './check-failures.ts'
import { createSesClient, type SesLogin } from './ses-client.ts'

/** The statement of Amazon SES about an account; a limit it does not have is null. */
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

/** Asks Amazon SES (GetAccount, API v2) what the account may send. One request, never repeated. */
export async function readSesAccount(
  client: GuardedClient,
  login: SesLogin,
  deadlineMs = ACCOUNT_DEADLINE_MS,
): Promise<SesAccount | SesFailure> {
  const { GetAccountCommand } = await import('@aws-sdk/client-sesv2')
  const ses = await createSesClient(client, login)
  try {
    const answer = await ses.call<GetAccountCommandOutput>(new GetAccountCommand({}), deadlineMs)
    if (answer.outcome === 'failed') return failureOf(answer.exchange, answer.error)
    return accountOf(answer.output) ?? { outcome: 'failed', code: 'not_ses', reply: null }
  } finally {
    ses.close()
  }
}

/** Undefined for an answer that names no limits. */
function accountOf(output: GetAccountCommandOutput): SesAccount | undefined {
  const { SendQuota, ProductionAccessEnabled, SendingEnabled } = output
  const perSecond = limitOf(SendQuota?.MaxSendRate, 1)
  const perDay = limitOf(SendQuota?.Max24HourSend, 0)
  if (perSecond === undefined || perDay === undefined) return undefined
  return {
    outcome: 'read',
    perSecond,
    perDay,
    sentLast24h: Math.max(0, Math.round(SendQuota?.SentLast24Hours ?? 0)),
    sandbox: ProductionAccessEnabled === false,
    sendingEnabled: SendingEnabled !== false,
  }
}

const LIMIT_MAX = 2 ** 31 - 1

/** A limit as a whole number, null for none, of which SES says -1; undefined for what is no number. */
function limitOf(value: number | undefined, min: number): number | null | undefined {
  if (value === undefined || !Number.isFinite(value)) return undefined
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
