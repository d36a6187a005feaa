import type { DelayNode, Span } from '../../definition/definition.ts'
import { addSpan, delayEnd } from '../calendar.ts'
import type { Micros } from './model-run.ts'

const MS_MICROS = 1_000

/** A span later, exact to the microsecond. */
export function later(at: Micros, span: Span, zone: string): Micros {
  return inMicros(at, (ms) => addSpan(ms, span, zone))
}

export function delayed(at: Micros, delay: DelayNode, zone: string): Micros {
  return inMicros(at, (ms) => delayEnd(ms, delay, zone))
}

/** The calendar knows milliseconds: what is below them stays. */
function inMicros(at: Micros, move: (ms: number) => number): Micros {
  const ms = Math.floor(at / MS_MICROS)
  return move(ms) * MS_MICROS + (at - ms * MS_MICROS)
}
