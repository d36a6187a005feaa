import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { MoveKey } from '../definition/take-along.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { type RunLane, wakeRuns } from '../run-lanes.ts'
import { TIMER_POSITION } from './run-state.ts'

/** Runs a transaction takes on at most: as many as a turn does in one. */
const CHUNK_RUNS = 2_000

/**
 * The job `place_runs`: puts a row into the queue for each run that a publishing takes along, a chunk a transaction. The rows
 * are due at the moment of publishing, so that what came before it is done before it. It ends at once when the publishing
 * has been revoked. `stopped` before the end: what is left is the next run's.
 */
export async function placeRuns(pool: pg.Pool, move: MoveKey, stop: AbortSignal): Promise<'done' | 'stopped'> {
  const size = new StepSize(CHUNK_RUNS)
  while (!stop.aborted) {
    const work = (tx: Transaction, limit: number) => placeSome(tx, move, limit)
    if (await boundedStep(pool, move.workspaceId, { size, work })) return 'done'
    crashPoint('runs_placed')
  }
  return 'stopped'
}

/** Answers whether there is nothing left to place. */
async function placeSome(tx: Transaction, move: MoveKey, limit: number): Promise<boolean> {
  const values = [move.workspaceId, move.automationId, move.number]
  const { rows: held } = await tx.query({ name: 'hold_automation_move', text: HELD, values })
  if (held.length === 0) return true
  const { rows } = await tx.query<{ seen: number; slots: number[] }>({
    name: 'place_runs',
    text: PLACE,
    values: [...values, limit],
  })
  const { seen, slots } = rows[0]!
  const lanes = slots.map((slot): RunLane => ({ workspaceId: move.workspaceId, automationId: move.automationId, slot }))
  await wakeRuns(tx, lanes)
  return seen < limit
}

const HELD = `select from automation_moves where workspace_id = $1 and automation_id = $2 and number = $3
  and state = 'running' for update`

/** Runs by their ids: none that begins later is of an older version. */
const PLACE = `with move as materialized (
    select * from automation_moves where workspace_id = $1 and automation_id = $2 and number = $3
  ), seen as materialized (
    select r.id, r.contact_id, r.version, r.node from move m
    join runs r on r.workspace_id = $1 and r.automation_id = $2 and r.id > m.placed_to and r.id <= m.last_run_id
    order by r.id limit $4
  ), put as (
    insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, visit, due_at, version)
    select $1, $2, s.contact_id % ${RUN_SLOTS}, s.contact_id, s.id, 'move', ${TIMER_POSITION}, m.number, m.published_at, m.version
    from seen s, move m
    where s.version < m.version and (m.nodes is null or s.node = any (m.nodes)) order by s.id
    on conflict do nothing returning slot
  ), placed as (
    update automation_moves m set placed_to = coalesce((select max(id) from seen), m.last_run_id),
      state = case when (select count(*) from seen) < $4 then 'done' else 'running' end
    where m.workspace_id = $1 and m.automation_id = $2 and m.number = $3
  )
  select (select count(*)::int from seen) as seen, array(select distinct slot::int from put order by 1) as slots`
