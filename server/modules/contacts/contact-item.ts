import { ALIASES } from '../../catalogue/contact-fields.ts'
import type { FieldError } from '../../platform/problem.ts'
import { NEEDS_AN_ALIAS } from './aliases.ts'
import { checkContactFields } from './contact-fields.ts'
import type { ContactItem } from './plan-upsert.ts'
import type { ContactBody } from './schemas.ts'

/** A body as an item: nothing in it clears, so what is null or empty is not there. */
export function readContactItem(body: ContactBody): { item: ContactItem } | { fault: FieldError } {
  const { change, errors } = checkContactFields(body)
  if (errors[0]) return { fault: errors[0] }
  const fields = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== null),
  ) as ContactItem['fields']
  if (ALIASES.every((alias) => fields[alias] === undefined)) {
    return { fault: { pointer: '', detail: NEEDS_AN_ALIAS } }
  }
  return { item: { fields, customFields: body.customFields ?? {} } }
}
