import { notFound, wrongStatus } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { cancelMessages } from '../sending/ledger/cancel-messages.ts'
import { isSingle } from '../sending/ledger/surface.ts'
import { emailByIdStatement } from './email-queries.ts'
import { emailWithin } from './read-emails.ts'
import type { EmailDeps } from './send-emails.ts'

/**
 * Takes back a single message that is still queued. Throws 404 for an unknown one and for one that is not single, 409 when it
 * was sent, is being sent right now or came to another end.
 */
export async function cancelEmail(deps: Pick<EmailDeps, 'sql'>, caller: Caller, id: string) {
  const { workspaceId } = caller
  const [email] = await queryInScope(deps.sql, workspaceId, emailByIdStatement(workspaceId, id))
  if (!email || !isSingle(email)) throw notFound()
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    const canceled = await cancelMessages(tx, workspaceId, [email.id])
    if (canceled.length === 0)
      throw wrongStatus(
        `The message is ${email.status === 'queued' ? 'being sent' : email.status}; only a queued one can be canceled.`,
      )
    await recordAudit(tx, caller, { action: 'email.cancel', target: { type: 'email', id: email.id, name: null } })
    return emailWithin(tx, workspaceId, id)
  })
}
