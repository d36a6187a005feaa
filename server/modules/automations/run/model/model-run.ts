import type { Proof } from '../../../../catalogue/proofs.ts'
import type { RuleGroup } from '../../../segments/parse-definition.ts'
import type { Definition, MailContent, Node, Target, Where } from '../../definition/definition.ts'
import type { Variables } from '../variables.ts'

/** Moments of the model are whole microseconds since 1970: what a database keeps of them, and exact as numbers. */
export type Micros = number

/** The position of a timer: behind all events of its moment. */
export const TIMER_POSITION = Number.MAX_SAFE_INTEGER

export type Data = Readonly<Record<string, unknown>>

/** One person's way through one version of an automation. */
export type ModelRun = {
  readonly entryKey: string
  /** The trigger: when, the event's place in the log (0 by hand), and its properties (null by hand). */
  readonly enteredAt: Micros
  readonly enteredPosition: number
  readonly trigger: Data | null
  /** The node it stands at; '' before the first. */
  readonly node: string
  readonly visit: number
  /** `ready`: on its way, or taken up again in a pause. `parked`: its node has failed too often. */
  readonly state: 'ready' | 'waiting' | 'parked' | 'ended'
  /** The run's own clock, a pair. */
  readonly at: Micros
  readonly position: number
  /** Its timer; null while it does not wait. */
  readonly dueAt: Micros | null
  /** The end of its rest; its timer may be due before, for the date that it waits for. */
  readonly endAt: Micros | null
  /** How much later its rest ends than its node says: by a pause, or because that was over when it was told. */
  readonly putOff: Micros
  readonly variables: Variables
  /** Of somebody who began in the past: mail that was due before is skipped. */
  readonly mailFrom?: Micros | undefined
  readonly goalAt: Micros | null
  readonly goalValue: unknown
  readonly end: End | null
}

export type End = {
  state: 'completed' | 'exited' | 'held_out' | 'erased'
  reason: EndReason | null
}
export type EndReason =
  | 'criterion'
  | 'goal'
  | 'unsubscribed'
  | 'restart'
  | 'loop'
  | 'moved'
  | 'merged'
  | 'by_hand'
  | 'left'
  | 'stopped'

/** A visit that is over. The entry is visit 0 of node ''. */
export type ModelStep = {
  visit: number
  node: string
  way: string
  /** Null at the end. */
  next: string | null
  cameAt: Micros
  leftAt: Micros
  /** Of the event that set the clock to `leftAt`, or TIMER_POSITION. */
  position: number
}

export type Effect =
  | { kind: 'mail'; node: string; visit: number; at: Micros; content: MailContent; variables: Variables }
  | { kind: 'tag'; node: string; visit: number; add: readonly string[]; remove: readonly string[] }
  | { kind: 'field'; node: string; visit: number; set: Data }
  | { kind: 'emit'; node: string; visit: number; event: string; properties: Data }
  | { kind: 'call'; node: string; visit: number; endpoint: string; properties: Data }
  | { kind: 'notify'; node: string; visit: number; at: Micros; members: readonly string[] | null }
  | { kind: 'enroll' | 'leave'; node: string; visit: number; automation: string }

export type Input =
  | { kind: 'timer'; at: Micros }
  /** A run that was parked and taken up tries its node again, or goes past it. */
  | { kind: 'again'; isSkipped: boolean }
  /** Those who wait are asked whether what they wait for holds. */
  | { kind: 'check'; at: Micros }
  /** The contact has another time zone, which the facts have already. */
  | { kind: 'zone'; at: Micros }
  /** After a pause since `pausedAt` everything is put off by as long. */
  | { kind: 'shift'; pausedAt: Micros; took: Micros }
  | HeardEvent

/** `proof`: of events of browsers alone. */
export type HeardEvent = {
  kind: 'event'
  at: Micros
  position: number
  name: string
  data: Data
  proof?: Proof | null
  /** It happens during a pause, so nobody goes on by it. */
  isPaused?: boolean
  /** It was somebody else's deed then: it ends waits alone. */
  isApart?: boolean
}

/**
 * All that a way depends on besides its definition and its inputs. They are functions, so that whoever replays says as of
 * when: `so` has the moment of the run's clock, what it has brought about since its last rest, and the run itself.
 */
export type Facts = {
  /** The contact's own zone; undefined: that of the automation. */
  zone: string | undefined
  /** Of an automation that went on after a pause: mail that was due before is skipped. */
  mailFrom?: Micros | undefined
  /** Whether a rule group that segments understand holds for the contact. */
  belongs(group: RuleGroup, so: SoFar): boolean
  clicked(node: string, so: SoFar): boolean
  /** The value of a custom field. */
  fieldOf(key: string, so: SoFar): unknown
  /** Whether an event's properties pass a filter. */
  passes(where: Where, data: Data): boolean
  /** The contact's number below 10,000 for a split (its node's id) or the holdout (''), for ever the same. */
  bucket(of: string): number
  /** Whether what a node does fails for the contact, however often it is tried, or is not tried, as where it is halted. */
  fails?(node: Node, id: string): boolean
  /** Why the contact is not mailed at this node; undefined when it is. */
  refusal(node: string, so: SoFar): string | undefined
}
export type SoFar = { at: Micros; effects: readonly Effect[]; run?: ModelRun }

/**
 * An interpretation is of a definition, by facts. `wallAt` is the wall's clock when something of a logical moment is
 * done: mail may be too late by it, nothing else is.
 */
export type Interpreted = { automationId: string; definition: Definition; facts: Facts; wallAt: (at: Micros) => Micros }

/** All that one input brings about. */
export type Advance = { run: ModelRun; steps: readonly ModelStep[]; effects: readonly Effect[] }

/** An edge by its name, and where it leads. */
export type Leaving = { way: string; to: Target }
