import type { Provider } from '../../../catalogue/providers.ts'
import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { personOf } from '../message-source.ts'
import type { EventMessage } from './email-events.ts'

/** Signals that can come back of a message. */
export type MarkKind = 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'

export type Mark = { messageId: string; kind: MarkKind }
export type MarkedMessage = EventMessage & {
  createdAt: string
  kind: MarkKind
  isFirst: boolean
  provider: Provider | null
  sendingDomain: string | null
}

/**
 * Notes on messages what came back of them, now. Returns each mark with its message, `isFirst` when the message did not
 * have it before; a mark of a message that is not there is left out. A mark is evidence: an uncertain message was
 * accepted after all.
 */
export async function markMessages(
  tx: Transaction,
  workspaceId: string,
  marks: readonly Mark[],
): Promise<MarkedMessage[]> {
  if (marks.length === 0) return []
  const { rows } = await tx.query<MarkedMessage>({
    name: 'mark_messages',
    text: `with given as materialized (
        select distinct message_id, kind from unnest($2::int8[], $3::text[]) as g(message_id, kind)
      ), held as materialized (
        select m.* from messages m
        where m.workspace_id = $1 and m.id in (select message_id from given) order by m.id for update
      ), marked as (
        update messages m set
          opened_at = coalesce(m.opened_at, case when k.kinds ? 'opened' then now() end),
          clicked_at = coalesce(m.clicked_at, case when k.kinds ? 'clicked' then now() end),
          unsubscribed_at = coalesce(m.unsubscribed_at, case when k.kinds ? 'unsubscribed' then now() end),
          bounced_at = coalesce(m.bounced_at, case when k.kinds ? 'bounced' then now() end),
          complained_at = coalesce(m.complained_at, case when k.kinds ? 'complained' then now() end),
          state = case when m.state = 'uncertain' then 'accepted' else m.state end,
          reason = case when m.state = 'uncertain' then null else m.reason end
        from held h join lateral (select jsonb_agg(kind) as kinds from given where message_id = h.id) k on true
        where m.workspace_id = h.workspace_id and m.id = h.id and m.created_at = h.created_at
        returning m.id
      )
      select h.workspace_id as "workspaceId", h.id, h.created_at as "createdAt", h.purpose,
        h.source_kind as "sourceKind", h.source_id as "sourceId", h.metadata, ${personOf('h')} as "contactId", h.destination, h.provider, h.sending_domain as "sendingDomain", g.kind,
        case g.kind when 'opened' then h.opened_at when 'clicked' then h.clicked_at
          when 'unsubscribed' then h.unsubscribed_at when 'bounced' then h.bounced_at else h.complained_at end is null as "isFirst"
      from held h join given g on g.message_id = h.id join marked on marked.id = h.id order by h.id, g.kind`,
    values: [workspaceId, int8Array(marks.map(({ messageId }) => messageId)), textArray(marks.map(({ kind }) => kind))],
  })
  return rows
}
