import type { Transaction } from '../../../platform/db/transaction.ts'
import { END } from '../definition/definition.ts'
import type { Micros } from '../micros.ts'
import type { RunLane } from '../run-lanes.ts'
import type { Flow, Run, Step } from './run-state.ts'

/** The most visits of one run, and of one stretch of it. */
export const VISITS_MAX = 1_000
export const STRETCH_VISITS_MAX = 50

/** A turn's transaction, and what it will write at its end. */
export type TurnContext = Flow & {
  tx: Transaction
  steps: Step[]
  /** People whom the team is to be told of. */
  notices: Notice[]
  /** Lanes of the automation's stream that have mail to send. */
  mails: number
  /** Runs that have come into another version, and when it was published: what was found for the old one is void. */
  moved: Map<Run, Micros>
  /** Lanes that have work by it: woken at its end, all in one order, so that no two turns wait for each other. */
  woken: RunLane[]
}

/** A visit of somebody to a node that tells the team. */
export type Notice = Pick<Step, 'run' | 'visit' | 'node' | 'version'> & { at: Micros }

export type Leaving = { way: string; to: string; seen?: Record<string, unknown> | null; eventId?: string | null }

/** Has a run leave its node by a way: to the next one, or out of the automation. */
export function leave({ steps }: TurnContext, run: Run, { way, to, seen = null, eventId = null }: Leaving): void {
  const next = to === END ? null : to
  const { visit, node, version } = run
  steps.push({ run, visit, node, version, way, next, cameAt: cameAt.get(run) ?? run.at, leftAt: run.at, eventId, seen })
  if (next === null) {
    run.end = { state: 'completed', reason: null }
    return
  }
  cameAt.set(run, run.at)
  run.node = next
  run.visit++
  run.state = 'ready'
  run.attempts = 0
  run.error = null
  run.putOff = 0n
  run.timer = null
}

/** When runs came to the node they stand at, where a turn has moved their clock since. */
const cameAt = new WeakMap<Run, Micros>()

/** Sets a run's clock on: the node it stands at took until then. */
export function setClock(run: Run, at: Micros, position: string): void {
  if (!cameAt.has(run)) cameAt.set(run, run.at)
  run.at = at
  run.atPosition = position
}

/** Ends a run where it stands, for a reason. */
export function exit(
  context: TurnContext,
  run: Run,
  { reason, eventId = null }: { reason: string; eventId?: string | null },
): void {
  leave(context, run, { way: `exit:${reason}`, to: END, eventId })
  run.end = { state: 'exited', reason }
}
