import { int8Array } from '../../../platform/db/arrays.ts'
import { asks, type Node, type SignalWay } from '../definition/definition.ts'
import { ASKED_WAY, BY_HAND_WAY, LEFT_WAY, UNSUBSCRIBED_WAY } from '../definition/listens.ts'
import { type Micros, microsOf } from '../micros.ts'
import { type AtWait, askAtWait } from './ask-runs.ts'
import { changeVersion, laterOf, movesOf } from './change-version.ts'
import type { QueueRow } from './claim-rows.ts'
import { firstEnd } from './dates-of-runs.ts'
import { plus, restEnd } from './rest.ts'
import { nodeOf, type Run, TIMER_POSITION } from './run-state.ts'
import { setByEvent, valuesTaken } from './set-variables.ts'
import { exit, type Leaving, leave, setClock, type TurnContext } from './turn-context.ts'
import type { Values } from './values-of.ts'

type Heard = { row: QueueRow; run: Run }

/** Has runs act on what concerns them: timers that are due, events that end their wait, end them or are their goal, and other time zones. */
export async function hear(
  context: TurnContext,
  { heard, contacts }: { heard: readonly Heard[]; contacts: ReadonlyMap<string, string | null> },
): Promise<void> {
  const goals = heard.filter(({ row }) => row.kind === 'goal')
  const moves = await movesOf(
    context,
    heard.flatMap(({ row }) => (row.kind === 'move' ? [row.visit] : [])),
  )
  const values = await goalValues(context, goals)
  const asked = await askHeard(context, heard)
  const taken = await valuesTaken(context, heard)
  for (const { row, run } of heard) {
    switch (row.kind) {
      case 'timer':
        fire(context, run, { row, asked: asked.get(run) })
        break
      case 'wait':
        endWait(context, run, { row, asked: asked.get(run), taken })
        break
      case 'exit':
        if (isVoid(row, run)) break
        setClock(run, laterOf(run.at, microsOf(row.dueAt)), row.position)
        exit(context, run, { reason: EXITS[row.way] ?? 'criterion', eventId: eventOf(row) })
        break
      case 'goal':
        reach(context, run, { row, value: values.get(row.position) ?? null })
        break
      case 'zone':
        reckonAnew(context, run, { row, asked: asked.get(run) })
        break
      case 'move':
        changeVersion(context, run, { row, move: moves.get(row.visit), zone: contacts.get(run.contactId) })
        break
      case 'entry':
        break
    }
  }
}

const EXITS: Readonly<Record<number, string>> = {
  [UNSUBSCRIBED_WAY]: 'unsubscribed',
  [LEFT_WAY]: 'left',
  [BY_HAND_WAY]: 'by_hand',
}

const eventOf = ({ way, position }: QueueRow) => (way === LEFT_WAY || way === BY_HAND_WAY ? null : position)

type Ending = { row: QueueRow; asked: AtWait | undefined }

function fire(context: TurnContext, run: Run, { row, asked }: Ending): void {
  if (run.state !== 'waiting') return
  const node = nodeOf(context, run)
  // Put off since: its timer is set anew.
  if (run.timer !== null && run.timer.dueAt > microsOf(row.dueAt)) return
  const due = microsOf(row.dueAt)
  const way = wayAtEnd(node, run, { due, asked })
  if (way) {
    setClock(run, due, TIMER_POSITION)
    leave(context, run, way)
  } else if (asks(node)) run.timer = { dueAt: firstEnd(run, node, asked?.moments), looks: false }
}

/** The way of somebody whose timer is due; undefined where they rest on: it was that of a date that is another one since, or put off. */
function wayAtEnd(
  node: Node,
  run: Run,
  { due, asked }: { due: Micros; asked: AtWait | undefined },
): Leaving | undefined {
  if (node.type === 'delay') return { way: 'to', to: node.to }
  if (node.type !== 'wait') return undefined
  return asked?.open ?? (asks(node) && due < restEnd(run, node) ? undefined : { way: 'late', to: node.late })
}

/** A signal of a version that the run has left is void: it has looked anew since, for what its own listens to. */
function isVoid({ way, version }: QueueRow, run: Run): boolean {
  return way > LEFT_WAY && version !== run.version
}

