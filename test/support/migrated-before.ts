import { readMigrations } from '../../server/platform/db/migrate.ts'
import { mannerOf, outsideStatements } from '../../server/platform/db/migration-manner.ts'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import { withClient } from './test-server.ts'

/** A database whose schema is that before the migration of this name, for what the migration makes of data. */
export async function databaseBefore(name: string): Promise<TestDatabase> {
  const migrations = await readMigrations()
  const at = migrations.findIndex((one) => one.name.endsWith(`_${name}.sql`))
  if (at < 0) throw new Error(`no migration is called ${name}`)
  const database = await createTestDatabase({ migrated: false })
  await withClient(database.url, async (client) => {
    await client.query(`create table schema_migrations (version integer primary key, name text not null,
      checksum text not null, applied_at timestamptz not null default now())`)
    for (const { sql, ...migration } of migrations.slice(0, at)) {
      const isOutside = mannerOf(sql).outside
      if (isOutside) for (const statement of outsideStatements(sql)) await client.query(statement)
      await client.query('begin')
      await client.query("set local postroom.workspace = '*'")
      if (!isOutside) await client.query(sql)
      await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
        ...[migration.version, migration.name, migration.checksum],
      ])
      await client.query('commit')
    }
  })
  return database
}
