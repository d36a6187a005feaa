import { isHeard, type SetNode, type SignalWay } from '../definition/definition.ts'
import type { QueueRow } from './claim-rows.ts'
import { nodeOf, type Run } from './run-state.ts'
import { leave, type TurnContext } from './turn-context.ts'
import { type Values, valuesOf } from './values-of.ts'
import { givenBy, givenByEvent, seenOf, withVariables } from './variables.ts'

/** Sets the variables of a node, for each run by what brought it in. */
export async function setVariables(context: TurnContext, node: SetNode, runs: readonly Run[]): Promise<void> {
  const { tx, workspaceId } = context
  const keys = Object.values(node.set).flatMap((value) => (typeof value === 'object' ? (value?.event ?? []) : []))
  const triggers = await valuesOf(tx, workspaceId, { of: 'events', ids: runs.map(({ eventId }) => eventId), keys })
  for (const run of runs) {
    const setting = withVariables(run.variables, givenBy(node, triggers.get(run.eventId ?? '') ?? {}))
    run.variables = setting.variables
    leave(context, run, { way: 'to', to: node.to, seen: seenOf(setting) })
  }
}

/** Sets those that a way out of a wait takes from its event, which is among `values`; answers what the trace keeps of it. */
export function setByEvent(
  run: Run,
  { set }: SignalWay,
  { position, values }: { position: string; values: Values },
): Record<string, unknown> | null {
  if (set === undefined) return null
  const setting = withVariables(run.variables, givenByEvent(set, values.get(position) ?? {}))
  run.variables = setting.variables
  return seenOf(setting)
}

type Heard = { row: QueueRow; run: Run }

/** The properties that waits take into variables, of the events that end them. */
export async function valuesTaken(context: TurnContext, heard: readonly Heard[]): Promise<Values> {
  const taking = heard.flatMap(({ row, run }) => {
    const set = row.kind === 'wait' ? wayTaken(context, { row, run })?.set : undefined
    return set === undefined ? [] : [{ id: row.position, keys: Object.values(set) }]
  })
  if (taking.length === 0) return new Map()
  const keys = [...new Set(taking.flatMap((one) => one.keys))]
  return valuesOf(context.tx, context.workspaceId, { of: 'events', ids: taking.map(({ id }) => id), keys })
}

function wayTaken(context: TurnContext, { row, run }: Heard): SignalWay | undefined {
  const node = run.visit === row.visit ? nodeOf(context, run) : undefined
  const way = node?.type === 'wait' ? node.for[row.way] : undefined
  return way !== undefined && isHeard(way) ? way : undefined
}
