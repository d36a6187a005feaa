import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import { hasMoreChars } from '../../platform/has-more-chars.ts'

export const TAG_NAME_CHARS_MAX = 100

/** A tag's name as it is stored: trimmed, its letters as they were typed; or its fault, if it is none. */
export function readTagName(given: string): { name: string } | { fault: string } {
  const name = given.trim()
  if (name === '') return { fault: 'must not be empty' }
  if (hasMoreChars(name, TAG_NAME_CHARS_MAX)) return { fault: `must have at most ${TAG_NAME_CHARS_MAX} characters` }
  return CONTROL_CHARACTER.test(name) ? { fault: 'must not contain control characters' } : { name }
}
