import { sql } from 'kysely'
import { cast, type Sql } from './compile-comparison.ts'

/** Contacts behind one id, up to another. */
export type IdRange = { after: string; to: string }

/**
 * Whether the id in a column is in the range; null: any. Said of each set that members are put together from: the server
 * derives it for none of them from what is asked of the contact.
 */
export function inRange(column: string, range: IdRange | null): Sql {
  if (range === null) return sql`true`
  return sql`${sql.ref(column)} > ${cast(range.after, 'bigint')} and ${sql.ref(column)} <= ${cast(range.to, 'bigint')}`
}
