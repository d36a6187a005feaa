import { assertNever } from '../../../../platform/assert-never.ts'
import {
  type BranchNode,
  type DatedWay,
  type DelayNode,
  type EmailNode,
  END,
  isAsked,
  isDated,
  type Node,
  propertyOf,
  type RuleText,
  type SplitNode,
  variableOf,
  type WaitNode,
  wayPast,
} from '../../definition/definition.ts'
import { VISITS_MAX } from '../../definition/limits.ts'
import { ruleHolds, storedRunRule } from '../../definition/run-rules.ts'
import { momentOfDate } from '../moment-of-date.ts'
import { givenBy, withVariables } from '../variables.ts'
import {
  type Effect,
  type End,
  type EndReason,
  type Interpreted,
  type Leaving,
  type Micros,
  type ModelRun,
  type ModelStep,
  type SoFar,
  TIMER_POSITION,
} from './model-run.ts'
import { delayed, later } from './model-time.ts'

const MS_MICROS = 1_000

/** A run on its way from one rest to the next. */
export type Walk = Interpreted & {
  run: ModelRun
  /** When it came to where it stands. */
  cameAt: Micros
  /** When a version was published that it comes into with the clock of its rest: what it does there is done then. */
  movedAt?: Micros
  zone: string
  readonly steps: ModelStep[]
  readonly effects: Effect[]
}

/** Leaves where it stands and goes on to the next rest, or to the end; the first rest may be put off. */
export function leave(walk: Walk, leaving: Leaving, putOff: Micros = 0): void {
  for (let next: Leaving | undefined = leaving; next !== undefined; ) {
    step(walk, next.way, next.to === END ? null : next.to)
    if (next.to === END) {
      walk.run = { ...walk.run, state: 'ended', dueAt: null, endAt: null, end: { state: 'completed', reason: null } }
      return
    }
    const { visit: before } = walk.run
    walk.run = { ...walk.run, node: next.to, visit: before + 1, state: 'ready', dueAt: null, endAt: null, putOff }
    walk.cameAt = walk.run.at
    next = visit(walk)
    putOff = 0
  }
}

/** Tries the node it stands at again, or goes past it. */
export function again(walk: Walk, isSkipped: boolean): void {
  const next = isSkipped ? wayPast(walk.definition.nodes[walk.run.node]!) : visit(walk)
  if (next) leave(walk, next)
}

/** Ends it where it stands. */
export function ends(walk: Walk, end: End, way: string): void {
  step(walk, way, null)
  walk.run = { ...walk.run, state: 'ended', dueAt: null, endAt: null, end }
}

/** Ends it early. */
export function exitsFor(walk: Walk, reason: EndReason): void {
  ends(walk, { state: 'exited', reason }, `exit:${reason}`)
}

function step({ run, cameAt, steps }: Walk, way: string, next: string | null): void {
  steps.push({ visit: run.visit, node: run.node, way, next, cameAt, leftAt: run.at, position: run.position })
}

/** Does the node it stands at. Undefined when that holds or ends it. */
function visit(walk: Walk): Leaving | undefined {
  const { run, definition, effects } = walk
  const node: Node = definition.nodes[run.node]!
  if (run.visit > VISITS_MAX) return void exitsFor(walk, 'loop')
  if (walk.facts.fails?.(node, run.node)) {
    walk.run = { ...run, state: 'parked' }
    return undefined
  }
  const here = { node: run.node, visit: run.visit }
  switch (node.type) {
    case 'email':
      return mail(walk, node)
    case 'delay':
      return void rest(walk, node, Math.max(run.at, walk.movedAt ?? run.at))
    case 'wait':
      return wait(walk, node)
    case 'branch':
      return decide(walk, node)
    case 'split':
      return splitting(node, walk.facts.bucket(run.node))
    case 'tag':
      effects.push({ kind: 'tag', ...here, add: node.add, remove: node.remove })
      break
    case 'field':
      effects.push({ kind: 'field', ...here, set: node.set })
      break
    case 'emit':
      effects.push({ kind: 'emit', ...here, event: node.event, properties: node.properties })
      break
    case 'webhook':
      effects.push({ kind: 'call', ...here, endpoint: node.endpoint, properties: node.properties })
      break
    case 'notify':
      effects.push({ kind: 'notify', ...here, at: run.at, members: node.members })
      break
    case 'set': {
      const { variables } = withVariables(run.variables, givenBy(node, run.trigger ?? {}))
      walk.run = { ...run, variables }
      break
    }
    case 'enroll':
    case 'leave':
      effects.push({ kind: node.type, ...here, automation: node.automation })
      break
    case 'goal':
      if (run.goalAt === null) walk.run = { ...run, goalAt: run.at }
      break
    case 'end':
      return { way: 'end', to: END }
    default:
      assertNever(node)
  }
  return { way: 'to', to: node.to }
}