/** The end of a rest in another time zone: reckoned from when it began, and never before somebody had that zone. */
function reckonAnew(context: TurnContext, run: Run, { row, asked }: Ending): void {
  const node = nodeOf(context, run)
  if (run.state !== 'waiting' || (node.type !== 'delay' && node.type !== 'wait')) return
  const since = microsOf(row.dueAt)
  const end = restEnd(run, node)
  if (end < since) run.putOff += since - end
  if (asked?.open) {
    setClock(run, laterOf(run.at, since), TIMER_POSITION)
    leave(context, run, asked.open)
  } else run.timer = { dueAt: firstEnd(run, node, asked?.moments), looks: false }
}

type Ended = Ending & { taken: Values }

/** A signal of a wait that is over is void. */
function endWait(context: TurnContext, run: Run, { row: { visit, way, dueAt, position }, asked, taken }: Ended): void {
  const node = nodeOf(context, run)
  if (run.visit !== visit || run.state !== 'waiting' || node.type !== 'wait') return
  if (way !== ASKED_WAY) {
    const taking = node.for[way]! as SignalWay
    setClock(run, microsOf(dueAt), position)
    const seen = setByEvent(run, taking, { position, values: taken })
    leave(context, run, { way: String(way), to: taking.to, eventId: position, seen })
  } else if (asked?.open) {
    setClock(run, laterOf(run.at, microsOf(dueAt)), position)
    leave(context, run, asked.open)
  } else if (asked) run.timer = { dueAt: firstEnd(run, node, asked.moments), looks: false }
}

/** Asks those whose wait may be over by what it asks for: at its end, where that may hold since, and in another time zone. */
async function askHeard(context: TurnContext, heard: readonly Heard[]): Promise<ReadonlyMap<Run, AtWait>> {
  const asked = new Map<Run, AtWait>()
  const waiting = heard.filter(
    ({ row, run }) =>
      run.state === 'waiting' &&
      (row.kind === 'timer' || row.kind === 'zone' || (row.kind === 'wait' && row.way === ASKED_WAY)) &&
      asks(nodeOf(context, run)),
  )
  for (const of of Map.groupBy(waiting, ({ run }) => `${run.version}/${run.node}`).values()) {
    const node = nodeOf(context, of[0]!.run)
    if (!asks(node)) continue
    const dueOf = new Map(of.map(({ row, run }) => [run, microsOf(row.dueAt)]))
    const answers = await askAtWait(context, { node, runs: [...dueOf.keys()], asOf: (run) => dueOf.get(run)! })
    for (const [run, answer] of answers) asked.set(run, answer)
  }
  return asked
}

/** The first time within the window counts. */
function reach(context: TurnContext, run: Run, { row, value }: { row: QueueRow; value: string | null }): void {
  const { goal } = context.definitions.get(run.version)!
  if (isVoid(row, run)) return
  const at = microsOf(row.dueAt)
  if (!goal || run.goalAt !== null || at > plus(run.enteredAt, goal.within, run.zone)) return
  run.goalAt = at
  run.goalValue = value
  run.reached = true
  if (!goal.exit) return
  setClock(run, laterOf(run.at, at), row.position)
  exit(context, run, { reason: 'goal', eventId: row.position })
}

/** The numbers that events which are goals bring along, by their positions. */
async function goalValues(context: TurnContext, goals: readonly Heard[]): Promise<ReadonlyMap<string, string>> {
  const { tx, workspaceId, definitions } = context
  const found = new Map<string, string>()
  for (const [version, of] of Map.groupBy(goals, ({ run }) => run.version)) {
    const property = definitions.get(version)!.goal?.value
    if (!property) continue
    const { rows } = await tx.query<{ id: string; value: string }>({
      name: 'goal_values_of_events',
      text: `select id, (data ->> $3::text) as value from events where workspace_id = $1 and id = any ($2::int8[])
        and jsonb_typeof(data -> $3::text) = 'number'`,
      values: [workspaceId, int8Array(of.map(({ row }) => row.position)), property],
    })
    for (const { id, value } of rows) found.set(id, value)
  }
  return found
}
