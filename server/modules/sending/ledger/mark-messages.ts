import type { Provider } from '../../../catalogue/providers.ts'
import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { personOf } from '../message-source.ts'
import type { EventMessage } from './email-events.ts'

/** Signals that can come back of a message. */
export type MarkKind = 'opened' | 'clicked' | 'unsubscribed' | 'bounced' | 'complained'

/** `at` is when it came back, where that is noted later; now by default. */
export type Mark = { messageId: string; kind: MarkKind; at?: string }
export type MarkedMessage = EventMessage & {
  createdAt: string
  kind: MarkKind
  isFirst: boolean
  provider: Provider | null
  sendingDomain: string | null
}

/**
 * Notes on messages what came back of them. Returns each mark with its message, `isFirst` when the message did not
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
        select message_id, kind, coalesce(min(at), now()) as at
        from unnest($2::int8[], $3::text[], $4::text[]::timestamptz[]) as g(message_id, kind, at) group by 1, 2
      ), held as materialized (
        select m.* from messages m
        where m.workspace_id = $1 and m.id in (select message_id from given) order by m.id for update
      ), marked as (
        update messages m set
          opened_at = coalesce(m.opened_at, k.opened),
          clicked_at = coalesce(m.clicked_at, k.clicked),
          unsubscribed_at = coalesce(m.unsubscribed_at, k.unsubscribed),
          bounced_at = coalesce(m.bounced_at, k.bounced),
          complained_at = coalesce(m.complained_at, k.complained),
          state = case when m.state = 'uncertain' then 'accepted' else m.state end,
          reason = case when m.state = 'uncertain' then null else m.reason end
        from held h join lateral (
          select max(at) filter (where kind = 'opened') as opened,
            max(at) filter (where kind = 'clicked') as clicked,
            max(at) filter (where kind = 'unsubscribed') as unsubscribed,
            max(at) filter (where kind = 'bounced') as bounced,
            max(at) filter (where kind = 'complained') as complained
          from given where message_id = h.id) k on true
        where m.workspace_id = h.workspace_id and m.id = h.id and m.created_at = h.created_at
        returning m.id
      )
      select h.workspace_id as "workspaceId", h.id, h.created_at as "createdAt", h.purpose,
        h.source_kind as "sourceKind", h.source_id as "sourceId", h.metadata, ${personOf('h')} as "contactId", h.destination, h.provider, h.sending_domain as "sendingDomain", g.kind,
        case g.kind when 'opened' then h.opened_at when 'clicked' then h.clicked_at
          when 'unsubscribed' then h.unsubscribed_at when 'bounced' then h.bounced_at else h.complained_at end is null as "isFirst"
      from held h join given g on g.message_id = h.id join marked on marked.id = h.id order by h.id, g.kind`,
    values: [
      workspaceId,
      int8Array(marks.map(({ messageId }) => messageId)),
      textArray(marks.map(({ kind }) => kind)),
      textArray(marks.map(({ at }) => at ?? null)),
    ],
  })
  return rows
}
