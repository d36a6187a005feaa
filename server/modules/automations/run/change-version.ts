import { END } from '../definition/definition.ts'
import { LEAVES, type Moving, placeIn } from '../definition/places.ts'
import { type Micros, microsOf } from '../micros.ts'
import type { QueueRow } from './claim-rows.ts'
import { restEnd, zoneOf } from './rest.ts'
import { type Run, TIMER_POSITION } from './run-state.ts'
import { exit, leave, setClock, type TurnContext } from './turn-context.ts'

/** The moves of these numbers that nobody has revoked. */
export async function movesOf(
  { tx, workspaceId, automationId }: TurnContext,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Moving>> {
  if (numbers.length === 0) return new Map()
  const { rows } = await tx.query<Omit<Moving, 'map'> & { number: number; map: string }>({
    name: 'moves_of_runs',
    text: `select number, inside, map::text as map, nodes from automation_moves
      where workspace_id = $1 and automation_id = $2 and number = any ($3::int4[]) and state <> 'revoked'`,
    values: [workspaceId, automationId, [...new Set(numbers)]],
  })
  return new Map(rows.map(({ number, map, ...move }) => [number, { ...move, map: JSON.parse(map) }]))
}

type Changing = { row: QueueRow; move: Moving | undefined; zone: string | null | undefined }

/**
 * Takes a run into the version that was published. Somebody who rests and comes to a rest keeps their clock, and has the new
 * one's end, never before the publishing; anybody else goes on as of then. In the version it looks anew for what the new one
 * listens to: what had been found for the old one is void.
 */
export function changeVersion(context: TurnContext, run: Run, { row, move, zone }: Changing): void {
  const definition = context.definitions.get(row.version)!
  const place = move && run.version < row.version ? placeIn(definition, move, run.node) : undefined
  if (place === undefined) return
  const at = microsOf(row.dueAt)
  const node = place === END || place === LEAVES ? undefined : definition.nodes[place]!
  const rest = node?.type === 'delay' || node?.type === 'wait' ? node : undefined
  const keepsClock = rest !== undefined && run.state === 'waiting'
  if (!keepsClock) setClock(run, laterOf(run.at, at), TIMER_POSITION)
  if (place === LEAVES) {
    exit(context, run, { reason: 'moved' })
    return
  }
  const { putOff } = run
  leave(context, run, { way: 'moved', to: place })
  if (run.end !== null) return
  run.version = row.version
  run.zone = zoneOf(zone, definition)
  run.looked = false
  context.moved.set(run, at)
  if (!keepsClock) return
  run.putOff = putOff
  const end = restEnd(run, rest)
  if (end < at) run.putOff += at - end
}

export const laterOf = (one: Micros, other: Micros): Micros => (one > other ? one : other)
