import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { domainOf } from '../../platform/mail/mail-address.ts'
import { type Choice, integrationFor, type SendingIntegration } from '../integrations/sending-integration.ts'
import { signableDomains } from '../sending-domains/signable-domains.ts'

export type SenderDeps = {
  /** Opens the secrets of integrations and the private keys of sending domains. */
  secrets: SecretBox
  /** Whether the integration keeps mail on this machine, for which a domain need not be verified. */
  isCatcher: (integration: SendingIntegration) => boolean
  /** Of a copy: the integration that everything of a workspace goes through, whatever was chosen; null without one. */
  instead?(tx: Transaction, workspaceId: string): Promise<string | null>
}

/** Faults of the way mail leaves: nothing to send it through, or a sender that nobody could verify. */
export type SenderFault =
  | { reason: 'no_integration' | 'integration_disabled' }
  | { reason: 'unverified_domain'; address: string; domain: string; isKnown: boolean; isIntegrations: boolean }

export type Sender = { workspaceId: string; integrationId: string | null; fromEmail: string | null }

/** The fault that keeps mail of a sender from leaving, as a turn would find it now; undefined: none. */
export async function judgeSender(
  tx: Transaction,
  deps: SenderDeps,
  { fromEmail, ...at }: Sender,
): Promise<SenderFault | undefined> {
  const judge = await senderJudge(tx, deps, { ...at, fromEmails: [fromEmail] })
  return judge(fromEmail)
}

/**
 * The same for many that leave the same way. A from address of null is that of the integration; one of a domain that the
 * workspace does not have is at fault whatever there is to send through.
 */
export async function senderJudge(
  tx: Transaction,
  deps: SenderDeps,
  given: { workspaceId: string; integrationId: string | null; fromEmails: readonly (string | null)[] },
): Promise<(fromEmail: string | null) => SenderFault | undefined> {
  const { workspaceId, fromEmails } = given
  const choice = await chosen(tx, deps, given)
  const integration = choice.outcome === 'found' ? choice.integration : undefined
  const addresses = [...fromEmails, integration?.from ?? null].filter((address) => address !== null)
  const domains = await signableDomains(tx, workspaceId, [...new Set(addresses.map(domainAt))])
  const staysHere = integration !== undefined && deps.isCatcher(integration)
  return (fromEmail) => {
    const address = fromEmail ?? integration?.from
    const state = address === undefined ? undefined : domains.get(domainAt(address))
    if (address !== undefined && (state === undefined || (integration && state === 'unverified' && !staysHere))) {
      const facts = { address, domain: domainAt(address), isKnown: state !== undefined }
      return { reason: 'unverified_domain', ...facts, isIntegrations: fromEmail === null }
    }
    return choice.outcome === 'none' ? { reason: choice.reason } : undefined
  }
}

/** The sender whom readers will see, and the integration it goes through; null as long as there is none. */
export type ShownSender = { integrationId: string | null; fromEmail: string | null; fromName: string | null }

/** Sender that mail shows, as a turn would find it now. A fault of the way is not told: `judgeSender` judges that. */
export async function shownSender(
  tx: Transaction,
  deps: SenderDeps,
  { workspaceId, ...said }: { workspaceId: string } & ShownSender,
): Promise<ShownSender> {
  const choice = await chosen(tx, deps, { workspaceId, integrationId: said.integrationId })
  if (choice.outcome === 'none') return said
  const { id, from, fromName } = choice.integration
  return { integrationId: id, fromEmail: said.fromEmail ?? from, fromName: said.fromName ?? fromName }
}

const domainAt = (address: string) => domainOf(address).toLowerCase()

async function chosen(
  tx: Transaction,
  deps: SenderDeps,
  { workspaceId, integrationId }: { workspaceId: string; integrationId: string | null },
): Promise<Choice> {
  const id = deps.instead ? await deps.instead(tx, workspaceId) : integrationId
  if (deps.instead && id === null) return { outcome: 'none', reason: 'no_integration' }
  return integrationFor(tx, deps.secrets, { workspaceId, integrationId: id })
}