/** Has a run rest until its node's end, which is never before a moment. */
export function rest(walk: Walk, node: DelayNode | WaitNode, notBefore: Micros): void {
  const { run, zone } = walk
  const end = node.type === 'delay' ? delayed(run.at, node, zone) : later(run.at, node.timeout, zone)
  const endAt = Math.max(end + run.putOff, notBefore)
  const dueAt = node.type === 'delay' ? endAt : Math.min(endAt, nextDate(walk, node))
  walk.run = { ...run, state: 'waiting', dueAt, endAt, putOff: endAt - end }
}

function wait(walk: Walk, node: WaitNode): Leaving | undefined {
  const { run, movedAt } = walk
  const asOf = Math.max(run.at, movedAt ?? run.at)
  const way = wayOpen(walk, node, asOf)
  if (way !== undefined) {
    if (asOf > run.at) walk.run = { ...run, at: asOf, position: TIMER_POSITION }
    return way
  }
  return void rest(walk, node, asOf)
}

/** The first way out of a wait whose rule holds, or whose moment has come by then. */
export function wayOpen(walk: Walk, { for: ways }: WaitNode, asOf: Micros): Leaving | undefined {
  const n = ways.findIndex((way) => {
    if (isDated(way)) return dateOf(walk, way) <= asOf
    return isAsked(way) && holds({ ...walk, run: { ...walk.run, at: asOf } }, way.if)
  })
  return n === -1 ? undefined : { way: String(n), to: ways[n]!.to }
}

/** The first of the moments that somebody waits for, as their fields are now. */
export function nextDate(walk: Walk, { for: ways }: WaitNode): Micros {
  return Math.min(...ways.filter(isDated).map((way) => dateOf(walk, way)))
}

function dateOf({ run, facts, effects, zone }: Walk, way: DatedWay): Micros {
  const [property, variable] = [propertyOf(way), variableOf(way)]
  const value =
    property !== undefined
      ? run.trigger?.[property]
      : variable !== undefined
        ? run.variables[variable]
        : facts.fieldOf(way.date, soFar({ run, effects }))
  const ms = momentOfDate(way, value, { zone, after: Math.floor(run.at / MS_MICROS) })
  return ms === undefined ? Number.POSITIVE_INFINITY : Math.round(ms) * MS_MICROS
}

function mail(walk: Walk, node: EmailNode): Leaving {
  const { run, effects, facts, wallAt, zone } = walk
  const isLate = node.notLaterThan !== null && wallAt(run.at) > later(run.at, node.notLaterThan, zone)
  const isPast = [run.mailFrom, facts.mailFrom].some((from) => from !== undefined && run.at < from)
  if (isLate || isPast || facts.refusal(run.node, soFar(walk)) !== undefined)
    return { way: 'skipped', to: node.skipped }
  const { variables, visit, at } = run
  effects.push({ kind: 'mail', node: run.node, visit, at, content: node.content, variables })
  return { way: 'to', to: node.to }
}

function decide(walk: Walk, { ways, else: otherwise }: BranchNode): Leaving {
  const n = ways.findIndex(({ if: text }) => holds(walk, text))
  return n === -1 ? { way: 'else', to: otherwise } : { way: String(n), to: ways[n]!.to }
}

/** Whether a rule about a run holds. A run that nobody's event began has no trigger to ask. */
export function holds(walk: Pick<Walk, 'run' | 'facts' | 'effects'>, text: RuleText): boolean {
  const { facts, run } = walk
  return ruleHolds(storedRunRule(text), (leaf) => {
    if (leaf.kind === 'contact') return facts.belongs(leaf.group, soFar(walk))
    if (leaf.kind === 'clicked') return facts.clicked(leaf.node, soFar(walk))
    if (leaf.kind === 'variable') return facts.passes([leaf.test], run.variables)
    return run.trigger !== null && facts.passes([leaf.test], run.trigger)
  })
}

const soFar = ({ run, effects }: Pick<Walk, 'run' | 'effects'>): SoFar => ({ at: run.at, effects, run })

/** The way whose share of the ten thousand the contact's number falls into. */
function splitting({ ways }: SplitNode, bucket: number): Leaving {
  let sum = 0
  const n = ways.findIndex(({ weight }) => {
    sum += weight
    return bucket < sum
  })
  return { way: String(n), to: ways[n]!.to }
}
