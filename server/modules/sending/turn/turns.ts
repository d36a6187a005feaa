import type { Transaction } from '../../../platform/db/transaction.ts'
import { settleAllowance } from '../../pacing/daily-allowance.ts'
import type { Lane, LaneDeps, StreamKind } from '../lanes.ts'
import type { HoldReason } from '../message-states.ts'

export type Turn = Lane & {
  jobId: string
  turn: string
  sourceKind: StreamKind
  /** Of the broadcast or automation; null for single mail. */
  sourceId: string | null
}

/**
 * Begins the turn of a job; undefined when the lane has another job by now or its stream is gone. What an earlier turn
 * had claimed and not begun to hand over goes back as it was. What it was handing over is uncertain: the server may have
 * it, and nobody can know.
 */
export async function beginTurn(tx: Transaction, job: Lane & { jobId: string }): Promise<Turn | undefined> {
  const { rows } = await tx.query<Turn>({
    name: 'begin_send_turn',
    // The stronger lock waits for claims of the turn before, so that recovery sees them.
    text: `with lane as materialized (
        select workspace_id, stream_id, slot from send_lanes
        where workspace_id = $1 and stream_id = $2 and slot = $3 and job_id = $4 for update
      )
      update send_lanes l set turn = l.turn + 1, state = 'running' from lane, send_streams s
      where l.workspace_id = lane.workspace_id and l.stream_id = lane.stream_id and l.slot = lane.slot
        and s.workspace_id = l.workspace_id and s.id = l.stream_id
      returning l.workspace_id as "workspaceId", l.stream_id as "streamId", l.slot, l.job_id as "jobId", l.turn,
        s.source_kind as "sourceKind", s.source_id as "sourceId"`,
    values: [job.workspaceId, job.streamId, job.slot, job.jobId],
  })
  const turn = rows[0]
  if (turn) await recoverClaims(tx, turn)
  return turn
}

async function recoverClaims(tx: Transaction, { workspaceId, streamId, slot, turn }: Turn): Promise<void> {
  const { rows } = await tx.query<Recovered>({
    name: 'recover_claimed_messages',
    text: `with claimed as materialized (
        select ctid as row, message_id, message_created_at, attempt, integration_id, handing_at from message_queue
        where workspace_id = $1 and stream_id = $2 and slot = $3 and turn < $4 for update
      ), back as (
        update message_queue q set slot = null, turn = null, integration_id = null
        from claimed c where q.ctid = c.row and c.handing_at is null
      ), gone as (
        delete from message_queue where ctid = any (array(select row from claimed where handing_at is not null))
      ), unknown as (
        update messages m set state = 'uncertain', reason = 'process_lost', settled_at = now(), attempts = c.attempt + 1,
          integration_id = c.integration_id
        from claimed c
        where c.handing_at is not null and m.workspace_id = $1 and m.id = c.message_id and m.created_at = c.message_created_at
          and m.state = 'pending'
      ), logged as (
        insert into message_attempts (workspace_id, message_id, at, attempt, outcome, cause, integration_id)
        select $1, message_id, clock_timestamp(), attempt + 1, 'uncertain', 'process_lost', integration_id
        from claimed where handing_at is not null
      )
      select integration_id as "integrationId", count(handing_at)::int as sent, (count(*) - count(handing_at))::int as unused
      from claimed where integration_id is not null group by 1`,
    values: [workspaceId, streamId, slot, turn],
  })
  if (rows.length > 0) await settleAllowance(tx, workspaceId, rows)
}

type Recovered = { integrationId: string; sent: number; unused: number }

/**
 * `more`: work became due meanwhile. `over`: the job is done. `taken_over`: another run of the same job has begun a turn
 * since, perhaps one that had been taken for dead; the job must stay, in case that one dies as well.
 */
export type TurnEnd = 'more' | 'over' | 'taken_over'

export type Ending = {
  /** Goes to the back of the queue although work is left. */
  yieldNow: boolean
  /** Nothing can be sent for now: why, and when to look again. */
  hold?: { reason: HoldReason; afterMs: number }
  /** In the transaction that finds nothing of the stream queued any more. */
  onDrained(tx: Transaction): Promise<void>
}

