import type { AutomationRunStep } from '../../../lib/site-types.ts'
import { reasonText } from '../automation-words.ts'
import type { StepNames } from '../step-names.ts'

/** `Everybody else, on to Mail: Hello`: by which way somebody left a step, and where to. */
export function wentText(names: StepNames, { node, way, next }: AutomationRunStep): string {
  const by = node === null ? undefined : names.way(node, way)
  if (way.startsWith('exit:')) return `Left: ${reasonText(way.replace(/^exit:/, ''))}`
  const on = next === null ? 'through' : `on to ${names.step(next)}`
  const words = by === undefined ? on : `${by}, ${on}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
