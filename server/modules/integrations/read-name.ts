import { invalid } from '../../catalogue/problems.ts'
import { identifierFault, normaliseText } from '../contacts/aliases.ts'
import { NAME_CHARS_MAX } from './schemas.ts'

/** A name, trimmed. Names need not differ: an integration is known by its id. Throws a 400 for one that is none. */
export function readName(text: string): string {
  const name = normaliseText(text)
  const fault = name === null ? 'must not be blank' : identifierFault(name, NAME_CHARS_MAX)
  if (name === null || fault) throw invalid([{ pointer: '/name', detail: fault ?? '' }])
  return name
}
