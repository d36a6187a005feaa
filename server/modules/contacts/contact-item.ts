import type { FieldError } from '../../platform/problem.ts'
import { checkContactFields } from './contact-fields.ts'
import { ALIASES, type ContactItem } from './plan-upsert.ts'
import type { ContactBody } from './schemas.ts'

/** A body as an item: nothing in it clears, so what is null or empty is not there. */
export function readContactItem(body: ContactBody): { item: ContactItem } | { fault: FieldError } {
  const { change, errors } = checkContactFields(body)
  if (errors[0]) return { fault: errors[0] }
  const fields = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== null),
  ) as ContactItem['fields']
  if (ALIASES.every((alias) => fields[alias] === undefined)) {
    return { fault: { pointer: '', detail: 'needs at least one of subjectId, email, phone' } }
  }
  return { item: { fields, customFields: body.customFields ?? {} } }
}
