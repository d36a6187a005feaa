import type { Provider } from '../../catalogue/providers.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { SmtpServer } from '../../platform/mail/smtp-server.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { type IntegrationRow, integrationOf } from './integration-of.ts'
import { type OpenedSecrets, openSecrets } from './integration-secrets.ts'
import { integrationByIdStatement, integrationsToChooseFromStatement } from './queries.ts'
import type { SesLogin } from './ses-client.ts'

/** An enabled integration with all that sending through it needs, its secrets opened. */
export type SendingIntegration = {
  workspaceId: string
  id: string
  provider: Provider
  from: string
  fromName: string | null
  /** Changes with every setting, and not with limits the provider was asked for. */
  updatedAt: string
  /** The limits that hold now; null without one. */
  perSecond: number | null
  perDay: number | null
  /** Where messages are handed over; exactly the one of the provider is there. */
  smtp: SmtpServer | null
  ses: SesLogin | null
}

export type Choice =
  | { outcome: 'found'; integration: SendingIntegration }
  | { outcome: 'none'; reason: 'no_integration' | 'integration_disabled' }

/**
 * The integration that messages go through: the one that was chosen; without a choice the channel's default, or the
 * only enabled one of a workspace that marked none. A default that is switched off is not replaced by another: its
 * owner said through what to send.
 */
export async function integrationFor(
  tx: Transaction,
  box: SecretBox,
  { workspaceId, integrationId }: { workspaceId: string; integrationId: string | null },
): Promise<Choice> {
  const statement =
    integrationId === null
      ? integrationsToChooseFromStatement(workspaceId)
      : integrationByIdStatement({ workspaceId, id: integrationId })
  const { rows } = await tx.query(statement)
  const [first, second] = rows
  if (first === undefined) return { outcome: 'none', reason: 'no_integration' }
  if (!first.enabled) return { outcome: 'none', reason: 'integration_disabled' }
  const ambiguous = integrationId === null && !first.isDefault && second?.enabled === true
  if (ambiguous) return { outcome: 'none', reason: 'no_integration' }
  return { outcome: 'found', integration: sendingIntegrationOf(box, workspaceId, first) }
}

function sendingIntegrationOf(box: SecretBox, workspaceId: string, row: IntegrationRow): SendingIntegration {
  const { id, provider, from, fromName, updatedAt } = row
  const { perSecond, perDay } = integrationOf(row).sendLimit
  const secrets = openSecrets(box, { workspaceId, id }, row)
  return {
    ...{ workspaceId, id, provider, from, fromName, updatedAt },
    perSecond: perSecond.limit,
    perDay: perDay.limit,
    smtp: provider === 'smtp' ? smtpServerOf(row, secrets) : null,
    ses: provider === 'ses' ? sesLoginOf(row, secrets) : null,
  }
}

/** The table's constraints vouch for the fields of a kind. */
function smtpServerOf({ host, port, tls, username }: IntegrationRow, { password }: OpenedSecrets): SmtpServer {
  const login = username === null ? null : { username, password: new Secret(password ?? '') }
  return { host: host!, port: port!, tls: tls!, login }
}

function sesLoginOf({ region, endpoint }: IntegrationRow, { accessKeyId, secretAccessKey }: OpenedSecrets): SesLogin {
  return {
    ...{ region: region!, endpoint },
    accessKeyId: new Secret(accessKeyId!),
    secretAccessKey: new Secret(secretAccessKey!),
  }
}
