import { ALIASES, type Alias } from '../../catalogue/contact-fields.ts'
import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import { hasMoreChars } from '../../platform/has-more-chars.ts'

/** Identifiers that a contact is known by. An event names its subject by at least one of them. */
export type Aliases = Record<Alias, string | null>

export const NEEDS_AN_ALIAS = `needs at least one of ${ALIASES.join(', ')}`

/** Trimmed; '' and null are unset. */
export function normaliseText(value: string | null | undefined): string | null {
  const trimmed = value?.trim()
  return trimmed ? trimmed : null
}

/** The fault of an identifier that is set, or undefined. */
export function identifierFault(value: string, charsMax: number): string | undefined {
  if (hasMoreChars(value, charsMax)) return `must have at most ${charsMax} characters`
  if (CONTROL_CHARACTER.test(value)) return 'must not contain control characters'
  return undefined
}
