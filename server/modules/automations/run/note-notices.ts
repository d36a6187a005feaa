import { enqueue } from '../../../platform/jobs/enqueue.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { meantOf, membersToTell } from '../../members/members-to-tell.ts'
import type { NotifyNode } from '../definition/definition.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { momentOf } from '../micros.ts'
import type { Run } from './run-state.ts'
import { leave, type TurnContext } from './turn-context.ts'
import { seenVariables } from './variables.ts'

/** People whom one mail names of a step; whoever comes while as many of a lane wait is counted. */
export const NAMED_MAX = 20

export type TellKey = { workspaceId: string; automationId: string }

export const TELL_TEAM = jobKind<TellKey>({
  kind: 'tell_team',
  queue: 'default',
  singletonKey: ({ workspaceId, automationId }) => `${workspaceId}/${automationId}`,
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * Has the team be told of people at a node. The trace keeps how many members that is; where none of those it names is left, nobody
 * is told.
 */
export async function noteNotices(context: TurnContext, node: NotifyNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId, notices } = context
  const members = meantOf(await membersToTell(tx, workspaceId, node.members ?? []), node.members).length
  for (const run of runs) {
    const { visit, node: at, version } = run
    if (members > 0) notices.push({ run, visit, node: at, version, at: run.at })
    leave(context, run, { way: 'to', to: node.to, seen: { members, ...seenVariables(run) } })
  }
}

/**
 * Writes them down, each once a visit: the trace has one row for it in the same transaction. However many people come there, a lane
 * has one row a node, and NAMED_MAX names.
 */
export async function writeNotices({ tx, workspaceId, automationId, notices }: TurnContext): Promise<void> {
  if (notices.length === 0) return
  const rows = notices.map(({ run, visit, node, version, at }) => ({
    ...{ version, node, run_id: run.id, visit, contact_id: run.contactId },
    ...{ event_id: run.eventId, event_at: run.eventAt, came_at: momentOf(at) },
  }))
  const values = [workspaceId, automationId, JSON.stringify(rows)]
  await tx.query({ name: 'count_notices', text: COUNT, values })
  await tx.query({ name: 'name_notices', text: NAME, values })
}

const GIVEN = `json_to_recordset($3::json) as g(version int, node text, run_id bigint, visit int, contact_id bigint,
  event_id bigint, event_at timestamptz, came_at timestamptz)`
const SLOT = `(g.contact_id % ${RUN_SLOTS})::smallint`

const COUNT = `insert into automation_notices as n (workspace_id, automation_id, slot, version, node, people)
  select $1, $2, ${SLOT}, g.version, g.node, count(*) from ${GIVEN} group by 3, 4, 5 order by 3, 4, 5
  on conflict (workspace_id, automation_id, slot, version, node) do update set people = n.people + excluded.people`

/** The counts are those after these people. */
const NAME = `insert into automation_notice_people (workspace_id, automation_id, slot, version, node, run_id, visit, contact_id,
    event_id, event_at, came_at)
  select $1, $2, n.slot, n.version, n.node, g.run_id, g.visit, g.contact_id, g.event_id, g.event_at, g.came_at
  from (
    select *, ${SLOT} as slot, row_number() over (partition by ${SLOT}, g.version, g.node order by g.run_id, g.visit) as place,
      count(*) over (partition by ${SLOT}, g.version, g.node) as came
    from ${GIVEN}) g
  join automation_notices n on n.workspace_id = $1 and n.automation_id = $2 and n.slot = g.slot and n.version = g.version
    and n.node = g.node
  where n.people - g.came + g.place <= ${NAMED_MAX}`

/** Sees to it that the team is told, last of all that the turn does: other turns of the automation wait for this one job. */
export async function askToTell({ tx, workspaceId, automationId, notices }: TurnContext): Promise<void> {
  if (notices.length > 0) await enqueue(tx, TELL_TEAM, { workspaceId, automationId })
}
