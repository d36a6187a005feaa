import { int8Array } from '../../../platform/db/arrays.ts'
import { setCustomFields } from '../../contacts/set-custom-fields.ts'
import { emitRecorded } from '../../events/emit-recorded.ts'
import type { EmitNode, FieldNode } from '../definition/definition.ts'
import { LEFT_WAY } from '../definition/listens.ts'
import { putEntries } from '../entry/put-entries.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { momentOf } from '../micros.ts'
import type { RunLane } from '../run-lanes.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Sets the custom fields of a node. */
export async function setFields(
  { tx, workspaceId }: TurnContext,
  node: FieldNode,
  runs: readonly Run[],
): Promise<void> {
  const ids = runs.map(({ contactId }) => contactId)
  await setCustomFields(tx, workspaceId, { ids, set: node.set })
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

/** Has the people of a node leave another automation, by signals that its own turns heed. */
export async function leaveElsewhere(
  { tx, workspaceId, clock, woken }: TurnContext,
  automationId: string,
  runs: readonly Run[],
): Promise<void> {
  const { rows } = await tx.query<RunLane>({
    name: 'leave_elsewhere',
    text: `with left_runs as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, way)
        select r.workspace_id, r.automation_id, r.contact_id % ${RUN_SLOTS}, r.contact_id, r.id, 'exit', 0, $4, r.version,
          ${LEFT_WAY}
        from runs r where r.workspace_id = $1 and r.automation_id = $2 and r.contact_id = any ($3::int8[])
        order by r.id on conflict do nothing returning workspace_id, automation_id, slot)
      select distinct workspace_id as "workspaceId", automation_id as "automationId", slot from left_runs`,
    values: [workspaceId, automationId, int8Array(runs.map(({ contactId }) => contactId)), momentOf(clock)],
  })
  woken.push(...rows)
}
