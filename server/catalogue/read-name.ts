import { CONTROL_CHARACTER } from '../platform/control-characters.ts'
import { invalid } from './problems.ts'

/** The name of a thing, trimmed. Throws a 400 for one that is none; the schema of its body holds it to its length. */
export function readName(text: string): string {
  const name = text.trim()
  const fault = nameFault(name)
  if (fault !== undefined) throw invalid([{ pointer: '/name', detail: fault }])
  return name
}

/** The fault of a trimmed name, for a body whose faults are told together. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be blank'
  return CONTROL_CHARACTER.test(name) ? 'must not contain control characters' : undefined
}
