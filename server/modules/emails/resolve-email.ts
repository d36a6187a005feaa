import { notFound, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { acceptMessage } from '../sending/ledger/accept-uncertain.ts'
import { retryMessage } from '../sending/ledger/requeue-messages.ts'
import { isSingle } from '../sending/ledger/surface.ts'
import { emailByIdStatement } from './email-queries.ts'
import { emailWithin } from './read-emails.ts'
import type { EmailDeps } from './send-emails.ts'

export type ResolveDeps = Pick<EmailDeps, 'sql'>

/**
 * Decides what is to be taken of a single message whose fate nobody knows: that it was sent, or that it goes out again,
 * which may have it arrive twice. Throws 404 for an unknown one and for one that is not single, 409 when it is not uncertain.
 */
export async function resolveEmail(
  deps: ResolveDeps,
  caller: Caller,
  { id, as }: { id: string; as: 'sent' | 'retry' },
) {
  const { workspaceId } = caller
  const [email] = await queryInScope(deps.sql, workspaceId, emailByIdStatement(workspaceId, id))
  if (!email || !isSingle(email)) throw notFound()
  const message = { workspaceId, id: email.id, createdAt: email.createdAt }
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const resolved = as === 'sent' ? await acceptMessage(tx, message) : await retryMessage(tx, message)
    if (!resolved) {
      const now = email.status === 'uncertain' ? 'decided on already' : email.status
      throw wrongStatus(`The message is ${now}; only an uncertain one can be decided on.`)
    }
    await recordAudit(tx, caller, {
      action: 'email.resolve',
      target: { type: 'email', id: email.id, name: null },
      diff: { status: { from: 'uncertain', to: as === 'sent' ? 'sent' : 'queued' } },
    })
    return emailWithin(tx, workspaceId, id)
  })
}
