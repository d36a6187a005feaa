import type { FieldFault } from '../../../lib/problem.ts'
import { ENTER_KEY, SETTINGS_KEY, stepKey } from './outline-rows.ts'

/** A fault with the row it stands at, and a pointer from there on. */
export type PlacedFault = { key: string; pointer: string; detail: string }

const NODE = /^\/definition\/nodes\/([^/]+)(.*)$/s

/** Where what the server says is wrong belongs. */
export function placedFault({ pointer, detail }: FieldFault): PlacedFault {
  const [, id, rest = ''] = NODE.exec(pointer) ?? []
  if (id !== undefined) return { key: stepKey(unescaped(id)), pointer: rest, detail }
  const inside = pointer.replace(/^\/definition/, '')
  return { key: inside.startsWith('/enter') ? ENTER_KEY : SETTINGS_KEY, pointer: inside, detail }
}

/** Keys in pointers as they were (RFC 6901). */
const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** What is wrong with a field, or with a part of it. */
export function faultAt(faults: readonly PlacedFault[], pointer: string): string | undefined {
  return faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`))?.detail
}

/** What the server says by the id of a step, which the page shows nowhere; undefined for anything else. */
export function lostMailText(detail: string): string | undefined {
  return /^names the node “.*”, which is no email$/.test(detail)
    ? 'Asks for clicks in a mail that is no more.'
    : undefined
}
