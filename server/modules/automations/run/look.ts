import { positionBefore } from '../../../platform/outbox/ticks.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { type Candidate, IN_TIME, judge, MATCHES, putSignals } from '../entry/signals.ts'
import { compareMoments, momentOf } from '../micros.ts'
import { firstEnd, momentsAt } from './dates-of-runs.ts'
import { LISTENING } from './given-runs.ts'
import { nodeOf, type Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/**
 * Looks once for what runs that have begun to listen could have missed, and makes signals of it; only then their timers
 * stand. The transaction that made them listen has been committed before (docs/adr/0015, rule 3).
 */
export async function look(context: TurnContext, runs: readonly Run[]): Promise<void> {
  if (runs.length === 0) return
  const candidates = await candidatesOf(context, runs)
  const now = momentOf(context.clock)
  await putSignals(context.tx, firsts(await judge(context.tx, candidates, { definitionsOf: loadDefinitions, now })))
  for (const of of Map.groupBy(runs, ({ version, node }) => `${version}/${node}`).values()) {
    const node = nodeOf(context, of[0]!)
    const rests = node.type === 'delay' || node.type === 'wait'
    const moments = rests ? await momentsAt(context.tx, context.workspaceId, { node, people: of }) : undefined
    for (const run of of) {
      run.looked = true
      const dueAt = rests ? firstEnd(run, node, moments?.get(run)) : run.at
      run.timer = run.state === 'parked' ? null : { dueAt, looks: false }
    }
  }
}

/** Of each run the first that ends its wait, the first that ends it, and the first that is its goal: no others count. */
function firsts(signals: readonly Candidate[]): Candidate[] {
  const first = new Map<string, Candidate>()
  const inOrder = [...signals].sort(
    (one, other) =>
      compareMoments(one.recordedAt, other.recordedAt) || Number(BigInt(one.position) - BigInt(other.position)),
  )
  for (const signal of inOrder) {
    const key = `${signal.runId}/${signal.kind}`
    if (!first.has(key)) first.set(key, signal)
  }
  return [...first.values()]
}

/** SQL: a contact, and those that became part of it whose events have not all followed yet (personal-data/merge-contacts.ts). */
const WHOSE = `select r.contact_id union all
  select m.merged_id from contact_merges m
  where m.workspace_id = r.workspace_id and m.survivor_id = r.contact_id and m.state <> 'done'`

async function candidatesOf(
  { tx, workspaceId, automationId }: TurnContext,
  runs: readonly Run[],
): Promise<Candidate[]> {
  const { rows } = await tx.query<Candidate>({
    name: 'look_for_signals',
    text: `select r.workspace_id as "workspaceId", r.automation_id as "automationId", r.version, l.kind, l.node, l.way,
        l.filtered, r.id as "runId", r.contact_id as "contactId", r.visit, e.id as position, e.recorded_at as "recordedAt", ${IN_TIME}
      from (
        select r.*, ${positionBefore('r.since')} as after_position from (
          select $1::bigint as workspace_id, $2::bigint as automation_id, g.*, case when looked then at else entered_at end as since
          from ${LISTENING.from} as g
        ) r offset 0
      ) r
      cross join lateral (${WHOSE}) whose
      join events e on e.workspace_id = r.workspace_id and e.contact_id = whose.contact_id and e.id > r.after_position
        and e.recorded_at >= r.since
      join automation_listens l on l.workspace_id = r.workspace_id and l.automation_id = r.automation_id
        and l.version = r.version and l.name = e.name and l.kind <> 'entry'
      left join events t on l.match is not null and t.workspace_id = r.workspace_id and t.id = r.event_id
        and t.recorded_at = r.event_at
      where case when l.kind = 'wait' then l.node = r.node and (e.recorded_at, e.id) > (r.at, r.at_position)
          else not r.looked and (e.recorded_at, e.id) > (r.entered_at, coalesce(r.event_id, 0)) end
        and (l.match is null or ${MATCHES})`,
    values: [workspaceId, automationId, ...LISTENING.values(runs)],
  })
  return rows
}
