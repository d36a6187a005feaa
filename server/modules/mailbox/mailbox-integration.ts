import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { SenderDeps } from '../sending/judge-sender.ts'
import { type CatcherAddress, isCatcher } from './catcher-address.ts'
import { mailboxOf } from './queries.ts'

/** The integration that leads to a workspace's mailbox; null without one. */
export async function mailboxIntegration(tx: Transaction, workspaceId: string): Promise<string | null> {
  const { rows } = await tx.query<{ id: string | null }>({
    name: 'mailbox_integration',
    text: 'select integration_id as id from mailboxes where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]?.id ?? null
}

/**
 * How senders are judged beside the service, which knows where its mailbox listens: by where the mailbox of the workspace
 * was the last time.
 */
export async function storedSender(
  { sql, secrets, isCopy }: { sql: pg.Pool; secrets: SecretBox; isCopy: boolean },
  workspaceId: string,
): Promise<SenderDeps> {
  const address = await storedAddress(sql, workspaceId)
  return {
    secrets,
    isCatcher: (integration) => isCatcher(address, integration),
    ...(isCopy ? { instead: mailboxIntegration } : {}),
  }
}

/** Where the mailbox of a workspace was the last time; undefined without one. */
export function storedAddress(sql: pg.Pool, workspaceId: string): Promise<CatcherAddress | undefined> {
  return mailboxOf(sql, workspaceId)
}
