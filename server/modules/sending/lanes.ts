import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { defineLanes, type Turn } from '../../platform/lanes/lane-tables.ts'
import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import type { Source } from './message-source.ts'
import { type BackMessage, settleBack } from './settle-back.ts'

/**
 * The lanes of a stream: places from which its messages are sent, so that several processes share a stream and none of
 * them more of it than its lanes (docs/adr/0002).
 *
 * Locks are taken in one order: lane, queue, ledger with its totals, integration, allowance; the integration for its key alone, which
 * only its change and its deletion wait for. A claim has the last two before it comes to the queue, so it passes over rows that others have, and leaves the ledger to a transaction after it. A transaction
 * that puts single messages into the queue wakes their lane last: no turn can want rows that are not in the queue yet,
 * and they are in no totals. A broadcast's are planned or put back in one transaction, and its lanes woken in the next.
 */
export type Stream = { workspaceId: string; streamId: string }
export type Lane = Stream & { slot: number }

/** The owner of a stream's messages: a source, or all single mail of the workspace. */
export type StreamKind = Source['kind'] | 'email'
/** `sourceId` is that of the broadcast or automation, null for single mail. */
export type StreamOf = { sourceKind: StreamKind; sourceId: string | null }

export type SendTurn = Turn<Lane, StreamOf>
export type SendTurnJob = Lane & { jobId: string }

/** Places of a stream. One process is busy with two or three; a fleet shares out the rest. */
export const SLOTS = { broadcast: 4, automation: 4, email: 2 } as const

/** A single mail goes before whatever else waits in its queue. */
const SINGLE_PRIORITY = 1

const SEND_MESSAGES = { kind: 'send_messages', groupKey: ({ workspaceId }: Lane) => workspaceId }

export const SEND_CAMPAIGNS = jobKind<Lane>({ ...SEND_MESSAGES, queue: 'broadcasts' })
export const SEND_SINGLES = jobKind<Lane>({ ...SEND_MESSAGES, queue: 'default', priority: SINGLE_PRIORITY })

/** The turns of a stream: single mails never stand behind broadcasts and automations. */
const TURNS = { broadcast: SEND_CAMPAIGNS, automation: SEND_CAMPAIGNS, email: SEND_SINGLES } as const

const STREAM = 'from send_streams s where s.workspace_id = l.workspace_id and s.id = l.stream_id'

export const SEND_LANES = defineLanes<Lane, StreamOf, BackMessage>({
  name: 'send',
  lanes: 'send_lanes',
  key: { workspaceId: 'workspace_id', streamId: 'stream_id', slot: 'slot' },
  isOpen: `exists (select ${STREAM} and s.state = 'open')`,
  told: { sourceKind: `(select s.source_kind ${STREAM})`, sourceId: `(select s.source_id ${STREAM})` },
  queue: {
    table: 'message_queue',
    sharedBy: ['workspaceId', 'streamId'],
    back: 'integration_id = null',
    // The server may have it, and nobody can know.
    stays: 'q.handing_at is not null',
    backTold: {
      id: 'q.message_id',
      createdAt: 'q.message_created_at',
      attempt: 'q.attempt',
      integrationId: 'q.integration_id',
      handingAt: 'q.handing_at',
    },
  },
  onBack: (tx, turn, claims, because) => settleBack(tx, turn.workspaceId, claims, because),
  jobOf: ({ sourceKind }) => ({ kind: TURNS[sourceKind] }),
})

/** Has the beginning of the lane's next turn wait until the transaction ends. */
export async function holdLane(tx: Transaction, { workspaceId, streamId, slot, turn }: SendTurn): Promise<void> {
  await tx.query({
    name: 'hold_send_lane',
    text: `${SEND_LANES.held} for key share`,
    values: [workspaceId, streamId, slot, turn],
  })
}

/** Sees to it that `lanes` of the stream have a turn coming now: called in the transaction that queues messages. */
export function wakeStream(tx: Transaction, { lanes, ...stream }: Stream & { lanes: number }): Promise<void> {
  return wakeLanes(
    tx,
    SEND_LANES,
    Array.from({ length: lanes }, (_, slot) => ({ ...stream, slot })),
  )
}
