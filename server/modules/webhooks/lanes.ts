import type { Transaction } from '../../platform/db/transaction.ts'

/**
 * The lane of an endpoint. All its deliveries wait in `delivery_queue`; one job at a time, the turn, works through what
 * is due, with the endpoint's concurrency. So the job queue holds at most one ready job per endpoint, however many
 * deliveries wait, and takes endpoints in turn: neither a slow receiver nor a busy workspace can stand in front of others.
 *
 * No wake-up can be lost: whoever adds deliveries locks the lane's row before it looks at its state, and a turn that
 * finds nothing left locks the same row before it looks a last time and leaves. One of the two sees the other's work.
 *
 * A lane names the one job that may run it; any other job finds itself superseded. Each start of a turn raises `turn`,
 * deliveries carry the turn that claimed them, and a result counts only if both still agree: a process that was stopped,
 * replaced and woke up again changes nothing.
 */
export type Lane = { workspaceId: string; endpointId: string }

/** A job to run a lane's turn, with the id that the lane names. */
export type TurnJob = Lane & { jobId: string; runAt?: string; failing: boolean }

export type LaneDeps = {
  /** Puts turn jobs into the job queue, in the caller's transaction. */
  enqueueTurns(tx: Transaction, jobs: readonly TurnJob[]): Promise<void>
  /** Tells this process's running turns of these lanes that deliveries are due. */
  tellTurns(lanes: readonly Lane[]): void
}

/**
 * Sees to it that each lane has a turn coming now: called in the transaction that makes deliveries due. Lanes that have
 * one already are only locked, and turns that run in this process told after the commit; lanes of paused endpoints stay
 * idle.
 */
export async function wakeLanes(tx: Transaction, deps: LaneDeps, lanes: readonly Lane[]): Promise<void> {
  const wanted = [lanes.map((lane) => lane.workspaceId), lanes.map((lane) => lane.endpointId)]
  // Two statements, sent together: what the second one sees, it sees after the first has waited for a turn to end.
  const [, { rows }] = await Promise.all([
    tx.query({
      name: 'lock_webhook_lanes',
      text: `select from webhook_lanes l
        join unnest($1::bigint[], $2::bigint[]) as wanted(workspace_id, endpoint_id) using (workspace_id, endpoint_id)
        order by l.workspace_id, l.endpoint_id for no key update of l`,
      values: wanted,
    }),
    tx.query<TurnJob>({
      name: 'wake_webhook_lanes',
      text: `update webhook_lanes l set state = 'waiting', job_id = gen_random_uuid(), wake_at = now()
        from unnest($1::bigint[], $2::bigint[]) as wanted(workspace_id, endpoint_id)
        join webhook_endpoints e on e.workspace_id = wanted.workspace_id and e.id = wanted.endpoint_id and e.enabled
        where l.workspace_id = wanted.workspace_id and l.endpoint_id = wanted.endpoint_id
          and (l.state = 'idle' or (l.state = 'waiting' and l.wake_at > now()))
        returning l.workspace_id as "workspaceId", l.endpoint_id as "endpointId", l.job_id as "jobId",
          l.failing_since is not null as failing`,
      values: wanted,
    }),
  ])
  tx.afterCommit(() => deps.tellTurns(lanes))
  if (rows.length > 0) await deps.enqueueTurns(tx, rows)
}

export type Turn = Lane & { jobId: string; turn: string; failing: boolean }

/**
 * Begins the turn of a job; undefined when the lane has another job by now or its endpoint is gone. Deliveries that an
 * earlier turn had claimed and never answered for go back into the queue at once; the lost attempt is logged and does
 * not use up one of the ten. Whether the endpoint is paused only its claims and its end ask: they see who switched it
 * on while this waited for the lane.
 */
