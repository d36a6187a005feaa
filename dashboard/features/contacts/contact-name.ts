import type { Contact } from '../../lib/site-types.ts'

/** How a contact is called: by name, else by what there is of address, own id and phone. */
export function contactName({ firstName, lastName, email, subjectId, phone, id }: Contact): string {
  const name = [firstName, lastName].filter(Boolean).join(' ')
  return name || email || subjectId || phone || `Contact ${id}`
}
