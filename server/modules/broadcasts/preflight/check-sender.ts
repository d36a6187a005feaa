import type { SecretBox } from '../../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { integrationFor, type SendingIntegration } from '../../integrations/sending-integration.ts'
import { signingKeyFor } from '../../sending-domains/signing-key.ts'
import type { BroadcastContent } from '../queries.ts'
import type { Check } from './preflight-schemas.ts'

export type SenderDeps = {
  /** Opens the secrets of integrations and the private keys of sending domains. */
  secrets: SecretBox
  /** Whether the integration keeps mail on this machine, for which a domain need not be verified. */
  isCatcher: (integration: SendingIntegration) => boolean
}

type Sender = Pick<BroadcastContent, 'integrationId' | 'fromEmail'>

/** Faults of the way a broadcast leaves: nothing to send it through, or a domain that nobody can verify it by. */
export async function checkSender(
  tx: Transaction,
  deps: SenderDeps,
  { workspaceId, integrationId, fromEmail }: Sender & { workspaceId: string },
): Promise<Check[]> {
  const error = { severity: 'error', line: null } as const
  const choice = await integrationFor(tx, deps.secrets, { workspaceId, integrationId })
  if (choice.outcome === 'none') {
    const detail =
      choice.reason === 'integration_disabled'
        ? 'The integration it is sent through is switched off.'
        : 'There is no integration to send it through: choose one, or make one the default.'
    return [{ ...error, code: choice.reason, field: 'integrationId', detail }]
  }
  const { integration } = choice
  const address = fromEmail ?? integration.from
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const staysHere = deps.isCatcher(integration)
  if ((await signingKeyFor(tx, deps.secrets, { workspaceId, domain, staysHere })) !== undefined) return []
  const detail = `${domain} is not a verified sending domain, so that mail from ${address} cannot be signed.`
  return [{ ...error, code: 'unverified_domain', field: 'fromEmail', detail }]
}
