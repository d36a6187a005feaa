import type { Queryable } from '../../../platform/db/transaction.ts'

type StreamKey = { workspaceId: string; streamId: string }

export type QueueFacts = {
  nextDueAt: string | null
  isDue: boolean
  claimed: number
  handing: number
  oldestHandingAt: string | null
}

/** Messages of a stream that wait or are under way; looks at the ends of indexes, however many wait. */
export async function queueOf(tx: Queryable, { workspaceId, streamId }: StreamKey): Promise<QueueFacts> {
  const { rows } = await tx.query<QueueFacts>({
    name: 'queue_of_stream',
    text: `with next as (
        select due_at from message_queue where workspace_id = $1 and stream_id = $2 and turn is null
        order by due_at, message_id limit 1
      ), taken as (
        select count(*)::int as claimed, count(handing_at)::int as handing, min(handing_at) as oldest from message_queue
        where workspace_id = $1 and stream_id = $2 and turn is not null
      )
      select next.due_at as "nextDueAt", coalesce(next.due_at <= clock_timestamp(), false) as "isDue", claimed, handing,
        oldest as "oldestHandingAt"
      from taken left join next on true`,
    values: [workspaceId, streamId],
  })
  return rows[0]!
}

export type LaneFacts = { idle: number; waiting: number; running: number; wakeAt: string | null }

export async function lanesOf(tx: Queryable, { workspaceId, streamId }: StreamKey): Promise<LaneFacts> {
  const { rows } = await tx.query<LaneFacts>({
    name: 'lanes_of_stream',
    text: `select count(*) filter (where state = 'idle')::int as idle,
        count(*) filter (where state = 'waiting')::int as waiting,
        count(*) filter (where state = 'running')::int as running,
        min(wake_at) filter (where state = 'waiting') as "wakeAt"
      from send_lanes where workspace_id = $1 and stream_id = $2`,
    values: [workspaceId, streamId],
  })
  return rows[0]!
}

/** Waiting messages whose last attempts are looked at, the soonest due first. */
const LOOKED_AT_MAX = 500

export type CauseCount = { outcome: string; cause: string; count: number; lastReply: string | null }

/** Why messages of a stream that wait for another attempt were not accepted at the last one. */
export async function waitingByCause(tx: Queryable, { workspaceId, streamId }: StreamKey): Promise<CauseCount[]> {
  const { rows } = await tx.query<CauseCount>({
    name: 'waiting_messages_by_cause',
    text: `select a.outcome, a.cause, count(*)::int as count, (array_agg(a.reply order by a.at desc))[1] as "lastReply"
      from (select message_id from message_queue where workspace_id = $1 and stream_id = $2 and turn is null
        order by due_at, message_id limit ${LOOKED_AT_MAX}) q
      cross join lateral (select outcome, cause, reply, at from message_attempts
        where workspace_id = $1 and message_id = q.message_id order by at desc limit 1) a
      group by 1, 2 order by 3 desc limit 5`,
    values: [workspaceId, streamId],
  })
  return rows
}

/** Also of a topic that was deleted. */
export async function topicNameOf(tx: Queryable, workspaceId: string, topicId: string): Promise<string | null> {
  const { rows } = await tx.query<{ name: string }>({
    name: 'topic_name_of_broadcast',
    text: 'select name from topics where workspace_id = $1 and id = $2',
    values: [workspaceId, topicId],
  })
  return rows[0]?.name ?? null
}
