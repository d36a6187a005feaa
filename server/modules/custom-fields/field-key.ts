import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import { hasMoreChars } from '../../platform/has-more-chars.ts'

export const FIELD_KEY_CHARS_MAX = 100

/** The fault of a custom field's key, or undefined. */
export function fieldKeyFault(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (hasMoreChars(key, FIELD_KEY_CHARS_MAX)) return `must have at most ${FIELD_KEY_CHARS_MAX} characters`
  return CONTROL_CHARACTER.test(key) ? 'must not contain control characters' : undefined
}
