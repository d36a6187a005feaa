import type { Definition, DelayNode, Node, Span, WaitNode } from '../definition/definition.ts'
import { zoneNamed } from '../definition/read-parts.ts'
import { fromMs, type Micros } from '../micros.ts'
import { addSpan, delayEnd } from './calendar.ts'
import type { Run } from './run-state.ts'

/** The moment at which the timer of a run at a node that holds it is due. */
export function restEnd(run: Pick<Run, 'at' | 'putOff' | 'zone'>, node: DelayNode | WaitNode): Micros {
  const end = onClock(run.at, (at) =>
    node.type === 'delay' ? delayEnd(at, node, run.zone) : addSpan(at, node.timeout, run.zone),
  )
  return end + run.putOff
}

export function plus(at: Micros, span: Span, zone: string): Micros {
  return onClock(at, (ms) => addSpan(ms, span, zone))
}

/** The zone of a contact, or where it has none that is known, of the automation. */
export function zoneOf(given: string | null | undefined, { defaultZone }: Definition): string {
  return (given && zoneNamed(given)) || defaultZone
}

/** Calendars count milliseconds; what is finer stays as it is. */
function onClock(at: Micros, later: (ms: number) => number): Micros {
  const rest = at % 1_000n
  return fromMs(later(Number((at - rest) / 1_000n))) + rest
}

/** Whether anything but its own node concerns a run of a version; the time zone of its contact does where it may rest by a calendar. */
export function listens({ exit, goal, class: mailClass, nodes }: Definition): boolean {
  return exit.length > 0 || goal !== null || mailClass === 'marketing' || Object.values(nodes).some(hasCalendar)
}

function hasCalendar(node: Node): boolean {
  if (node.type !== 'delay') return false
  return node.span.months > 0 || node.span.days > 0 || node.at !== null || node.on.length > 0
}
