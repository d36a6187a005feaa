import { countText } from '../../lib/format.ts'
import type { ContactExportBody } from '../../lib/site-types.ts'

export type ContactFilter = NonNullable<ContactExportBody['filter']>

/** Whom an act is about: everybody whom the filters of a list find, on all its pages, or those who are selected. */
export type People = { total: number } & ({ filter: ContactFilter } | { contactIds: string[] })

/** People as requests state them. */
export const statedPeople = (people: People) =>
  'filter' in people ? { filter: people.filter } : { contactIds: people.contactIds }

/** People that one request may name. */
export const SELECTED_MAX = 1_000

/** `3 selected contacts`, `1,204 contacts`: a button names its scope. */
export function scopeText(people: People): string {
  return 'filter' in people
    ? countText(people.total, 'contact')
    : countText(people.total, 'selected contact', 'selected contacts')
}
