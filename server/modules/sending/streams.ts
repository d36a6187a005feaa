import type { Transaction } from '../../platform/db/transaction.ts'
import { SLOTS, type Stream, wakeStream } from './lanes.ts'
import type { Source } from './message-source.ts'

/** The stream of a source, or with null that of all single mail of the workspace; made when there is none yet. */
export async function openStream(tx: Transaction, workspaceId: string, source: Source | null): Promise<Stream> {
  const kind = source?.kind ?? 'email'
  const known = await streamOf(tx, workspaceId, source)
  if (known) return known
  await tx.query({
    name: 'open_send_stream',
    text: `with stream as (
        insert into send_streams (workspace_id, source_kind, source_id) values ($1, $2, $3)
        on conflict on constraint send_streams_one do nothing returning workspace_id, id)
      insert into send_lanes (workspace_id, stream_id, slot)
      select workspace_id, id, slot from stream, generate_series(0, $4::int - 1) slot`,
    values: [workspaceId, kind, source?.id ?? null, SLOTS[kind]],
  })
  return (await streamOf(tx, workspaceId, source))!
}

/** The stream of a source, or with null of all single mail; undefined when nothing was queued yet. */
export async function streamOf(
  tx: Transaction,
  workspaceId: string,
  source: Source | null,
): Promise<Stream | undefined> {
  const { rows } = await tx.query<Stream>({
    name: 'send_stream_of',
    text: `select workspace_id as "workspaceId", id as "streamId" from send_streams
      where workspace_id = $1 and source_kind = $2 and source_id is not distinct from $3::bigint`,
    values: [workspaceId, source?.kind ?? 'email', source?.id ?? null],
  })
  return rows[0]
}

/** How much a source matters beside others where a person has room for one of their mails alone. */
export const PRIORITIES = { low: -1, normal: 0, high: 1 } as const
export type Priority = keyof typeof PRIORITIES

/** Says how much a source matters, from now on. */
export async function setStreamPriority(
  tx: Transaction,
  { workspaceId, source, priority }: { workspaceId: string; source: Source; priority: Priority },
): Promise<void> {
  const { streamId } = await openStream(tx, workspaceId, source)
  await tx.query({
    name: 'set_send_stream_priority',
    text: 'update send_streams set priority = $3 where workspace_id = $1 and id = $2 and priority <> $3',
    values: [workspaceId, streamId, PRIORITIES[priority]],
  })
}

export type StreamState = 'open' | 'paused' | 'canceled'

/**
 * Opens or closes a stream. Nothing that was not being handed over when this commits goes out while it is closed; opened,
 * it moves at once.
 */
export async function setStreamState(
  tx: Transaction,
  { state, ...stream }: Stream & { state: StreamState },
): Promise<void> {
  await tx.query({
    name: 'set_send_stream_state',
    text: `update send_streams set state = $3, hold_reason = null, held_until = null, hold_tries = 0,
        held_settings = null
      where workspace_id = $1 and id = $2 and state <> $3`,
    values: [stream.workspaceId, stream.streamId, state],
  })
  if (state === 'open') await wakeStream(tx, { ...stream, lanes: SLOTS.broadcast })
}
