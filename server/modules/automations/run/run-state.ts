import type { Definition, Node } from '../definition/definition.ts'
import type { Micros } from '../micros.ts'
import type { Variables } from './variables.ts'

/** The position of a timer: behind all events of its moment. */
export const TIMER_POSITION = '9223372036854775807'

/** SQL, for runs `r`: when the timer of each is due; of one that still looks for what came before, there is none. A lookup for each, by the whole key (ADR 5). */
export const TIMER_OF_RUN = `(select due_at from run_queue where workspace_id = r.workspace_id and automation_id = r.automation_id
    and contact_id = r.contact_id and run_id = r.id and kind = 'timer' and position = ${TIMER_POSITION} and visit = 0 and not looks limit 1)`

/** A run as a turn has it in hand. Moments are of the run's own clock. */
export type Run = {
  id: string
  version: number
  contactId: string
  entryKey: string
  createdAt: string
  enteredAt: Micros
  eventId: string | null
  eventAt: string | null
  depth: number
  node: string
  visit: number
  state: 'ready' | 'waiting' | 'parked'
  at: Micros
  atPosition: string
  attempts: number
  error: string | null
  /** The visit that it is to go past without doing its node. */
  skipVisit: number | null
  looked: boolean
  putOff: Micros
  /** How many pauses of the automation that is for. */
  pauses: number
  variables: Variables
  /** Mail due before is too late, of those who begin as of the past. */
  mailFrom: Micros | null
  goalAt: Micros | null
  goalValue: string | null
  /** Whether this turn has found that it reached its goal. */
  reached: boolean
  /** The contact's time zone, or the automation's. */
  zone: string
  /** Made by this turn. */
  isNew: boolean
  /** Of a run that waits: when its timer is due, and whether it has to look first. */
  timer: { dueAt: Micros; looks: boolean } | null
  end: { state: 'completed' | 'exited' | 'held_out' | 'failed'; reason: string | null } | null
}

/** A visit that is over: a row of the trace. */
export type Step = {
  run: Run
  visit: number
  node: string
  version: number
  way: string
  next: string | null
  cameAt: Micros
  leftAt: Micros
  eventId: string | null
  seen: Record<string, unknown> | null
}

/** An automation as a turn knows it. */
export type Flow = {
  workspaceId: string
  automationId: string
  name: string
  /** The version in force; null when nobody may come in. */
  current: number | null
  definitions: ReadonlyMap<number, Definition>
  clock: Micros
  /** How many pauses have put everything off so far. */
  pauses: number
  /** Nodes at which people gather untried. */
  halted: ReadonlySet<string>
  /** Mail due before is too late, whatever its node says. */
  mailFrom: Micros | null
}

export function nodeOf({ definitions }: Flow, run: Run): Node {
  return definitions.get(run.version)!.nodes[run.node]!
}