export async function beginTurn(tx: Transaction, job: Lane & { jobId: string }): Promise<Turn | undefined> {
  const { rows } = await tx.query<Turn>({
    name: 'begin_webhook_turn',
    // The stronger lock waits for claims of the turn before, so that recovery sees them.
    text: `with lane as materialized (
        select workspace_id, endpoint_id from webhook_lanes
        where workspace_id = $1 and endpoint_id = $2 and job_id = $3 for update
      )
      update webhook_lanes l set turn = l.turn + 1, state = 'running' from lane
      where l.workspace_id = lane.workspace_id and l.endpoint_id = lane.endpoint_id
      returning l.workspace_id as "workspaceId", l.endpoint_id as "endpointId", l.job_id as "jobId", l.turn,
        l.failing_since is not null as failing`,
    values: [job.workspaceId, job.endpointId, job.jobId],
  })
  const turn = rows[0]
  if (!turn) return undefined
  await tx.query({
    name: 'recover_lost_claims',
    text: `with claimed as materialized (
        select ctid as row, attempt, claimed_at from delivery_queue
        where workspace_id = $1 and endpoint_id = $2 and turn < $3 for update
      ), lost as (
        update delivery_queue q set turn = null, claimed_at = null, due_at = now(), attempt = greatest(q.attempt - 1, 0)
        from claimed where q.ctid = claimed.row
        returning q.workspace_id, q.delivery_id, claimed.attempt, claimed.claimed_at
      )
      insert into delivery_attempts (workspace_id, delivery_id, started_at, attempt, outcome, error)
      select workspace_id, delivery_id, claimed_at, attempt, 'lost', 'worker_lost' from lost
      on conflict do nothing`,
    values: [turn.workspaceId, turn.endpointId, turn.turn],
  })
  return turn
}

/**
 * `more`: work became due meanwhile. `over`: the job is done. `taken_over`: another run of the same job has begun a turn
 * since, perhaps one that had been taken for dead; the job must stay, in case that one dies as well.
 */
export type TurnEnd = 'more' | 'over' | 'taken_over'

/**
 * Ends a turn that found nothing due, unless something became due meanwhile. The lane then waits for its next retry, or
 * is idle. With `yieldNow` the lane goes to the back of the queue although work is left.
 */
export async function endTurn(tx: Transaction, deps: LaneDeps, turn: Turn & { yieldNow: boolean }): Promise<TurnEnd> {
  const lane = [turn.workspaceId, turn.endpointId, turn.turn]
  const locked = await tx.query<{ isHeld: boolean; jobId: string | null; failing: boolean }>({
    name: 'lock_webhook_turn',
    text: `select turn = $3 and state = 'running' as "isHeld", job_id as "jobId", failing_since is not null as failing
      from webhook_lanes where workspace_id = $1 and endpoint_id = $2 for update`,
    values: lane,
  })
  const held = locked.rows[0]
  if (!held?.isHeld) return held?.jobId === turn.jobId ? 'taken_over' : 'over'
  // What the turn claimed and did not send was no attempt.
  await tx.query({
    name: 'release_unsent_claims',
    text: `update delivery_queue set turn = null, claimed_at = null, attempt = attempt - 1
      where workspace_id = $1 and endpoint_id = $2 and turn = $3`,
    values: lane,
  })
  // A statement of its own, so that it sees what was committed while this one waited for the lock.
  const { rows } = await tx.query<{ dueAt: string | null; dueNow: boolean | null }>({
    name: 'next_due_of_lane',
    text: `select min(q.due_at) as "dueAt", min(q.due_at) <= clock_timestamp() as "dueNow"
      from delivery_queue q join webhook_endpoints e on e.workspace_id = q.workspace_id and e.id = q.endpoint_id and e.enabled
      where q.workspace_id = $1 and q.endpoint_id = $2 and q.turn is null`,
    values: lane.slice(0, 2),
  })
  const { dueAt, dueNow } = rows[0] ?? { dueAt: null, dueNow: null }
  if (dueNow && !turn.yieldNow) return 'more'
  const next = await tx.query<{ jobId: string | null }>({
    name: 'end_webhook_turn',
    text: `update webhook_lanes set wake_at = $4::timestamptz,
        state = case when $4::timestamptz is null then 'idle' else 'waiting' end,
        job_id = case when $4::timestamptz is null then null else gen_random_uuid() end
      where workspace_id = $1 and endpoint_id = $2 and turn = $3 returning job_id as "jobId"`,
    values: [...lane, dueAt],
  })
  const jobId = next.rows[0]?.jobId
  if (jobId && dueAt) {
    const { workspaceId, endpointId } = turn
    // With work left it goes behind the lanes that wait already: its oldest delivery would put it in front of them.
    const when = dueNow ? {} : { runAt: dueAt }
    await deps.enqueueTurns(tx, [{ workspaceId, endpointId, jobId, ...when, failing: held.failing }])
  }
  return 'over'
}
