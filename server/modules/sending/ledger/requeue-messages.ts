import type { Transaction } from '../../../platform/db/transaction.ts'
import { type Stream, wakeStream } from '../lanes.ts'
import { openStream } from '../streams.ts'
import { EXPIRY_HOURS } from './refusal.ts'

/** Messages that one call looks at. */
export const REQUEUED_MAX = 5_000

export type Requeue = Stream & { broadcastId: string; startedAt: string; afterId: string }

/** `lastId`: where the next call goes on; null when there was nothing left to look at. */
export type Requeued = { count: number; lastId: string | null }

/**
 * Puts failed messages of a broadcast back into its stream, in steps: pass the `lastId` of the one before, '0' at first.
 * They keep their Message-ID. A person who must not be mailed by now is dropped when the message is claimed.
 */
export async function retryFailed(tx: Transaction, at: Requeue): Promise<Requeued> {
  return requeue(tx, at, 'failed')
}

/** As `retryFailed`, for messages whose fate nobody knows: some of them may arrive twice. */
export async function retryUncertain(tx: Transaction, at: Requeue): Promise<Requeued> {
  return requeue(tx, at, 'uncertain')
}

async function requeue(tx: Transaction, at: Requeue, state: 'failed' | 'uncertain'): Promise<Requeued> {
  const { rows } = await tx.query<Requeued>({
    name: 'requeue_messages',
    text: `with looked as materialized (
        select id, created_at, state from messages
        where workspace_id = $1 and source_kind = 'broadcast' and source_id = $2 and created_at = $3 and id > $4 order by id limit ${REQUEUED_MAX}
      ), again as (
        update messages m set state = 'pending', reason = null, settled_at = null, reply = null from looked l
        where l.state = $5 and m.workspace_id = $1 and m.id = l.id and m.created_at = l.created_at and m.state = $5
        returning m.id, m.created_at
      ), queued as (
        insert into message_queue (workspace_id, stream_id, message_id, message_created_at, expires_at)
        select $1, $6, id, created_at, now() + make_interval(hours => $7) from again
      )
      select (select count(*) from again)::int as count,
        (select max(id) from looked) as "lastId"`,
    values: [at.workspaceId, at.broadcastId, at.startedAt, at.afterId, state, at.streamId, EXPIRY_HOURS],
  })
  return rows[0]!
}

export type SingleMessage = { workspaceId: string; id: string; createdAt: string }

/** Sends an uncertain single message again, under the same Message-ID. False when it is not uncertain, or its person was erased. */
export async function retryMessage(tx: Transaction, { workspaceId, id, createdAt }: SingleMessage): Promise<boolean> {
  const stream = await openStream(tx, workspaceId, null)
  const { rowCount } = await tx.query({
    name: 'requeue_message',
    text: `with again as (
        update messages set state = 'pending', reason = null, settled_at = null, reply = null
        where workspace_id = $1 and id = $2 and created_at = $3 and state = 'uncertain' and source_id is null
          and destination <> ''
        returning id, created_at
      )
      insert into message_queue (workspace_id, stream_id, message_id, message_created_at, expires_at)
      select $1, $4, id, created_at, now() + make_interval(hours => $5) from again`,
    values: [workspaceId, id, createdAt, stream.streamId, EXPIRY_HOURS],
  })
  if (rowCount === 0) return false
  await wakeStream(tx, { ...stream, lanes: 1 })
  return true
}
