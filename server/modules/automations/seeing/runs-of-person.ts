import type { Transaction } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { eventNamesStatement, type StepRow, withEventNames } from './run-queries.ts'
import type { PersonRun, RunTrace } from './schemas.ts'
import { variablesAfter } from './variables-after.ts'

/** Runs of one person in one document, the newest; and their steps, those of the newest runs. */
export const PERSON_RUNS_MAX = 1_000
export const PERSON_STEPS_MAX = 10_000

type RunRow = Omit<PersonRun, 'steps' | 'variables'> & { createdAt: string }

/** All ways of a contact through automations, newest first, each with its trace. */
export async function runsOfPerson(tx: Transaction, workspaceId: string, contactId: string): Promise<PersonRun[]> {
  const { rows: runs } = await tx.query<RunRow>({
    name: 'runs_of_person',
    text: `select r.id, r.created_at as "createdAt", r.automation_id as "automationId", a.name as "automationName", r.version,
        r.state, r.reason, r.entry_key as "entryKey", r.entered_at as "enteredAt", r.ended_at as "endedAt", r.goal_at as "goalAt"
      from (
        select id, created_at, automation_id, version, state, null as reason, entry_key, entered_at, null as ended_at, goal_at
        from runs where workspace_id = $1 and contact_id = $2
        union all
        select id, created_at, automation_id, version, state, reason, entry_key, entered_at, ended_at, goal_at
        from ended_runs where workspace_id = $1 and contact_id = $2) r
      join automations a on a.workspace_id = $1 and a.id = r.automation_id
      order by r.id desc limit ${PERSON_RUNS_MAX}`,
    values: [workspaceId, contactId],
  })
  const { rows: steps } = await tx.query<StepRow>({
    name: 'steps_of_person',
    text: `select s.run_id as "runId", s.visit, nullif(s.node, '') as node, s.version, s.way, s.next_node as next,
        s.came_at as "cameAt", s.left_at as "leftAt", s.done_at as "doneAt", s.event_id as "eventId", s.seen::text as seen
      from unnest($2::text[]::int8[], $3::text[]::timestamptz[]) as g(id, created_at)
      join run_steps s on s.workspace_id = $1 and s.run_id = g.id and s.created_at = g.created_at
      order by s.run_id desc, s.visit limit ${PERSON_STEPS_MAX}`,
    values: [workspaceId, runs.map(({ id }) => id), runs.map(({ createdAt }) => createdAt)],
  })
  const ids = steps.map(({ eventId }) => eventId)
  const { rows: names } = await tx.query(eventNamesStatement(workspaceId, ids))
  const stepsOf = Map.groupBy(withEventNames(steps, names), ({ runId }) => runId)
  return runs.map(({ createdAt: _, ...run }) => {
    const trace = (stepsOf.get(run.id) ?? []).map(stepOf)
    return { ...run, variables: variablesAfter(trace), steps: trace }
  })
}

function stepOf({ runId: _, seen, ...step }: StepRow & { event: string | null }): RunTrace['steps'][number] {
  return { ...step, seen: seen === null ? null : (parseExactJson(String(seen)) as Record<string, unknown>) }
}
