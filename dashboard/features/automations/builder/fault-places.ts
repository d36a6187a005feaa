import type { FieldFault } from '../../../lib/problem.ts'
import { record } from '../flow-node.ts'
import { type Definition, nodesOf } from './edit-flow.ts'
import { ENTER_KEY, SETTINGS_KEY, stepKey } from './outline-rows.ts'

/** A fault with the row it stands at, and a pointer from there on. */
export type PlacedFault = { key: string; pointer: string; detail: string }

const NODE = /^\/definition\/nodes\/([^/]+)(.*)$/s

/** Where what the server says is wrong belongs. */
export function placedFault({ pointer, detail }: FieldFault): PlacedFault {
  const [, id, rest = ''] = NODE.exec(pointer) ?? []
  if (id !== undefined) return { key: stepKey(unescaped(id)), pointer: rest, detail: formWords(detail) }
  const inside = pointer.replace(/^\/definition/, '')
  return { key: inside.startsWith('/enter') ? ENTER_KEY : SETTINGS_KEY, pointer: inside, detail: formWords(detail) }
}

/** Words that the server has for programs, as somebody who fills in a form says it. */
const FORM_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^must be (an id|the id of an? .*)$/, 'must be chosen'],
  [/^must be an object of 1 to \d+ custom fields and their values$/, 'must have a custom field'],
  [/^must be an object of variables and their values$/, 'must have a variable'],
  [/^must be a duration of ISO 8601, such as .*$/, 'must be a time, such as 3 days'],
  [/^must be a whole number from 0 to 10000$/, 'must be from 0 to 100 %'],
  [/^must say how long: .*$/, 'must say how long it waits'],
]

function formWords(detail: string): string {
  const sum = /^must have weights that add up to 10000; they are (\d+)$/.exec(detail)?.[1]
  if (sum !== undefined) return `must add up to 100 %; they are ${Number(sum) / HUNDREDTHS_OF_A_PERCENT} %`
  return FORM_WORDS.find(([said]) => said.test(detail))?.[1] ?? detail
}

const HUNDREDTHS_OF_A_PERCENT = 100

/** Keys in pointers as they were (RFC 6901). */
const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** What is wrong with a field, or with a part of it. */
export function faultAt(faults: readonly PlacedFault[], pointer: string): string | undefined {
  return faults.find((fault) => isWithin(fault.pointer, pointer))?.detail
}

/** Whether a pointer is another, or leads into what that one leads to. */
export const isWithin = (pointer: string, outer: string) => pointer === outer || pointer.startsWith(`${outer}/`)

/**
 * Where a pointer leads once what it leads into has changed: parts of a list are followed to where they stand now. Undefined when a
 * list has lost what it led into.
 */
export function movedPointer(pointer: string, before: unknown, after: unknown): string | undefined {
  const keys: string[] = []
  let [was, is] = [before, after]
  for (const key of pointer.split('/').slice(1)) {
    if (Array.isArray(was) && Array.isArray(is)) {
      const at = movedIndex(Number(key), was, is)
      if (at === undefined) return undefined
      keys.push(Number.isNaN(at) ? key : String(at))
      ;[was, is] = [was[Number(key)], is[at]]
    } else {
      keys.push(key)
      ;[was, is] = [record(was)[unescaped(key)], record(is)[unescaped(key)]]
    }
  }
  return ['', ...keys].join('/')
}

/** What is neither changed nor moved is the same object; what is changed in its place has as many beside it as before. */
function movedIndex(index: number, was: readonly unknown[], is: readonly unknown[]): number | undefined {
  const part = was[index]
  const found = typeof part === 'object' && part !== null ? is.indexOf(part) : -1
  if (found >= 0) return found
  return is.length < was.length ? undefined : index
}

/** What the server says by the id of a step, which the page shows nowhere; undefined for anything else. */
export function lostMailText(detail: string): string | undefined {
  return /^names the node “.*”, which is no email$/.test(detail)
    ? 'Asks for clicks in a mail that is no more.'
    : undefined
}

/** What a fault's pointer leads into: a step, or the definition around all of them. */
export const faultyPart = (definition: Definition, { key }: PlacedFault): unknown =>
  Object.entries(nodesOf(definition)).find(([id]) => stepKey(id) === key)?.[1] ?? definition
