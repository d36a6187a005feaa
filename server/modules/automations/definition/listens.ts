import { type Definition, type Happening, isHeard, type Match, type Where } from './definition.ts'

/** The place of an exit that every marketing automation has: the person wants no more of it. */
export const UNSUBSCRIBED_WAY = -1

/** The place of an exit that another automation has asked for, and of one that somebody has. */
export const LEFT_WAY = -2
export const BY_HAND_WAY = -3

/** The places of wishes to come in by events of the past: as of now, or as of then. */
export const BACKFILL_NOW_WAY = -10
export const BACKFILL_THEN_WAY = -11

/** The place of a goal that ends the run. */
export const ENDING_WAY = 1

/** The place of a wish to come in by a date or a schedule, which brings nobody in twice. */
export const OCCURRENCE_WAY = -12

/** The place of a wish to come in by an event that happened while the entry was closed: whoever opens it means what comes then. */
export const CLOSED_WAY = -13

/**
 * SQL, for rows of `run_queue`: what takes effect in a pause too. A goal moves nobody, and the same event may end the run, which takes all
 * of it out of the queue.
 */
export const HEEDED_IN_PAUSE = `kind in ('exit', 'goal') and run_id > 0`

/** Stands for a run in the exit of all that somebody has begun by a moment, also of those whose wish to come in is not decided by then. */
export const ALL_RUNS = '-1'

/** The filter of the exit of those who unsubscribe; an event that says `except` leaves one automation out (passing-events.ts). */
export const unsubscribedFrom = (automationId: string): Where => [
  { property: 'sendingSource', operator: 'in', value: ['everything', 'automations', `automation:${automationId}`] },
]

/** The place of a wait's signal that what it asks for may hold by now. */
export const ASKED_WAY = -1

/** A place of a version that listens to events of a name. */
export type Listen = {
  name: string
  kind: 'entry' | 'exit' | 'goal' | 'wait'
  node: string
  way: number
  match: Match | null
  filtered: boolean
}

/** Everything that a version listens to. */
export function listensOf({ class: mailClass, enter, exit, goal, nodes }: Definition): Listen[] {
  const listen = (kind: Listen['kind'], one: Omit<Happening, 'match'> & { match?: Match }, at: [string, number]) => ({
    ...{ kind, name: one.event, node: at[0], way: at[1] },
    match: one.match === undefined || Object.keys(one.match).length === 0 ? null : one.match,
    filtered: one.where.length > 0 || one.minProof !== undefined,
  })
  return [
    ...enter.on.flatMap((trigger, n) => ('event' in trigger ? [listen('entry', trigger, ['', n])] : [])),
    ...exit.map((one, n) => listen('exit', one, ['', n])),
    ...(mailClass === 'marketing'
      ? [
          {
            ...{ kind: 'exit' as const, name: 'email.unsubscribed', node: '', way: UNSUBSCRIBED_WAY },
            ...{ match: null, filtered: true },
          },
        ]
      : []),
    ...(goal ? [listen('goal', goal, ['', goal.exit ? ENDING_WAY : 0])] : []),
    ...Object.entries(nodes).flatMap(([id, node]) =>
      node.type === 'wait' ? node.for.flatMap((way, n) => (isHeard(way) ? [listen('wait', way, [id, n])] : [])) : [],
    ),
  ]
}
