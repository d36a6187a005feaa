import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import secureJson from 'secure-json-parse'
import { COMMON_PROBLEMS, Problem } from '../problem.ts'
import { jsonErrorOffset } from './json-error-position.ts'
import { scanJson } from './json-scan.ts'

/** Exponents beyond those of a double are refused: no consumer of the value could hold it, and a database writes out the digits. */
const EXPONENT_MAX = 324
/** Longest number accepted, in characters, for the same reason. */
const NUMBER_CHARS_MAX = 1_000
/** Digits that the exponents of one text may stand for: limits are measured on its characters, and databases write them out. */
const EXPONENT_CHARS_MAX = 4_096

/** Names of one object: checking half a megabyte of them against a schema took 300 ms, to refuse them for their number. */
const NAMES_MAX = 10_000

/** Up to 15 significant digits survive a double: longer numbers are looked at closely, and those of this length with an exponent. */
const PLAIN_NUMBER_CHARS = 15
const EXPONENT_NUMBER_CHARS_MIN = 4
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
 * UTF-8, a key that an object has twice, more names than any object has, keys that would reach an object's prototype, absurd numbers, and strings that
 * PostgreSQL cannot store.
 */
export function parseJsonBody(body: Buffer): unknown {
  return parseExactJson(textOf(body))
}

/** The same in turns of the event loop, between which others have theirs: for bodies of megabytes. */
export async function parseLongJsonBody(body: Buffer): Promise<unknown> {
  const steps = exactSteps(textOf(body))
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await nextTurn()
  }
}

/** The same for text that is already a string. */
export function parseExactJson(text: string): unknown {
  const steps = exactSteps(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/**
 * Parses JSON that another service wrote, with each digit of its numbers, and refuses nothing: what cannot be kept is refused with
 * the person who has it, and not with all others of its page. Throws a SyntaxError where it is no JSON.
 */
export function parseForeignJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // A mark that nobody there can have written: strings of any kind are let in.
  const mark = `\0${randomUUID()}:`
  const { marked, kept } = markNumbers(text, { mark, isOurs: false })
  return kept.length === 0 ? value : withNumbers(JSON.parse(marked), { mark, kept })
}

function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw invalidJson('The body is not UTF-8.')
  return body.toString('utf8')
}

/** Parses a text and refuses what its parser lets through: in steps, each of which goes through the text or its value once. */
function* exactSteps(text: string): Generator<undefined, unknown> {
  const value = parse(text)
  yield
  const { names, hasLongNumbers } = lookThrough(text)
  yield
  if (names !== keysIn(value)) throw invalidJson('An object of the body has the same key twice.')
  const escaped = text.includes('\\u')
  if (escaped || text.includes('__proto__') || text.includes('"constructor"')) refusePoisonedKeys(value)
  if (escaped) {
    yield
    if (UNSTORABLE_ESCAPE.test(text)) refuseUnstorableStrings(value)
  }
  if (!hasLongNumbers) return value
  yield
  const { marked, kept } = markNumbers(text, { mark: '\0', isOurs: true })
  if (kept.length === 0) return value
  yield
  return withNumbers(JSON.parse(marked), { mark: '\0', kept })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
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

/** The colons outside strings, as many as there are names in a text that is JSON, and whether a double may change its numbers. */
function lookThrough(text: string): { names: number; hasLongNumbers: boolean } {
  let names = 0
  let hasLongNumbers = false
  scanJson(text, {
    number(from, to) {
      hasLongNumbers ||= mayChange(text, from, to)
    },
    colon() {
      names += 1
    },
  })
  return { names, hasLongNumbers }
}

/** Whether a double may change the number at a place. */
function mayChange(text: string, from: number, to: number): boolean {
  if (to - from < EXPONENT_NUMBER_CHARS_MIN) return false
  return to - from > PLAIN_NUMBER_CHARS || /[eE]/.test(text.slice(from, to))
}

/** The keys of all objects in a value: fewer than its text had names when an object had one of them twice. */
function keysIn(root: unknown): number {
  let keys = 0
  const waiting = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) continue
    const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (!Array.isArray(value)) {
      if (items.length > NAMES_MAX) throw invalidJson(`An object of the body has more than ${NAMES_MAX} names.`)
      keys += items.length
    }
    for (const item of items) if (typeof item === 'object' && item !== null) waiting.push(item)
  }
  return keys
}

/** How numbers are marked: as strings that begin so, which no other string of the text does; absurd ones are refused in a text of ours. */
type Marking = { mark: string; isOurs: boolean }

/**
 * Marks the numbers that a double would change: in the text they become strings, to be put into their places (`withNumbers`). A
 * reviver would be called for each value of the text, and takes a second for a megabyte.
 */
function markNumbers(text: string, { mark, isOurs }: Marking): { marked: string; kept: string[] } {
  const opening = JSON.stringify(mark).slice(0, -1)
  const kept: string[] = []
  const parts: string[] = []
  let copied = 0
  let exponentChars = 0
  scanJson(text, {
    number(from, to) {
      if (!mayChange(text, from, to)) return
      const token = text.slice(from, to)
      if (isOurs) exponentChars = refuseAbsurd(token, exponentChars)
      const value = Number(token)
      if (Number.isFinite(value) && decimal(String(value)) === decimal(token)) return
      parts.push(text.slice(copied, from), `${opening}${kept.push(token) - 1}"`)
      copied = to
    },
  })
  parts.push(text.slice(copied))
  return { marked: parts.join(''), kept }
}

/** The digits that exponents stand for, with this number's. */
function refuseAbsurd(token: string, exponentChars: number): number {
  if (token.length > NUMBER_CHARS_MAX) throw invalidJson(`A number is longer than ${NUMBER_CHARS_MAX} characters.`)
  const exponent = Math.abs(Number(/[eE]([+-]?\d+)$/.exec(token)?.[1] ?? 0))
  if (exponent > EXPONENT_MAX) throw invalidJson(`The exponent of a number is beyond ${EXPONENT_MAX}.`)
  const sum = exponentChars + exponent
  if (sum > EXPONENT_CHARS_MAX) throw invalidJson('The exponents of its numbers stand for too many digits.')
  return sum
}

/** Walks without recursion: the text may nest as deep as the size limit lets it. */
function withNumbers(value: unknown, { mark, kept }: { mark: string; kept: readonly string[] }): unknown {
  const root: Record<string, unknown> = { value }
  const waiting: Record<string, unknown>[] = [root]
  while (waiting.length > 0) {
    const object = waiting.pop()!
    // An array's values need no names, of which half a million take longer than they do.
    const keys = Array.isArray(object) ? object.keys() : Object.keys(object)
    for (const key of keys) {
      const item = object[key]
      if (typeof item === 'string' && item.startsWith(mark))
        object[key] = JSON.rawJSON(kept[Number(item.slice(mark.length))]!)
      else if (typeof item === 'object' && item !== null) waiting.push(item as Record<string, unknown>)
    }
  }
  return root.value
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
