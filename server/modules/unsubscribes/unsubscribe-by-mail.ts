import type pg from 'pg'
import { retrying } from '../../platform/db/retry.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import type { MessageKey } from '../sending/ledger/message-codes.ts'
import { sendingSourceOf } from '../sending/ledger/refusal.ts'
import { ORIGIN, type Origin } from '../sending/message-source.ts'
import { unsubscribe } from './unsubscribe.ts'

/**
 * Unsubscribes whom a message went to from what it is of, as its link does: somebody wrote to the address in its header.
 * False when the message, or the person, is no more, or it is of nothing that can be stopped. A repeat changes nothing.
 */
export function unsubscribeByMail(sql: pg.Pool, { workspaceId, messageId }: MessageKey): Promise<boolean> {
  const act = async (tx: Transaction) => {
    const { rows } = await tx.query<Origin & { destination: string }>({
      name: 'message_to_unsubscribe',
      text: `select m.destination, ${ORIGIN} from messages m where m.workspace_id = $1 and m.id = $2`,
      values: [workspaceId, messageId],
    })
    const [message] = rows
    if (!message || message.destination === '') return false
    const sendingSource = sendingSourceOf(message)
    if (sendingSource === null) return false
    const { destination } = message
    await unsubscribe(tx, workspaceId, { destination, sendingSource, messageId, byWhom: 'person', ip: null })
    return true
  }
  return retrying(() => inTransaction(sql, workspaceId, act))
}
