import { unprocessable } from '../../catalogue/problems.ts'
import type { FieldError } from '../../platform/problem.ts'
import type { Aliases } from '../contacts/aliases.ts'
import { readContactFields } from '../contacts/contact-fields.ts'

/** Words that scripts write where there is nobody. */
const NOBODY: ReadonlySet<string> = new Set([
  'null',
  'undefined',
  'anonymous',
  'guest',
  '[object object]',
  'nan',
  'none',
  'nil',
  'true',
  'false',
  'user',
  'unknown',
])

const KINDS = ['subjectId', 'email', 'phone'] as const

/** Of what a page says of somebody. */
export const TRAITS_BYTES_MAX = 8 * 1024

/** The aliases of a statement, normalised as contacts have them. Throws 400 for what is none, 422 for what names nobody. */
export function readStatement(given: Partial<Record<keyof Aliases, string | null | undefined>>): Aliases {
  const stated = KINDS.filter((kind) => given[kind] !== undefined && given[kind] !== null)
  const faults: FieldError[] = stated
    .filter((kind) => isJunk(given[kind]!))
    .map((kind) => ({ pointer: `/${kind}`, detail: 'names nobody' }))
  if (stated.length === 0) faults.push({ pointer: '', detail: 'needs a token, or one of subjectId, email, phone' })
  if (faults.length > 0) throw unprocessable(faults)
  const {
    subjectId = null,
    email = null,
    phone = null,
  } = readContactFields(Object.fromEntries(stated.map((kind) => [kind, given[kind]!])))
  return { subjectId, email, phone }
}

function isJunk(value: string): boolean {
  const text = value.trim().toLowerCase()
  return text.length <= 1 || NOBODY.has(text)
}
