import { isDeepStrictEqual } from 'node:util'
import { isProvenTo } from '../../../segments/event-proof.ts'
import { asks, type Happening, isHeard, type SignalWay } from '../../definition/definition.ts'
import { LEAVES } from '../../definition/places.ts'
import { givenByEvent, withVariables } from '../variables.ts'
import {
  type Advance,
  type Data,
  type EndReason,
  type Input,
  type Interpreted,
  type Leaving,
  type Micros,
  type ModelRun,
  TIMER_POSITION,
} from './model-run.ts'
import { later } from './model-time.ts'
import { again, ends, exitsFor, leave, nextDate, rest, type Walk, wayOpen } from './walk.ts'

/*
 * The interpreter: one person's way, as docs/adr/0015 says it, and nothing else. No database, no clock of its own. The engine
 * is held to it by test/automations, and simulation walks by it.
 */

export type Begun = {
  at: Micros
  position: number
  entryKey: string
  trigger: Data | null
  mailFrom?: Micros | undefined
  /** After a pause that put everything off nobody begins before its end. */
  resumedAt?: Micros | null
}

/** A run from its entry to its first rest. */
export function begin(of: Interpreted, { at, position, entryKey, trigger, mailFrom, resumedAt }: Begun): Advance {
  const isPutOff = typeof resumedAt === 'number' && resumedAt > at
  const clock = isPutOff ? { at: resumedAt, position: TIMER_POSITION } : { at, position }
  const run: ModelRun = {
    ...{ entryKey, enteredAt: at, enteredPosition: position, trigger, node: '', visit: 0, state: 'ready' },
    ...{ ...clock, dueAt: null, endAt: null, putOff: 0, variables: {}, mailFrom, goalAt: null, goalValue: null },
    end: null,
  }
  const walk = walking(of, run)
  const { definition, facts } = of
  if (facts.bucket('') < definition.enter.holdout) ends(walk, { state: 'held_out', reason: null }, 'held_out')
  else leave(walk, { way: 'entered', to: definition.start })
  return done(walk)
}

/**
 * A run after one thing that concerns it. Inputs come in the order of (`at`, `position`), timers behind the events of their
 * moment; one that is not for this run, or too early for where it stands, changes nothing.
 */
export function advance(of: Interpreted, run: ModelRun, input: Input): Advance {
  const walk = walking(of, run)
  if (run.state === 'ended') return done(walk)
  if (input.kind === 'timer') fire(walk, input.at)
  else if (input.kind === 'again') {
    if (run.state === 'ready') again(walk, input.isSkipped)
  } else if (input.kind === 'check') check(walk, input.at)
  else if (input.kind === 'zone') reckonAnew(walk, input.at)
  else if (input.kind === 'shift') shift(walk, input)
  else hear(walk, input)
  return done(walk)
}

/** Ends a run because another takes its place. */
export function endForRestart(
  of: Interpreted,
  run: ModelRun,
  { at, position }: Pick<Begun, 'at' | 'position'>,
): Advance {
  const walk = walking(of, run)
  walk.run = { ...run, at: Math.max(run.at, at), position }
  exitsFor(walk, 'restart')
  return done(walk)
}

/** Ends a run because an automation has its contact leave. */
export function endForLeaving(of: Interpreted, run: ModelRun, at: Micros): Advance {
  const walk = walking(of, run)
  walk.run = { ...run, at: Math.max(run.at, at) }
  exitsFor(walk, 'left')
  return done(walk)
}

/**
 * A run after the publishing of another version, which it comes into at a place. Somebody who rests and comes to a rest keeps
 * their clock and has the new end, never before the publishing; anybody else goes on as of then.
 */
export function changeVersion(of: Interpreted, run: ModelRun, { at, place }: { at: Micros; place: string }): Advance {
  const walk = walking(of, run)
  const type = of.definition.nodes[place]?.type
  const keepsClock = run.state === 'waiting' && (type === 'delay' || type === 'wait')
  if (!keepsClock) walk.run = { ...run, at: Math.max(run.at, at), position: TIMER_POSITION }
  else walk.movedAt = at
  if (place === LEAVES) exitsFor(walk, 'moved')
  else leave(walk, { way: 'moved', to: place }, keepsClock ? run.putOff : 0)
  return done(walk)
}

function walking(of: Interpreted, run: ModelRun): Walk {
  return { ...of, run, cameAt: run.at, steps: [], effects: [], zone: of.facts.zone ?? of.definition.defaultZone }
}

function done({ run, steps, effects }: Walk): Advance {
  return { run, steps, effects }
}

function fire(walk: Walk, at: Micros): void {
  const { run, definition } = walk
  if (run.state !== 'waiting' || run.dueAt === null || at < run.dueAt) return
  const node = definition.nodes[run.node]!
  const due = run.dueAt
  if (node.type === 'delay') goOn(walk, { at: due, way: { way: 'to', to: node.to } })
  if (node.type !== 'wait') return
  const way = wayOpen(walk, node, due) ?? (due >= run.endAt! ? { way: 'late', to: node.late } : undefined)
  if (way) goOn(walk, { at: due, way })
  // The date that was waited for is another one since.
  else walk.run = { ...run, dueAt: Math.min(run.endAt!, nextDate(walk, node)) }
}

