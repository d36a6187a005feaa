import { describeError } from './describe-error.ts'
import type { Scrub } from './scrub-text.ts'
import { Secret, STARS } from './secret.ts'

export type Fields = Record<string, unknown>

const DEPTH_MAX = 6
const ENTRIES_MAX = 100

/** Compared in lower case without separators. */
const SECRET_KEY =
  /pass(word|wd|phrase)|pwd|secret|token|authorization|cookie|credential|(api|private|encryption|access|signing|collect|ingest)key|signature|session|recoverycode|rawheaders|^t?otp$/
const HARMLESS_KEYS = new Set(['tokenid', 'tokenname'])

/**
 * Log fields as plain data that may be written down. Only what is known to be harmless passes: plain objects, lists, dates
 * and simple values, bounded in depth, number and length. A field with a secret's name shows stars, texts are scrubbed
 * (names too), an error is described, and of any other object (a request, a connection) only the class is named.
 */
export function cleanFields(fields: object, scrub: Scrub): Fields {
  return cleanEntries(Object.entries(fields), scrub, [fields])
}

export function cleanValue(value: unknown, scrub: Scrub, within: readonly object[] = []): unknown {
  switch (typeof value) {
    case 'string':
      return scrub(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'bigint':
    case 'symbol':
      return scrub(String(value))
    case 'object':
      return value === null ? null : cleanObject(value, scrub, within)
    default:
      return value === undefined || typeof value === 'boolean' ? value : undefined
  }
}

function cleanObject(value: object, scrub: Scrub, within: readonly object[]): unknown {
  if (value instanceof Secret) return STARS
  if (value instanceof Error) return describeError(value, scrub)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return scrub(value.href)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (within.includes(value)) return '[circular]'
  if (within.length >= DEPTH_MAX) return '[too deep]'
  const inside = [...within, value]
  if (Array.isArray(value)) return cleanList(value, scrub, inside)
  if (value instanceof Set) return cleanList([...value], scrub, inside)
  if (value instanceof Map) return cleanEntries([...value], scrub, inside)
  if (!isPlain(value)) return `[${value.constructor?.name ?? 'object'}]`
  return cleanEntries(Object.entries(value), scrub, inside)
}

function cleanList(list: readonly unknown[], scrub: Scrub, within: readonly object[]): unknown[] {
  // A list may be the flat form of named values, as a request's raw headers are.
  const clean = list
    .slice(0, ENTRIES_MAX)
    .map((value, index) => (isSecretKey(list[index - 1]) ? STARS : (cleanValue(value, scrub, within) ?? null)))
  if (list.length > ENTRIES_MAX) clean.push(`[${list.length - ENTRIES_MAX} more]`)
  return clean
}

function cleanEntries(entries: readonly [unknown, unknown][], scrub: Scrub, within: readonly object[]): Fields {
  const clean: Fields = {}
  for (const [key, value] of entries.slice(0, ENTRIES_MAX)) {
    const shown = isSecretKey(key) && !isBare(value) ? STARS : cleanValue(value, scrub, within)
    if (shown !== undefined) clean[scrub(String(key))] = shown
  }
  if (entries.length > ENTRIES_MAX) clean['…'] = `[${entries.length - ENTRIES_MAX} more]`
  return clean
}

function isSecretKey(key: unknown): boolean {
  if (typeof key !== 'string' || key.length > 100) return false
  const name = key.toLowerCase().replace(/[^a-z0-9]/g, '')
  return SECRET_KEY.test(name) && !HARMLESS_KEYS.has(name)
}

/** Says only whether something is there. */
function isBare(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'boolean'
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
