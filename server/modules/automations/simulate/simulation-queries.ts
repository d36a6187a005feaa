import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../../platform/db/transaction.ts'
import type { SimulationState } from './schemas.ts'

export type SimulationKey = { workspaceId: string; automationId: string; id: string }

/** The window and the part of people that somebody asked for; moments are RFC 3339. */
export type AskedSimulation = { from: string; until: string; share: number }

export type SimulationRow = AskedSimulation & {
  id: string
  automationId: string
  state: SimulationState
  liveVersion: number | null
  peopleTotal: string
  peopleDone: string
  events: string
  report: string | null
  failure: string | null
  createdAt: string
  endedAt: string | null
}

const COLUMNS = `s.id, s.automation_id as "automationId", s.state, s.from_at as "from", s.until_at as "until", s.share,
  s.live_version as "liveVersion", s.people_total as "peopleTotal", s.people_done as "peopleDone", s.events, s.failure,
  s.created_at as "createdAt", s.ended_at as "endedAt"`

/** With its report, which a list has no room for. */
export function simulationByIdStatement({ workspaceId, automationId, id }: SimulationKey): Statement<SimulationRow> {
  return {
    name: 'simulation_by_id',
    text: `select ${COLUMNS}, s.report from automation_simulations s
      where s.workspace_id = $1 and s.automation_id = $2 and s.id = $3`,
    values: [workspaceId, automationId, id],
  }
}

/** The newest first. */
export function simulationsStatement({
  workspaceId,
  automationId,
}: Omit<SimulationKey, 'id'>): Statement<SimulationRow> {
  return {
    name: 'simulations_of_automation',
    text: `select ${COLUMNS}, null as report from automation_simulations s
      where s.workspace_id = $1 and s.automation_id = $2 order by s.id desc limit ${KEPT_MAX}`,
    values: [workspaceId, automationId],
  }
}

/** Simulations of an automation that are kept. */
export const KEPT_MAX = 20

type NewSimulation = AskedSimulation & {
  automationId: string
  draft: string
  live: string | null
  liveVersion: number | null
}

/** Undefined when the automation is gone. */
export async function insertSimulation(
  tx: Queryable,
  workspaceId: string,
  { automationId, draft, live, liveVersion, from, until, share }: NewSimulation,
): Promise<SimulationRow | undefined> {
  const { rows } = await tx.query<SimulationRow>({
    name: 'insert_simulation',
    text: `insert into automation_simulations as s (workspace_id, automation_id, draft, live, live_version, from_at, until_at, share)
      select $1, a.id, $3, $4, $5, $6, $7, $8 from automations a where a.workspace_id = $1 and a.id = $2 for key share of a
      returning ${COLUMNS}, s.report`,
    values: [workspaceId, automationId, draft, live, liveVersion, from, until, share],
  })
  await tx.query({
    name: 'forget_old_simulations',
    text: `delete from automation_simulations where workspace_id = $1 and automation_id = $2 and state <> 'running'
      and id < coalesce((select min(id) from (select id from automation_simulations
        where workspace_id = $1 and automation_id = $2 order by id desc limit ${KEPT_MAX}) newest), 0)`,
    values: [workspaceId, automationId],
  })
  return rows[0]
}

/** Longer than an attempt of the job may take, which tells of itself every other second. */
const FORSAKEN_MINUTES = 25
const FORSAKEN = 'What ran it has ended, and nothing has taken it up again. Begin another.'

/** Ends those that nobody runs any more, as where a process was killed. */
export async function failForsaken(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'fail_forsaken_simulations',
    text: `update automation_simulations set state = 'failed', failure = $2, ended_at = now()
      where workspace_id = $1 and state = 'running' and touched_at < now() - interval '${FORSAKEN_MINUTES} minutes'`,
    values: [workspaceId, FORSAKEN],
  })
}

/** How many simulations of a workspace are under way; nobody begins one until the transaction ends. */
export async function runningForAdding(tx: Transaction, workspaceId: string): Promise<number> {
  await tx.query({
    name: 'lock_simulations',
    text: `select pg_advisory_xact_lock(hashtextextended('simulations', $1::bigint))`,
    values: [workspaceId],
  })
  const { rows } = await tx.query<{ n: number }>({
    name: 'running_simulations',
    text: `select count(*)::int as n from automation_simulations where workspace_id = $1 and state = 'running'`,
    values: [workspaceId],
  })
  return rows[0]!.n
}

/** Everything that it takes to run one, which is alive from now on; undefined when it has ended or is gone. */
export async function simulationToRun(tx: Transaction, { workspaceId, id }: Omit<SimulationKey, 'automationId'>) {
  const { rows } = await tx.query<{
    automationId: string
    draft: string
    live: string | null
    from: string
    until: string
    share: number
  }>({
    name: 'simulation_to_run',
    text: `update automation_simulations set touched_at = now() where workspace_id = $1 and id = $2 and state = 'running'
      returning automation_id as "automationId", draft, live, from_at as "from", until_at as "until", share`,
    values: [workspaceId, id],
  })
  return rows[0]
}

export type Progress = { peopleTotal: number; peopleDone: number; events: number }

/** Notes how far it came. False when it was canceled, or is gone. */
export async function noteProgress(
  tx: Queryable,
  { workspaceId, id }: Omit<SimulationKey, 'automationId'>,
  { peopleTotal, peopleDone, events }: Progress,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'note_simulation_progress',
    text: `update automation_simulations set people_total = $3, people_done = $4, events = $5, touched_at = now()
      where workspace_id = $1 and id = $2 and state = 'running'`,
    values: [workspaceId, id, peopleTotal, peopleDone, events],
  })
  return rowCount === 1
}

export type SimulationEnd =
  | { state: 'done'; report: string }
  | { state: 'canceled' }
  | { state: 'failed'; failure: string }

/** Ends one that is under way; false when it has ended before. */
export async function endSimulation(
  tx: Queryable,
  { workspaceId, id }: Omit<SimulationKey, 'automationId'>,
  end: SimulationEnd,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'end_simulation',
    text: `update automation_simulations set state = $3, report = $4, failure = $5, ended_at = now()
      where workspace_id = $1 and id = $2 and state = 'running'`,
    values: [
      ...[workspaceId, id, end.state],
      end.state === 'done' ? end.report : null,
      end.state === 'failed' ? end.failure : null,
    ],
  })
  return rowCount === 1
}