function goOn(walk: Walk, { at, way }: { at: Micros; way: Leaving }): void {
  walk.run = { ...walk.run, at, position: TIMER_POSITION }
  leave(walk, way)
}

/** Asks somebody who waits once more; facts may have changed since. */
function check(walk: Walk, at: Micros): void {
  const { run, definition } = walk
  const node = definition.nodes[run.node]
  if (run.state !== 'waiting' || !asks(node) || at > run.dueAt!) return
  const way = wayOpen(walk, node, at)
  if (way === undefined) walk.run = { ...run, dueAt: Math.min(run.dueAt!, nextDate(walk, node)) }
  else goOn(walk, { at: Math.max(run.at, at), way })
}

/** The end of a rest by another time zone: reckoned from when it began, and never before. */
function reckonAnew(walk: Walk, at: Micros): void {
  const node = walk.definition.nodes[walk.run.node]
  if (walk.run.state !== 'waiting' || (node?.type !== 'delay' && node?.type !== 'wait')) return
  const way = node.type === 'wait' ? wayOpen(walk, node, at) : undefined
  if (way === undefined) rest(walk, node, at)
  else goOn(walk, { at: Math.max(walk.run.at, at), way })
}

/** The end of a rest is put off, and so is its timer, but where that may be due for another reason: then it is asked as it was. */
function shift(walk: Walk, { pausedAt, took }: Extract<Input, { kind: 'shift' }>): void {
  const { run, definition } = walk
  if (run.state !== 'waiting' || run.endAt! <= pausedAt) return
  const endAt = run.endAt! + took
  const dueAt = asks(definition.nodes[run.node]) ? run.dueAt : endAt
  walk.run = { ...run, dueAt, endAt, putOff: run.putOff + took }
}

type Event = Extract<Input, { kind: 'event' }>

/** The goal is counted before the same event ends the run, and a run that ends does not go on. */
function hear(walk: Walk, event: Event): void {
  const { definition, run } = walk
  if (!isBehind(event, run.enteredAt, run.enteredPosition)) return
  if (event.isApart === true) {
    endWait(walk, event)
    return
  }
  const isReached = countsGoal(walk, event)
  if (isReached && definition.goal?.exit) exit(walk, event, 'goal')
  else if (isUnsubscribing(walk, event)) exit(walk, event, 'unsubscribed')
  else if (definition.exit.some((one) => concerns(walk, one, event))) exit(walk, event, 'criterion')
  else if (event.isPaused !== true) endWait(walk, event)
}

/** Marketing ends for whoever wants no more of it, or of anything. */
function isUnsubscribing({ definition, automationId }: Walk, { name, data }: Event): boolean {
  if (definition.class !== 'marketing' || name !== 'email.unsubscribed') return false
  if (data.sendingSource === 'automations') return data.except !== `automation:${automationId}`
  return data.sendingSource === 'everything' || data.sendingSource === `automation:${automationId}`
}

/** Whether it is the run's goal, which is then noted: the first within its span, once a run. */
function countsGoal(walk: Walk, event: Event): boolean {
  const { run, definition, zone } = walk
  const { goal } = definition
  if (goal === null || run.goalAt !== null || event.at > later(run.enteredAt, goal.within, zone)) return false
  if (!concerns(walk, goal, event)) return false
  walk.run = { ...run, goalAt: event.at, goalValue: goal.value === null ? null : numberOf(event.data[goal.value]) }
  return true
}

function exit(walk: Walk, { at, position }: Event, reason: EndReason): void {
  walk.run = { ...walk.run, at: Math.max(walk.run.at, at), position }
  exitsFor(walk, reason)
}

function endWait(walk: Walk, event: Event): void {
  const { run, definition } = walk
  const node = definition.nodes[run.node]
  if (run.state !== 'waiting' || node?.type !== 'wait') return
  if (!isBehind(event, run.at, run.position) || event.at > run.dueAt!) return
  const n = node.for.findIndex((way) => isHeard(way) && concerns(walk, way, event))
  if (n === -1) return
  const { set = {}, to } = node.for[n] as SignalWay
  const { variables } = withVariables(run.variables, givenByEvent(set, event.data))
  walk.run = { ...run, at: event.at, position: event.position, variables }
  leave(walk, { way: String(n), to })
}

function isBehind(event: Event, at: Micros, position: number): boolean {
  return event.at > at || (event.at === at && event.position > position)
}

function concerns({ run, facts }: Walk, place: Happening, { name, data, proof = null }: Event): boolean {
  if (place.event !== name || !facts.passes(place.where, data)) return false
  if (!isProvenTo(place.minProof ?? 'none', proof)) return false
  // Equal as well where neither has the property.
  return Object.entries(place.match).every(([own, triggers]) => isDeepStrictEqual(data[own], run.trigger?.[triggers]))
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
