import { openSmtp, type SmtpDeps } from '../../platform/mail/open-smtp.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { tellsSecret } from '../../platform/telemetry/tells-secret.ts'
import { CHECK_FAILURES, type CheckFailureCode, type CheckPhase } from './check-failures.ts'
import type { OpenedSecrets } from './integration-secrets.ts'
import type { SesSettings, Settings, SmtpSettings } from './integration-settings.ts'
import { readSesAccount } from './ses-account.ts'

/** The result of a check; `reply` is the server's refusing reply, `tlsVersion` null for clear text and for SES. */
export type CheckResult = {
  ok: boolean
  phase: CheckPhase | null
  code: 'ok' | CheckFailureCode
  message: string
  reply: string | null
  tlsVersion: string | null
  durationMs: number
}

export type CheckDeps = { mail: SmtpDeps; client: GuardedClient }

/** Covers a whole check, whatever the other side does. */
export const CHECK_DEADLINE_MS = 15_000

type Found = Partial<Omit<CheckResult, 'ok' | 'durationMs'>> & Pick<CheckResult, 'code'>

/** Connects as sending would, logs in, and sends nothing. Never throws for what the other side does. */
export async function checkServer(deps: CheckDeps, settings: Settings, secrets: OpenedSecrets): Promise<CheckResult> {
  const startedMs = performance.now()
  const found =
    settings.kind === 'smtp'
      ? await checkSmtp(deps.mail, settings, secrets.password)
      : await checkSes(deps.client, settings, secrets)
  const { code } = found
  const [phase, message] = code === 'ok' ? [null, ''] : CHECK_FAILURES[code]
  return {
    ok: code === 'ok',
    ...{ phase, message, tlsVersion: null },
    ...found,
    reply: withoutSecrets(found.reply ?? null, Object.values(secrets)),
    durationMs: Math.round(performance.now() - startedMs),
  }
}

async function checkSmtp(mail: SmtpDeps, settings: SmtpSettings, password: string | null): Promise<Found> {
  const { host, port, tls, username } = settings
  const login = username === null ? null : { username, password: new Secret(password ?? '') }
  const session = await openSmtp(mail, { host, port, tls, login }, { deadlineMs: CHECK_DEADLINE_MS })
  if (session.outcome === 'failed') return session
  const { tlsVersion } = session.wire
  session.wire.quit()
  const message = login ? 'The server accepts the login.' : 'The server begins a session without a login.'
  return { code: 'ok', message, tlsVersion }
}

async function checkSes(client: GuardedClient, settings: SesSettings, secrets: OpenedSecrets): Promise<Found> {
  const { region, endpoint } = settings
  const accessKeyId = new Secret(secrets.accessKeyId ?? '')
  const secretAccessKey = new Secret(secrets.secretAccessKey ?? '')
  const account = await readSesAccount(client, { region, endpoint, accessKeyId, secretAccessKey }, CHECK_DEADLINE_MS)
  if (account.outcome === 'failed') return account
  if (!account.sendingEnabled) return { code: 'sending_paused' }
  const sandbox = 'The account is in the sandbox: it can send to verified addresses only.'
  return { code: 'ok', message: account.sandbox ? sandbox : 'Amazon SES accepts the keys, and the account may send.' }
}

/** A server may say what it was told; a reply with a secret in it is not shown. */
function withoutSecrets(reply: string | null, secrets: readonly (string | null)[]): string | null {
  return reply !== null && secrets.some((secret) => secret !== null && tellsSecret(reply, secret)) ? null : reply
}
