import { int8Array } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import { TIMER_OF_RUN } from '../run/run-state.ts'
import type { Run, RunTrace } from './schemas.ts'

/** A run, live or ended, with what a trace is found by. */
export type RunRow = Run & { createdAt: string }

const LIVE = `select r.id, r.created_at, r.contact_id, r.version, r.state, null::text as reason, r.node, r.entry_key, r.entered_at,
    postroom_put_off(r.workspace_id, r.automation_id, r.pauses, q.due_at) as due_at, null::timestamptz as ended_at, r.error, r.automation_id
  from runs r left join lateral ${TIMER_OF_RUN} q on true
  where r.workspace_id = $1 and r.automation_id = $2`
const ENDED = `select e.id, e.created_at, e.contact_id, e.version, e.state, e.reason, e.node, e.entry_key, e.entered_at,
    null::timestamptz as due_at, e.ended_at, null::text as error, e.automation_id
  from ended_runs e where e.workspace_id = $1 and e.automation_id = $2`
const COLUMNS = `id, created_at as "createdAt", contact_id as "contactId", version, state, reason, nullif(node, '') as node,
  entry_key as "entryKey", entered_at as "enteredAt", due_at as "dueAt", ended_at as "endedAt", error`

const ID_MAX = '9223372036854775807'
const LIVE_STATES: ReadonlySet<string> = new Set(['ready', 'waiting', 'parked'])

export type RunFilter = { state?: string | undefined; node?: string | undefined; contactId?: string | undefined }
type Key = { workspaceId: string; id: string }

/** `fromId`: none below it is looked at. */
type Page = { beforeId: string | null; fromId?: string | null; limit: number }

/** Runs that one page of a filter looks through, of the live and of the ended ones: it may end before it is full. */
export const RUNS_LOOKED_THROUGH_MAX = 10_000

/**
 * How far down a page of a filter goes; null: to the last run. Nothing is found by a node but by looking: an index with it would
 * be written at each step of everybody. Those of one contact are few, and those that are parked have an index.
 */
export function lastLookedAtStatement(
  { workspaceId, id }: Key,
  { state }: RunFilter,
  beforeId: string | null,
): Statement<{ id: string | null }> {
  const lastOf = (table: string, only = '') => `(select min(id) from (
      select id from ${table} where workspace_id = $1 and automation_id = $2 and id < coalesce($3::bigint, ${ID_MAX}) ${only}
      order by id desc limit ${RUNS_LOOKED_THROUGH_MAX}) seen having count(*) = ${RUNS_LOOKED_THROUGH_MAX})`
  const kind = state === undefined ? 'all' : state === 'parked' ? state : LIVE_STATES.has(state) ? 'live' : 'ended'
  const of = {
    all: `greatest(${lastOf('runs')}, ${lastOf('ended_runs')})`,
    parked: lastOf('runs', `and state = 'parked'`),
    live: lastOf('runs'),
    ended: lastOf('ended_runs'),
  }
  return {
    name: `last_run_looked_at_${kind}`,
    text: `select ${of[kind]} as id`,
    values: [workspaceId, id, beforeId],
  }
}

/** Newest first, below a cursor. Bounds are conditions of the index, whichever plan is taken. */
export function runsStatement(
  { workspaceId, id }: Key,
  { state, node, contactId }: RunFilter,
  { beforeId, fromId = null, limit }: Page,
): Statement<RunRow> {
  // A statement of its own: under one name with the others its plan would be theirs, which walks all runs.
  const ofContact = (at: string) => (contactId === undefined ? 'and $6::bigint is null' : `and ${at}.contact_id = $6`)
  const below = (at: string) => `and ${at}.id < coalesce($3::bigint, ${ID_MAX}) and ${at}.id >= coalesce($8::bigint, 0)
    and ($4::text is null or ${at}.state = $4)
    and ($5::text is null or ${at}.node = $5) ${ofContact(at)}
    order by ${at}.id desc limit $7`
  // Each state is one of runs on their way or of ended ones: the other table would be read to its end for nothing.
  const live = `(${LIVE} ${state === 'parked' ? `and r.state = 'parked'` : ''} ${below('r')})`
  const ended = `(${ENDED} ${below('e')})`
  const isLive = state !== undefined && LIVE_STATES.has(state)
  const [kind, found] =
    state === undefined ? ['all', `${live} union all ${ended}`] : isLive ? [state, live] : ['ended', ended]
  return {
    name: `runs_of_${contactId === undefined ? 'automation' : 'contact_in_automation'}_${kind}`,
    text: `select ${COLUMNS} from (${found}) found order by id desc limit $7`,
    values: [workspaceId, id, beforeId, state ?? null, node ?? null, contactId ?? null, limit, fromId],
  }
}

export function runByIdStatement({ workspaceId, id }: Key, runId: string): Statement<RunRow> {
  return {
    name: 'run_of_automation',
    text: `select ${COLUMNS} from ((${LIVE} and r.id = $3) union all (${ENDED} and e.id = $3)) found`,
    values: [workspaceId, id, runId],
    plan: 'once',
  }
}

export type StepRow = Omit<RunTrace['steps'][number], 'event'> & { runId: string }

/** The traces of runs, in order. */
export function stepsStatement(workspaceId: string, runs: readonly RunRow[]): Statement<StepRow> {
  return {
    name: 'steps_of_runs',
    text: `select s.run_id as "runId", s.visit, nullif(s.node, '') as node, s.version, s.way, s.next_node as next,
        s.came_at as "cameAt", s.left_at as "leftAt", s.done_at as "doneAt", s.event_id as "eventId", s.seen::text as seen
      from unnest($2::text[]::int8[], $3::text[]::timestamptz[]) as g(id, created_at)
      join run_steps s on s.workspace_id = $1 and s.run_id = g.id and s.created_at = g.created_at
      order by s.run_id, s.visit`,
    values: [workspaceId, runs.map(({ id }) => id), runs.map(({ createdAt }) => createdAt)],
  }
}

/** Names of events. They are asked for by their ids alone: a join would let the planner read all of them. */
export function eventNamesStatement(
  workspaceId: string,
  ids: readonly (string | null)[],
): Statement<{ id: string; name: string }> {
  return {
    name: 'names_of_events',
    text: 'select id, name from events where workspace_id = $1 and id = any ($2::int8[])',
    values: [workspaceId, int8Array([...new Set(ids)].filter((id) => id !== null))],
  }
}

/** Steps with the names of the events that came to them. */
export function withEventNames<S extends { eventId: string | null }>(
  steps: readonly S[],
  names: readonly { id: string; name: string }[],
): (S & { event: string | null })[] {
  const byId = new Map(names.map(({ id, name }) => [id, name]))
  return steps.map((step) => ({ ...step, event: byId.get(step.eventId ?? '') ?? null }))
}

export function knownAutomationStatement({ workspaceId, id }: Key): Statement<{ status: string }> {
  return {
    name: 'known_automation',
    text: 'select status from automations where workspace_id = $1 and id = $2 and deleted_at is null',
    values: [workspaceId, id],
  }
}
