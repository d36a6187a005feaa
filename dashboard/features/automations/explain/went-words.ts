import type { AutomationRunStep, AutomationRunTrace } from '../../../lib/site-types.ts'
import { reasonText } from '../automation-words.ts'
import type { StepNames } from '../step-names.ts'

/** The version into which a publishing took somebody along out of a step, which is none of its ways; undefined where they went on. */
export function movedTo({ steps, version }: AutomationRunTrace, { way, visit }: AutomationRunStep): number | undefined {
  return way === 'moved' ? (steps.find((step) => step.visit === visit + 1)?.version ?? version) : undefined
}

/** When a publishing took somebody along: who stays at the step keeps their clock, which has no moment for it. */
export const movedAt = ({ node, next, leftAt, doneAt }: AutomationRunStep): string => (next === node ? doneAt : leftAt)

/** `Moved to version 2, to Mail: Hello`, by the names of that version; where they stay is not said again. */
export function movedText(names: StepNames, { node, next }: AutomationRunStep, version: number): string {
  const moved = `Moved to version ${version}`
  if (next === null) return `${moved}, where they were through`
  return next === node ? moved : `${moved}, to ${names.step(next)}`
}

/** `Everybody else, on to Mail: Hello`: by which way somebody left a step, and where to. */
export function wentText(names: StepNames, { node, way, next, event }: AutomationRunStep): string {
  const by = node === null ? undefined : names.way(node, way)
  if (way.startsWith('exit:')) return `Left: ${endedText(way.replace(/^exit:/, ''), event)}`
  const on = next === null ? 'through' : `on to ${names.step(next)}`
  const words = by === undefined ? on : `${by}, ${on}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Why somebody left before the end; of what they came to by an event, its name tells more. */
export function endedText(reason: string, event: string | null = null): string {
  if (event !== null && reason === 'criterion') return `${happenedText(event)}, which ends it`
  return event !== null && reason === 'goal' ? `the goal was reached, for ${happenedText(event)}` : reasonText(reason)
}

function happenedText(event: string): string {
  if (event === 'segment.entered') return 'they came into a segment'
  return event === 'segment.left' ? 'they went out of a segment' : `${event} happened`
}
