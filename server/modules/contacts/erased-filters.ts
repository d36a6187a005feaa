import { ALIASES } from '../../catalogue/contact-fields.ts'

/** SQL: whether `key` and `value` of a kept filter name one of the persons with the aliases of $2, in lower case. */
export const NAMES_PERSON = `key in (${['search', ...ALIASES].map((key) => `'${key}'`).join(', ')}) and lower(trim(value)) = any ($2::text[])`

/** SQL: a filter with what it says of these persons written over. It keeps its keys, so that it never finds everybody. */
export const erasedFilter = (column: string) =>
  `(select json_object_agg(key, case when ${NAMES_PERSON} then '(erased)' else value end) from json_each_text(${column}))`
