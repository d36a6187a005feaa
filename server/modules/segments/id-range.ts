import { sql } from 'kysely'
import { int8Array } from '../../platform/db/arrays.ts'
import { cast, type Sql } from './compile-comparison.ts'

/** Contacts behind one id, up to another; or those of some ids. */
export type IdRange = { after: string; to: string } | { ids: readonly string[] }

/**
 * Whether the id in a column is in the range; null: any. Said of each set that members are put together from: the server
 * derives it for none of them from what is asked of the contact.
 */
export function inRange(column: string, range: IdRange | null): Sql {
  if (range === null) return sql`true`
  if ('ids' in range) return sql`${sql.ref(column)} = any (cast(${int8Array(range.ids)} as bigint[]))`
  return sql`${sql.ref(column)} > ${cast(range.after, 'bigint')} and ${sql.ref(column)} <= ${cast(range.to, 'bigint')}`
}
