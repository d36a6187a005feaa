import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { createReturnPaths } from '../../server/modules/feedback/return-path.ts'
import type { MessageKey } from '../../server/modules/sending/ledger/message-codes.ts'
import { createMessageIds } from '../../server/modules/sending/ledger/message-ids.ts'
import { createUnsubscribeAddresses } from '../../server/modules/unsubscribes/unsubscribe-address.ts'
import { unsubscribeByMail } from '../../server/modules/unsubscribes/unsubscribe-by-mail.ts'
import { type SecretKeys, secretKeys } from '../../server/platform/crypto/secret-box.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'

export const BOUNCE_DOMAIN = 'bounces.example.com'

export type Sent = { workspaceId: string; messageId: string; returnPath: string; messageIdHeader: string }

/** Messages that were accepted, and what is told of them; `counted` is what metrics were given. */
export function feedbackWorld(pool: pg.Pool, keys: SecretKeys = secretKeys([{ id: 'k1', key: randomBytes(32) }])) {
  const counted: string[] = []
  const mails: string[] = []
  const returnPaths = createReturnPaths({ keys, bounceDomain: BOUNCE_DOMAIN })
  const messageIds = createMessageIds({ keys })
  const unsubscribeAddresses = createUnsubscribeAddresses({ keys, bounceDomain: BOUNCE_DOMAIN })
  const scoped = <R extends pg.QueryResultRow>(workspaceId: string, text: string, values: unknown[] = []) =>
    queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
  return {
    counted,
    mails,
    scoped,
    deps: {
      sql: pool,
      onFeedback: (told: { provider: string; status: string }) => void counted.push(`${told.provider} ${told.status}`),
      onMail: (outcome: string) => void mails.push(outcome),
      returnPaths,
      messageIds,
      unsubscribes: {
        read: unsubscribeAddresses.read,
        stop: (message: MessageKey) => unsubscribeByMail(pool, message),
      },
    },
    unsubscribeAddresses,
    /** A message that its server has taken. */
    async sent(workspaceId: string, destination: string, fields: { providerMessageId?: string } = {}): Promise<Sent> {
      const [row] = await scoped<{ id: string }>(
        workspaceId,
        `insert into messages (workspace_id, purpose, source_kind, destination, state, settled_at, provider, sending_domain,
           provider_message_id)
         values ($1, 'transactional', 'email', $2, 'accepted', now(), 'smtp', 'shop.example', $3) returning id`,
        [destination, fields.providerMessageId ?? null],
      )
      const key = { workspaceId, messageId: row!.id }
      const messageIdHeader = `<${messageIds.of(key, 'shop.example')}>`
      return { ...key, returnPath: returnPaths.of(key)!, messageIdHeader }
    },
    /** The bounces and complaints of a workspace that are in the log. */
    async events(workspaceId: string) {
      const rows = await queryInScope<{ type: string; email: string; data: string; contact_id: string | null }>(
        pool,
        '*',
        {
          text: `select type, email, contact_id, data::text as data from outbox
          where workspace_id = $1 and type in ('email.bounced', 'email.complained') order by tx, position`,
          values: [workspaceId],
        },
      )
      return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }))
    },
    /** Marks on a message. */
    async marks({ workspaceId, messageId }: Sent): Promise<string[]> {
      const [row] = await scoped<{ bounced: boolean; complained: boolean }>(
        workspaceId,
        `select bounced_at is not null as bounced, complained_at is not null as complained from messages
         where workspace_id = $1 and id = $2`,
        [messageId],
      )
      return Object.entries(row!).flatMap(([mark, is]) => (is ? [mark] : []))
    },
  }
}