/** Ends a turn that found nothing due, unless something became due meanwhile. The lane then waits, or is idle. */
export async function endTurn(tx: Transaction, deps: LaneDeps, end: Ending & { turn: Turn }): Promise<TurnEnd> {
  const { workspaceId, streamId, slot, turn, sourceKind, jobId } = end.turn
  const lane = [workspaceId, streamId, slot, turn]
  const locked = await tx.query<{ isHeld: boolean; jobId: string | null }>({
    name: 'lock_send_turn',
    text: `select turn = $4 and state = 'running' as "isHeld", job_id as "jobId" from send_lanes
      where workspace_id = $1 and stream_id = $2 and slot = $3 for update`,
    values: lane,
  })
  const held = locked.rows[0]
  if (!held?.isHeld) return held?.jobId === jobId ? 'taken_over' : 'over'
  await releaseUnsent(tx, end.turn)
  // A statement of its own, so that it sees what was committed while this one waited for the lock.
  const { rows } = await tx.query<NextDue>({
    name: 'next_due_of_send_lane',
    text: `select min(due_at) as "dueAt", min(due_at) <= clock_timestamp() as "dueNow", is_open as "isOpen",
        not exists (select from message_queue where workspace_id = $1 and stream_id = $2) as "isEmpty",
        exists (select from message_queue where workspace_id = $1 and stream_id = $2 and slot = $3) as "hasOwn"
      from (select state = 'open' as is_open from send_streams where workspace_id = $1 and id = $2) stream
      left join lateral (select due_at from message_queue
        where workspace_id = $1 and stream_id = $2 and turn is null order by due_at limit 1) q on is_open
      group by is_open`,
    values: lane.slice(0, 3),
  })
  const next = rows[0]
  if (next === undefined) return 'over'
  if (next.dueNow && !end.yieldNow && !end.hold) return 'more'
  if (next.isEmpty) await end.onDrained(tx)
  const { rows: ended } = await tx.query<{ jobId: string | null; wakeAt: string | null }>({
    name: 'end_send_turn',
    text: `update send_lanes set wake_at = next.at, state = case when next.at is null then 'idle' else 'waiting' end,
        job_id = case when next.at is null then null else gen_random_uuid() end
      from (select greatest($5::timestamptz, now() + $6::float8 * interval '1 millisecond') as at) next
      where workspace_id = $1 and stream_id = $2 and slot = $3 and turn = $4
      returning job_id as "jobId", wake_at as "wakeAt"`,
    values: [...lane, ...wakeOf(next, end)],
  })
  const wake = ended[0]
  if (wake?.jobId && wake.wakeAt) {
    // With work left it goes behind the lanes that wait already: its oldest message would put it in front of them.
    const when = next.dueNow && !end.hold ? {} : { runAt: wake.wakeAt }
    await deps.enqueueTurns(tx, [{ workspaceId, streamId, slot, sourceKind, jobId: wake.jobId, ...when }])
  }
  return 'over'
}

type NextDue = { dueAt: string | null; dueNow: boolean | null; isOpen: boolean; isEmpty: boolean; hasOwn: boolean }

/** How soon a lane looks after a message whose result could not be written; its next turn then takes it for uncertain. */
const STRANDED_MS = 5_000

/** When the lane looks again: due time and pause, of which the later counts; nulls for never. */
function wakeOf(next: NextDue, { hold }: Ending): [string | null, number | null] {
  if (next.hasOwn) return [null, STRANDED_MS]
  if (!next.isOpen || next.dueAt === null) return [null, null]
  return [next.dueAt, hold?.afterMs ?? null]
}

/** What the turn claimed and did not begin to hand over was no attempt. */
async function releaseUnsent(tx: Transaction, { workspaceId, streamId, slot, turn }: Turn): Promise<void> {
  const { rows } = await tx.query<Recovered>({
    name: 'release_unsent_messages',
    text: `with back as (
        update message_queue q set slot = null, turn = null
        where workspace_id = $1 and stream_id = $2 and slot = $3 and turn = $4 and handing_at is null
        returning integration_id
      )
      select integration_id as "integrationId", 0 as sent, count(*)::int as unused from back
      where integration_id is not null group by 1`,
    values: [workspaceId, streamId, slot, turn],
  })
  if (rows.length > 0) await settleAllowance(tx, workspaceId, rows)
}
