import type pg from 'pg'

type Query = (text: string) => Promise<pg.QueryResultRow[]>

/** How many rows each table has that may be read, its partitions counted with it. */
export async function tableRows(query: Query): Promise<Map<string, number>> {
  const tables = await query(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and has_table_privilege(oid, 'select') order by 1`,
  )
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from ${name}`)
  const rows = await query(counts.join(' union all '))
  return new Map(rows.map(({ name, rows }) => [name, rows]))
}
