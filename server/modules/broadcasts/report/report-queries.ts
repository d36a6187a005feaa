import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable } from '../../../platform/db/transaction.ts'
import type { ExaminedRow } from '../../../platform/schema/paging.ts'
import { personOf } from '../../sending/message-source.ts'
import type { HoldReason } from '../../sending/message-states.ts'
import type { BroadcastKey } from '../queries.ts'
import type { Recipient, RecipientsFileQuery } from './report-schemas.ts'

/** Why the stream of a broadcast waits although it is open. */
export async function holdOf(tx: Queryable, { workspaceId, id }: BroadcastKey): Promise<HoldReason | null> {
  const { rows } = await tx.query<{ reason: HoldReason | null }>({
    name: 'hold_of_broadcast',
    text: `select s.hold_reason as reason from send_streams s
      where s.workspace_id = $1 and s.source_kind = 'broadcast' and s.source_id = $2`,
    values: [workspaceId, id],
  })
  return rows[0]?.reason ?? null
}

/**
 * Messages that one page looks at, at most: what is rare among millions is found over several pages, each of which is
 * answered at once.
 */
export const EXAMINED_MAX = 50_000

/** The last row examined is among them, whether it fits or not: there the next page begins. */
export type RecipientRow = Omit<Recipient, 'rule'> & ExaminedRow

type Search = {
  key: BroadcastKey
  filter: RecipientsFileQuery
  afterId: string
  limit: number
}

const MARK_COLUMNS = {
  opened: 'opened_at',
  clicked: 'clicked_at',
  unsubscribed: 'unsubscribed_at',
  bounced: 'bounced_at',
  complained: 'complained_at',
} as const

export function recipientsOfStatement({ key, filter, afterId, limit }: Search): Statement<RecipientRow> {
  const values: unknown[] = [key.workspaceId, key.id, afterId, limit]
  const value = (item: unknown) => `$${values.push(item)}`
  const conditions = ['true']
  if (filter.state !== undefined) conditions.push(`m.state = ${value(filter.state)}`)
  if (filter.reason !== undefined) conditions.push(`m.reason = ${value(filter.reason)}`)
  if (filter.destination !== undefined) conditions.push(`m.destination = lower(trim(${value(filter.destination)}))`)
  if (filter.mark !== undefined) conditions.push(`m.${MARK_COLUMNS[filter.mark]} is not null`)
  // Asked only of those whom a person's click is noted of; hits are younger than the message.
  if (filter.link !== undefined) {
    conditions.push(`m.clicked_at is not null and exists (select from message_hits h where h.workspace_id = $1
      and h.message_id = m.id and h.kind = 'click' and h.link = ${value(filter.link)} and h.verdict = 'human'
      and h.at >= m.created_at)`)
  }
  // Found by its own key, and so put where it narrows the look.
  const contact = filter.contactId === undefined ? '' : `and contact_id = ${value(filter.contactId)}::bigint`
  // Without a condition everybody fits, and no more are looked at than are shown.
  const looked = conditions.length > 1 ? EXAMINED_MAX : '$4'
  // The list that is looked through is narrow: with 50,000 whole messages in it, it went through a file on disk, and took more than twice as long.
  const text = `with examined as materialized (
      select m.id, m.created_at, coalesce(${conditions.join(' and ')}, false) as fits, row_number() over (order by m.id) as n
      from (select * from messages where workspace_id = $1 and source_kind = 'broadcast' and source_id = $2
          and id > $3 ${contact}
        order by id limit ${looked}) m
    ), fitting as (
      select * from examined where fits order by id limit $4
    ), last as (
      select * from examined where (select count(*) from fitting) < $4 order by id desc limit 1
    )
    select m.id as "messageId", ${personOf()} as "contactId", m.destination, m.state, m.reason, m.attempts, m.reply,
      m.settled_at as "settledAt", m.opened_at as "openedAt", m.clicked_at as "clickedAt",
      m.unsubscribed_at as "unsubscribedAt", m.bounced_at as "bouncedAt", m.complained_at as "complainedAt", s.fits,
      s.n as examined
    from (select * from fitting union select * from last) s
    cross join lateral (
      select * from messages where workspace_id = $1 and id = s.id and created_at = s.created_at offset 0
    ) m order by m.id`
  return { text, values }
}
