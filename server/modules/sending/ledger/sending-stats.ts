import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../../platform/db/transaction.ts'
import type { StreamKind } from '../lanes.ts'

export type SendingStats = {
  /** Per kind of stream: since when the oldest message that could go has been due. One with nothing due is left out. */
  waiting: readonly { sourceKind: StreamKind; oldestSeconds: number }[]
  /** Streams that are open and wait, by why. */
  held: readonly { reason: string; streams: number }[]
}

/**
 * How sending stands, over all workspaces: one look at the head of the queue for each stream that is being worked on, and
 * none at what waits behind it.
 */
export async function sendingStats(pool: pg.Pool): Promise<SendingStats> {
  const [waiting, held] = await Promise.all([
    queryInScope<SendingStats['waiting'][number]>(pool, ALL_WORKSPACES, {
      name: 'sending_oldest_due',
      text: `select s.source_kind as "sourceKind", extract(epoch from now() - min(q.due_at))::float8 as "oldestSeconds"
        from send_streams s join lateral (
          select due_at from message_queue q
          where q.workspace_id = s.workspace_id and q.stream_id = s.id and q.turn is null and q.due_at <= now()
          order by q.due_at, q.message_id limit 1) q on true
        where s.state = 'open' and exists (
          select from send_lanes l where l.workspace_id = s.workspace_id and l.stream_id = s.id and l.state <> 'idle')
        group by s.source_kind order by s.source_kind`,
    }),
    queryInScope<SendingStats['held'][number]>(pool, ALL_WORKSPACES, {
      name: 'sending_held_streams',
      text: `select hold_reason as reason, count(*)::int as streams from send_streams
        where state = 'open' and hold_reason is not null group by 1 order by 1`,
    }),
  ])
  return { waiting, held }
}
