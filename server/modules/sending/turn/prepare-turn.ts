import type pg from 'pg'
import type { SecretBox } from '../../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { domainOf } from '../../../platform/mail/mail-address.ts'
import { integrationFor, type SendingIntegration } from '../../integrations/sending-integration.ts'
import { type SigningKey, signingKeyFor } from '../../sending-domains/signing-key.ts'
import { enterHold } from '../holds.ts'
import type { SendTurn } from '../lanes.ts'
import type { MessageSource, SourceKind } from '../message-source.ts'
import type { HoldReason } from '../message-states.ts'

export type PrepareDeps = {
  pool: pg.Pool
  secrets: SecretBox
  sources: ReadonlyMap<SourceKind, MessageSource>
  /** Whether mail handed to it never leaves this machine, so that it may be signed by a key that is not published. */
  isCatcher(integration: SendingIntegration): boolean
  /** Of a copy: the integration that everything of a workspace goes through, whatever was chosen; null without one. */
  instead?(tx: Transaction, workspaceId: string): Promise<string | null>
}

/** The sender, and the integration its messages go through. `isRetry`: the stream is held, and this turn tries again. */
export type Sending = {
  integration: SendingIntegration
  sender: { email: string; name: string | null }
  isRetry: boolean
}

export type Prepared =
  | ({ outcome: 'goes' } & Sending)
  | { outcome: 'held'; reason: HoldReason }
  /** Another turn was held, and nobody tries again before the end of its pause. */
  | { outcome: 'waits'; leftMs: number }

/**
 * Settles once a turn what its messages go through, and whether they may try to. The key of a message's own domain is
 * looked up with `keyFor`: single messages may each have a from address of their own.
 */
export async function prepareTurn(deps: PrepareDeps, turn: SendTurn): Promise<Prepared> {
  const { workspaceId, sourceKind, sourceId } = turn
  return inTransaction(deps.pool, workspaceId, async (tx) => {
    const chosen = await deps.sources.get(sourceKind)!.senderOf(tx, workspaceId, sourceId)
    const integrationId = deps.instead ? await deps.instead(tx, workspaceId) : chosen.integrationId
    if (deps.instead && integrationId === null) return { outcome: 'held', reason: 'no_integration' }
    const choice = await integrationFor(tx, deps.secrets, { workspaceId, integrationId })
    if (choice.outcome === 'none') return { outcome: 'held', reason: choice.reason }
    const { integration } = choice
    const sender = { email: chosen.fromEmail ?? integration.from, name: chosen.fromName ?? integration.fromName }
    // A source with a stream of its own has one sender: where that cannot sign, nobody's turn comes.
    const key = sourceId !== null ? await keyIn(tx, deps, integration, sender.email) : null
    if (key === undefined) return { outcome: 'held', reason: 'unverified_domain' }
    const entry = await enterHold(tx, turn, integration.updatedAt)
    return entry.outcome === 'waits' ? entry : { ...entry, integration, sender }
  })
}

/** The key that signs mail from an address through an integration; undefined while its domain is not verified. */
export function keyFor(
  deps: PrepareDeps,
  integration: SendingIntegration,
  from: string,
): Promise<SigningKey | undefined> {
  return inTransaction(deps.pool, integration.workspaceId, (tx) => keyIn(tx, deps, integration, from))
}

function keyIn(tx: Transaction, deps: PrepareDeps, integration: SendingIntegration, from: string) {
  const named = { workspaceId: integration.workspaceId, domain: domainOf(from).toLowerCase() }
  return signingKeyFor(tx, deps.secrets, { ...named, staysHere: deps.isCatcher(integration) })
}
