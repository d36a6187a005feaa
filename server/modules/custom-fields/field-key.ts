export const FIELD_KEY_CHARS_MAX = 100

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/** What is wrong with the key of a custom field, or undefined. */
export function fieldKeyFault(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (key.length > FIELD_KEY_CHARS_MAX) return `must have at most ${FIELD_KEY_CHARS_MAX} characters`
  return CONTROL.test(key) ? 'must not contain control characters' : undefined
}
