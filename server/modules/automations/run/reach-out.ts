import { int8Array } from '../../../platform/db/arrays.ts'
import { setCustomFields } from '../../contacts/set-custom-fields.ts'
import { emitRecorded } from '../../events/emit-recorded.ts'
import type { EmitNode, FieldNode } from '../definition/definition.ts'
import { ALL_RUNS, LEFT_WAY } from '../definition/listens.ts'
import { POSITION_WITHOUT_EVENT, putEntries } from '../entry/put-entries.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { momentOf } from '../micros.ts'
import type { RunLane } from '../run-lanes.ts'
import { causesOf } from './causes-of.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Sets the custom fields of a node. */
export async function setFields(context: TurnContext, node: FieldNode, runs: readonly Run[]): Promise<void> {
  const ids = runs.map(({ contactId }) => contactId)
  await setCustomFields(context.tx, context.workspaceId, { ids, set: node.set, causes: causesOf(context, runs) })
}

/** Records the event of a node for each run; it says which run it is of, and how many automations have led to it. */
export async function emitEvent(context: TurnContext, node: EmitNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId, automationId } = context
  const events = runs.map(({ id, contactId, depth }) => {
    const cause = { automationId: JSON.rawJSON(automationId), runId: JSON.rawJSON(id), depth: depth + 1 }
    return { contactId, data: JSON.stringify({ ...node.properties, cause }) }
  })
  await emitRecorded(tx, workspaceId, { action: node.event, events })
}

/** Has the people of a node want to come into another automation, by its own rules. */
export async function enrollElsewhere(
  { tx, workspaceId, clock, woken }: TurnContext,
  automationId: string,
  runs: readonly Run[],
): Promise<void> {
  const wanting = runs.map(({ contactId, depth }) => ({ contactId, depth: depth + 1 }))
  const { lanes } = await putEntries(tx, { workspaceId, automationId }, { wanting, at: momentOf(clock) })
  woken.push(...lanes)
}

/**
 * Has the people of a node leave an automation: those inside by an exit of their runs, which holds their mail back and takes effect in a
 * pause, and whoever has yet to come in by a wish of before by one that its turn comes to behind that. Where it is their own, those who have
 * come in just now are inside as well, though their runs are written at the end of the turn.
 */
export async function leaveElsewhere(
  { tx, workspaceId, automationId: own, clock, woken }: TurnContext,
  automationId: string,
  runs: readonly Run[],
): Promise<void> {
  const coming = automationId === own ? runs.filter(({ isNew }) => isNew) : []
  const { rows } = await tx.query<RunLane>({
    name: 'leave_elsewhere',
    text: `with told as materialized (
        select contact_id, ${POSITION_WITHOUT_EVENT} as position from unnest($3::int8[]) as g(contact_id)
      ), exits as (
        select contact_id, position, ${ALL_RUNS} as run_id, 0 as version from told
        union all
        select t.contact_id, t.position, r.id, r.version from told t
        join runs r on r.workspace_id = $1 and r.automation_id = $2 and r.contact_id = t.contact_id
        union all
        select t.contact_id, t.position, c.id, c.version from told t
        join unnest($5::int8[], $6::int8[], $7::int8[]) as c(contact_id, id, version) on c.contact_id = t.contact_id
      ), left_runs as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
        select a.workspace_id, a.id, e.contact_id % ${RUN_SLOTS}, e.contact_id, e.run_id, 'exit', e.position, $4, e.version, ${LEFT_WAY}
        from exits e
        join automations a on a.workspace_id = $1 and a.id = $2 and a.published_version is not null and a.stopped_at is null
        order by e.contact_id, e.run_id, e.position returning workspace_id, automation_id, slot)
      select distinct workspace_id as "workspaceId", automation_id as "automationId", slot from left_runs`,
    values: [
      ...[workspaceId, automationId, int8Array(runs.map(({ contactId }) => contactId)), momentOf(clock)],
      int8Array(coming.map(({ contactId }) => contactId)),
      int8Array(coming.map(({ id }) => id)),
      int8Array(coming.map(({ version }) => String(version))),
    ],
  })
  woken.push(...rows)
}
