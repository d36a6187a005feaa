import { ALIASES } from '../../catalogue/contact-fields.ts'
import type { FieldError } from '../../platform/problem.ts'
import { NEEDS_AN_ALIAS } from './aliases.ts'
import { checkContactFields } from './contact-fields.ts'
import { checkTags } from './give-tags.ts'
import type { ContactItem } from './plan-upsert.ts'
import type { ContactBody, UpsertMode } from './schemas.ts'

/** A body as an item. Where blanks are filled nothing in it clears, so what is null or empty is not there. */
export function readContactItem(
  body: ContactBody,
  mode: UpsertMode = 'fill',
): { item: ContactItem; tags: string[] } | { faults: [FieldError, ...FieldError[]] } {
  const { change, errors } = checkContactFields(body)
  const { tags, errors: tagErrors } = checkTags(body.tags)
  const [fault, ...others] = [...errors, ...tagErrors]
  if (fault) return { faults: [fault, ...others] }
  const fields = Object.fromEntries(
    Object.entries(change).filter(([, value]) => mode === 'overwrite' || value !== null),
  ) as ContactItem['fields']
  if (ALIASES.every((alias) => !fields[alias])) return { faults: [{ pointer: '', detail: NEEDS_AN_ALIAS }] }
  return { item: { fields, customFields: body.customFields ?? {} }, tags }
}
