import { int8Array } from '../../../platform/db/arrays.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { integer } from '../../domain-events/emit-events.ts'
import type { WebhookNode } from '../definition/definition.ts'
import { momentOf } from '../micros.ts'
import { emitRunEvents } from './run-events.ts'
import type { Run } from './run-state.ts'
import type { TurnContext } from './turn-context.ts'

/**
 * Has an endpoint called once for each run at a node: an event that the group `webhooks` delivers to this endpoint alone, whatever it
 * subscribes to, at least once under one `webhook-id`. It has the properties of what brought the person in, so that its receiver need
 * not ask for them.
 */
export async function callEndpoint(context: TurnContext, node: WebhookNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId, automationId, name } = context
  const triggers = await triggersOf(context, runs)
  const news = runs.map(({ version, id: runId, contactId, entryKey, enteredAt, depth, visit, node: at, eventId }) => ({
    ...{ type: 'automation.called' as const, automationId, name, version, runId, contactId, entryKey, depth },
    enteredAt: momentOf(enteredAt),
    more: {
      ...{ endpointId: integer(node.endpoint), node: at, visit, properties: node.properties },
      trigger: eventId === null ? null : (triggers.get(eventId) ?? null),
    },
  }))
  await emitRunEvents(tx, workspaceId, news)
}

/** The properties of the events that brought runs in, by their ids. */
async function triggersOf(
  { tx, workspaceId }: TurnContext,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, unknown>> {
  const { rows } = await tx.query<{ id: string; data: string }>({
    name: 'triggers_to_tell',
    text: 'select id, data::text as data from events where workspace_id = $1 and id = any ($2::int8[])',
    values: [workspaceId, int8Array(runs.map(({ eventId }) => eventId))],
  })
  return new Map(rows.map(({ id, data }) => [id, parseExactJson(data)]))
}
