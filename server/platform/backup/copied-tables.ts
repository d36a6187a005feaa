import type { Queryable } from '../db/transaction.ts'
import type { CopiedPartition, CopiedTable } from './backup-file.ts'

/** The schemas that are ours: the tables of the migrations, and those that pg-boss keeps. */
const OURS = `n.nspname in ('public', 'jobs')`
/** Written by the migrations that a restore runs. */
const MIGRATIONS = 'schema_migrations'

/** Not what an extension brought, not what is forgotten at a crash anyway, and a partitioned table as one. */
const TABLES = `from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
    and not exists (${'' /* Detached, and dropped within the hour: every row of it is past its time. */}
      select from pg_class p where p.relnamespace = c.relnamespace and p.relkind = 'p'
        and c.relname ~ ('^' || p.relname || '_p[0-9]{6,8}$'))`

/** Every table whose rows are a database's state, so that nobody has to list a new one, with the columns that are written. */
export async function copiedTables(db: Queryable): Promise<CopiedTable[]> {
  const { rows } = await db.query<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
     ${TABLES} and c.relname <> '${MIGRATIONS}' order by 1, 2`,
  )
  return rows
}

/** The partitions there are, with their bounds in UTC. */
export async function copiedPartitions(db: Queryable): Promise<CopiedPartition[]> {
  const { rows } = await db.query<CopiedPartition>(
    `select n.nspname as schema, p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
     from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
       join pg_namespace n on n.oid = p.relnamespace
     where ${OURS} and p.relkind = 'p' and not i.inhdetachpending order by 1, 2, 3`,
  )
  return rows
}

/** A name as it stands in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function qualified({ schema, name }: { schema: string; name: string }): string {
  return `${quoted(schema)}.${quoted(name)}`
}

export function columnList({ columns }: CopiedTable): string {
  return columns.map(quoted).join(', ')
}
