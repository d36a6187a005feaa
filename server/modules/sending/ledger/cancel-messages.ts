import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { settleAllowance } from '../../pacing/daily-allowance.ts'
import type { Stream } from '../lanes.ts'

/** Takes single messages back that nobody is handing over yet. Returns the ids of those that will not be sent. */
export async function cancelMessages(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'cancel_messages',
    text: cancelling('workspace_id = $1 and message_id = any ($2::int8[]) and turn is null order by message_id'),
    values: [workspaceId, int8Array(ids)],
  })
  return rows.map(({ id }) => id)
}

/** Messages of a stream that wait and that one call takes back. */
export const CANCELED_MAX = 5_000

/**
 * Takes messages of a stream back, all that turns have in hand and up to CANCELED_MAX that wait, oldest first; returns how many. Close the
 * stream first, and repeat until nothing is left: what is being handed over right now comes to its own end.
 */
export async function cancelStream(tx: Transaction, stream: Stream): Promise<number> {
  const { workspaceId, streamId } = stream
  const claimed = await cancelClaimed(tx, stream)
  const { rows } = await tx.query({
    name: 'cancel_send_stream',
    text: cancelling(`workspace_id = $1 and stream_id = $2 and turn is null
      order by due_at, message_id limit ${CANCELED_MAX}`),
    values: [workspaceId, streamId],
  })
  // The allowance behind the queue, as everywhere (lanes.ts).
  const unused = claimed.flatMap(({ integrationId, unused }) =>
    integrationId ? [{ integrationId, sent: 0, unused }] : [],
  )
  await settleAllowance(tx, workspaceId, unused)
  return claimed.reduce((sum, { unused }) => sum + unused, rows.length)
}

/**
 * Takes back what turns have claimed, who would come to each only at its slot, one by one; a few hundred, by the index of claims. A mark that is
 * committed first keeps its message, any other finds nothing any more: as withdrawing does, in the order of all that hold several. Answers
 * how many places of each integration's limit are to be given back.
 */
async function cancelClaimed(tx: Transaction, { workspaceId, streamId }: Stream) {
  const { rows } = await tx.query<{ integrationId: string | null; unused: number }>({
    name: 'cancel_claims_of_stream',
    text: `with held as materialized (
        select message_id from message_queue
        where workspace_id = $1 and stream_id = $2 and turn is not null and handing_at is null order by message_id for update
      ), gone as (
        delete from message_queue where workspace_id = $1 and message_id = any (array(select message_id from held))
        returning message_id, message_created_at, integration_id
      ), settled as (
        update messages m set state = 'skipped', reason = 'canceled', settled_at = now() from gone
        where m.workspace_id = $1 and m.id = gone.message_id and m.created_at = gone.message_created_at and m.state = 'pending'
      )
      select integration_id as "integrationId", count(*)::int as unused from gone group by 1`,
    values: [workspaceId, streamId],
  })
  return rows
}

/** Whether anything of a stream is still queued: of a closed one what a worker has, which may yet come back. */
export async function isAnyQueued(tx: Transaction, { workspaceId, streamId }: Stream): Promise<boolean> {
  const { rows } = await tx.query<{ queued: boolean }>({
    name: 'is_any_queued',
    text: 'select exists (select from message_queue where workspace_id = $1 and stream_id = $2) as queued',
    values: [workspaceId, streamId],
  })
  return rows[0]!.queued
}

/** By key, not by place: one that is made due, or claimed and given back, while this waits for it has another place by then. */
const cancelling = (which: string) => `with held as materialized (
    select message_id from message_queue where ${which} for update
  ), gone as (
    delete from message_queue where workspace_id = $1 and message_id = any (array(select message_id from held))
    returning message_id, message_created_at
  )
  update messages m set state = 'skipped', reason = 'canceled', settled_at = now() from gone
  where m.workspace_id = $1 and m.id = gone.message_id and m.created_at = gone.message_created_at and m.state = 'pending'
  returning m.id`
