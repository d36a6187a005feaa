import type pg from 'pg'
import { notFound, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { BY_HAND_WAY } from '../definition/listens.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { AUTOMATION_GATE } from '../gate.ts'
import { type RunLane, wakeRuns } from '../run-lanes.ts'
import { TIMER_POSITION } from './run-state.ts'

/** Runs that one call steers. */
export const STEERED_MAX = 10_000

/**
 * `retry`: tries the node again that a run is parked at. `skip`: has it go on behind that node, undone. `exit`: has it leave,
 * wherever it stands.
 */
export type RunAct = 'retry' | 'skip' | 'exit'

/** One run, or all that are parked, at a node or anywhere. */
export type Steered = { id: string; runId?: string; node?: string | undefined }

/**
 * Steers runs: what is asked of them their own turns do, so that nothing is done twice. Answers how many. Throws 404 for a
 * run that is not there, 409 for one that has ended, and to retry or skip one that is not parked.
 */
export async function steerRuns(
  deps: { sql: pg.Pool },
  caller: Caller,
  { act, ...steered }: Steered & { act: RunAct },
): Promise<{ runs: number }> {
  const { workspaceId } = caller
  const { id, runId } = steered
  return inTransaction(deps.sql, workspaceId, async (tx) => {
    await AUTOMATION_GATE.close(tx, workspaceId, id)
    const { rows } = await tx.query<{ name: string }>({
      name: 'automation_of_steered_runs',
      text: 'select name from automations where workspace_id = $1 and id = $2 and deleted_at is null for update',
      values: [workspaceId, id],
    })
    if (!rows[0]) throw notFound()
    const lanes =
      act === 'exit' ? await exit(tx, workspaceId, steered) : await goOn(tx, workspaceId, { ...steered, act })
    if (act === 'retry') await liftHalts(tx, workspaceId, steered)
    if (runId !== undefined && lanes.length === 0) await throwMissing(tx, workspaceId, { id, runId })
    await wakeRuns(tx, lanes)
    const target = { type: 'automation', id, name: rows[0].name }
    const diff = { runs: { from: null, to: runId ?? lanes.length } }
    await recordAudit(tx, caller, { action: `automation.${act}_runs`, target, diff })
    return { runs: lanes.length }
  })
}

const WHICH = `r.workspace_id = $1 and r.automation_id = $2 and ($3::bigint is null or r.id = $3)
  and ($4::text is null or r.node = $4)`
const LANE = `r.workspace_id as "workspaceId", r.automation_id as "automationId", (r.contact_id % ${RUN_SLOTS})::int as slot`

type GoingOn = Steered & { act: 'retry' | 'skip' }

async function goOn(tx: Transaction, workspaceId: string, { id, runId, node, act }: GoingOn): Promise<RunLane[]> {
  const { rows } = await tx.query<RunLane>({
    name: 'take_parked_runs_up',
    // Done again as of its own time: it stood ready, or waited for a time that may be over.
    text: `with chosen as (
        select r.id from runs r where ${WHICH} and r.state = 'parked' order by r.id limit ${STEERED_MAX} for update
      ), tried as (
        update runs r set state = 'ready', attempts = 0, error = null,
          skip_visit = case when $5 then r.visit else r.skip_visit end from chosen
        where r.workspace_id = $1 and r.id = chosen.id returning r.*
      ), timers as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at)
        select workspace_id, automation_id, contact_id % ${RUN_SLOTS}, contact_id, id, 'timer', ${TIMER_POSITION}, at from tried
        on conflict do nothing
      )
      select ${LANE} from tried r`,
    values: [workspaceId, id, runId ?? null, node ?? null, act === 'skip'],
  })
  return rows
}

/** Lifts the halt of the nodes that are tried again, for all who come there: that of a run, one, or all. */
async function liftHalts(tx: Transaction, workspaceId: string, { id, runId, node }: Steered): Promise<void> {
  await tx.query({
    name: 'lift_halts',
    text: `update automations set halted_nodes = case
          when $3::bigint is not null
            then array_remove(halted_nodes, (select node from runs where workspace_id = $1 and automation_id = $2 and id = $3))
          when $4::text is not null then array_remove(halted_nodes, $4)
          else '{}' end
      where workspace_id = $1 and id = $2 and halted_nodes <> '{}'`,
    values: [workspaceId, id, runId ?? null, node ?? null],
  })
}

async function exit(tx: Transaction, workspaceId: string, { id, runId, node }: Steered): Promise<RunLane[]> {
  const { rows } = await tx.query<RunLane>({
    name: 'exit_runs',
    text: `with chosen as (
        select r.* from runs r where ${WHICH} and ($3 is not null or r.state = 'parked') order by r.id limit ${STEERED_MAX}
      ), signals as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
        select workspace_id, automation_id, contact_id % ${RUN_SLOTS}, contact_id, id, 'exit', 0, postroom_clock(), version, ${BY_HAND_WAY}
        from chosen on conflict do nothing
      )
      select ${LANE} from chosen r`,
    values: [workspaceId, id, runId ?? null, node ?? null],
  })
  return rows
}

async function throwMissing(
  tx: Transaction,
  workspaceId: string,
  { id, runId }: { id: string; runId: string },
): Promise<never> {
  const { rows } = await tx.query<{ isInside: boolean }>({
    name: 'where_run_is',
    text: `select true as "isInside" from runs where workspace_id = $1 and automation_id = $2 and id = $3
      union all select false from ended_runs where workspace_id = $1 and automation_id = $2 and id = $3 limit 1`,
    values: [workspaceId, id, runId],
  })
  const [run] = rows
  if (run === undefined) throw notFound()
  throw wrongStatus(run.isInside ? 'It is not parked; only a parked one is tried again or goes on.' : 'It has ended.')
}
