import type pg from 'pg'
import { withClient } from './test-server.ts'

/**
 * Where in the whole database a text stands, whatever the table and the column: `table: row`. Read by a superuser, so
 * that no wall hides anything. Tables named in `except` are left out.
 */
export async function rowsSpelling(
  superuserUrl: string,
  texts: readonly string[],
  { except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> {
  return withClient(superuserUrl, async (client: pg.Client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1`,
    )
    const found: string[] = []
    for (const { name } of tables.filter((table) => !except.includes(table.name))) {
      const { rows } = await client.query<{ row: string }>(
        `select t::text as row from ${name} t where t::text ilike any ($1) limit 5`,
        [texts.map((text) => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`)],
      )
      for (const { row } of rows) found.push(`${name}: ${row.slice(0, 400)}`)
    }
    return found
  })
}
