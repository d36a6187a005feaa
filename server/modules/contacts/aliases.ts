import { domainToASCII } from 'node:url'
import { ALIASES, type Alias } from '../../catalogue/contact-fields.ts'
import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'

/** What a contact is known by. An event names its subject by at least one of them. */
export type Aliases = Record<Alias, string | null>

export const NEEDS_AN_ALIAS = `needs at least one of ${ALIASES.join(', ')}`

export const EMAIL_CHARS_MAX = 254

const PLAIN_EMAIL = /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/
/** What IDNA makes of a name may still hold characters no host has: U+3200 becomes a hangul letter in brackets. */
const ASCII_DOMAIN = /^[a-z0-9._-]+$/
/** What a URL parser, which the conversion to ASCII goes through, ends a host at, drops or decodes. */
const URL_SYNTAX = /[\s/?#\\%[\]]/
const LOCAL_PART = /^[^\s@"(),:;<>[\]\\]{1,64}$/u

/** Trimmed; '' and null are unset. */
export function normaliseText(value: string | null | undefined): string | null {
  const trimmed = value?.trim()
  return trimmed ? trimmed : null
}

/** What is wrong with an identifier that is set, or undefined. */
export function identifierFault(value: string, charsMax: number): string | undefined {
  if (value.length > charsMax) return `must have at most ${charsMax} characters`
  if (CONTROL_CHARACTER.test(value)) return 'must not contain control characters'
  return undefined
}

/**
 * An address as it is stored and compared: trimmed, lower-cased, its domain in ASCII (IDNA). Undefined if it is none.
 * One address only: no display name, no list, no quoted local part (decisions 2).
 */
export function normaliseEmail(value: string): string | undefined {
  const lower = value.trim().toLowerCase()
  if (lower.length > EMAIL_CHARS_MAX) return undefined
  if (PLAIN_EMAIL.test(lower)) return hasSoundDots(lower) ? lower : undefined
  const at = lower.lastIndexOf('@')
  const local = lower.slice(0, at)
  if (at < 1 || !LOCAL_PART.test(local) || CONTROL_CHARACTER.test(local)) return undefined
  const host = lower.slice(at + 1)
  const domain = URL_SYNTAX.test(host) ? '' : domainToASCII(host)
  const address = `${local}@${domain}`
  return ASCII_DOMAIN.test(domain) && address.length <= EMAIL_CHARS_MAX && hasSoundDots(address) ? address : undefined
}

function hasSoundDots(address: string): boolean {
  return !address.includes('..') && !address.startsWith('.') && !address.includes('.@') && !address.includes('@.')
}
