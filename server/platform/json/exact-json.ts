import { isUtf8 } from 'node:buffer'
import secureJson from 'secure-json-parse'
import { COMMON_PROBLEMS, Problem } from '../problem.ts'
import { jsonErrorOffset } from './json-error-position.ts'

/** Exponents beyond this are refused: no consumer of the value could hold it, and a database would write out the digits. */
const EXPONENT_MAX = 1_000
/** Longest number accepted, in characters, for the same reason. */
const NUMBER_CHARS_MAX = 1_000

// Up to 15 significant digits survive a double, so only longer runs and three-digit exponents need the slow way.
const LONG_NUMBER = /\d(?:[\d.]{15}|[eE][+-]?\d{3})/
const UNSTORABLE_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as the given text (ECMAScript "JSON.parse source text access"). */
    rawJSON(text: string): { readonly rawJSON: string }
    isRawJSON(value: unknown): value is { readonly rawJSON: string }
  }
}

/**
 * Parses a JSON body. Numbers that a double would change are kept as `JSON.rawJSON` values, which `JSON.stringify` writes
 * back digit by digit. Refused with a 400 problem: text that is not JSON (naming line and column), text that is not
 * UTF-8, keys that would reach an object's prototype, absurd numbers, and strings that PostgreSQL cannot store.
 */
export function parseJsonBody(body: Buffer): unknown {
  if (!isUtf8(body)) throw invalidJson('The body is not UTF-8.')
  return parseExactJson(body.toString('utf8'))
}

/** The same for text that is already a string. */
export function parseExactJson(text: string): unknown {
  const value = parse(text)
  const escaped = text.includes('\\u')
  if (escaped || text.includes('__proto__') || text.includes('"constructor"')) refusePoisonedKeys(value)
  if (escaped && UNSTORABLE_ESCAPE.test(text)) refuseUnstorableStrings(value)
  return value
}

function parse(text: string): unknown {
  try {
    return LONG_NUMBER.test(text)
      ? JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown)
      : JSON.parse(text)
  } catch (error) {
    if (error instanceof Problem) throw error
    const offset = jsonErrorOffset(text) ?? text.length
    const before = text.slice(0, offset)
    const line = before.split('\n').length
    const column = offset - before.lastIndexOf('\n')
    const what = offset === text.length ? 'The body ends too early' : 'The body stops being JSON'
    throw invalidJson(`${what} at line ${line}, column ${column} (position ${offset}).`)
  }
}

/** Keys that would reach an object's prototype once a careless merge copies them. */
function refusePoisonedKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  try {
    secureJson.scan(value as Record<string, unknown>)
  } catch {
    throw invalidJson('The body has a key that is not accepted: __proto__ or constructor.prototype.')
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown

const keepDigits: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || context.source === undefined) return value
  const { source } = context
  if (source.length > NUMBER_CHARS_MAX) throw invalidJson(`A number is longer than ${NUMBER_CHARS_MAX} characters.`)
  const exponent = /[eE]([+-]?\d+)$/.exec(source)?.[1]
  if (exponent !== undefined && Math.abs(Number(exponent)) > EXPONENT_MAX) {
    throw invalidJson(`The exponent of a number is beyond ${EXPONENT_MAX}.`)
  }
  return Number.isFinite(value) && decimal(String(value)) === decimal(source) ? value : JSON.rawJSON(source)
}

/** A decimal number in one normal form, `[-]digits e exponent` without zeros at either end, to compare by value. */
function decimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  const significant = digits.slice(0, end)
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}

/** Walks without recursion: the text may nest as deep as the size limit lets it. */
function refuseUnstorableStrings(root: unknown): void {
  const waiting = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      if (!isStorableText(value)) throw invalidJson('A string holds U+0000 or half of a surrogate pair.')
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) waiting.push(key, item)
    }
  }
}

/** Whether PostgreSQL can hold the text: no U+0000, no half surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function invalidJson(detail: string): Problem {
  return new Problem(COMMON_PROBLEMS.invalidJson, { detail })
}
