import { ALIAS_FIELDS, ALIASES } from '../../catalogue/contact-fields.ts'
import { conflict, invalid, unprocessable } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { takeCustomFields } from '../custom-fields/take-custom-fields.ts'
import { NEEDS_AN_ALIAS } from './aliases.ts'
import type { FieldValues } from './contact-fields.ts'
import type { ContactChange } from './schemas.ts'

/** A change of custom fields, converted to their types (see `takeCustomFields`). Throws a 422 naming each that does not fit. */
export async function fittingFields<C extends ContactChange['customFields']>(
  tx: Transaction,
  workspaceId: string,
  change: C,
) {
  if (!change) return change
  const [taken] = await takeCustomFields(tx, workspaceId, [change])
  if (taken!.errors.length > 0) throw unprocessable(taken!.errors)
  return taken!.values
}

/** Throws a 400 for a contact that nothing identifies. */
export function requireAlias(contact: FieldValues): void {
  if (ALIASES.every((alias) => !contact[alias])) throw invalid([{ pointer: '', detail: NEEDS_AN_ALIAS }])
}

/** A clash of aliases as a 409 that names the field; anything else as it is. */
export function throwTakenAlias(error: unknown): never {
  const field = FIELD_OF_CONSTRAINT.get(brokenConstraint(error) ?? '')
  if (field) throw conflict(field, 'belongs to another contact of this workspace')
  throw error
}

/** The unique constraints of `contacts`, by the alias that each of them is about. */
const FIELD_OF_CONSTRAINT = new Map<string, string>(
  ALIAS_FIELDS.map(({ name, column }) => [`contacts_${column}_taken`, name]),
)
