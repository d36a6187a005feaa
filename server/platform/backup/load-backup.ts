import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { SecretKeys } from '../crypto/secret-box.ts'
import { addOffset } from '../outbox/rebase.ts'
import { BackupError, type BackupHeader, type CopiedTable, readBackupFile } from './backup-file.ts'
import { columnList, copiedPartitions, copiedTables, qualified, quoted } from './copied-tables.ts'
import type { CopyProgress } from './write-backup.ts'

export type LoadOptions = { path: string; keys: SecretKeys; onProgress?: (progress: CopyProgress) => void }

/** A range of time or a list of names, as the catalogue writes them: what stands in a file becomes part of a statement. */
const BOUNDS = /^(DEFAULT|FOR VALUES (FROM \('[-0-9 :+.]+'\) TO \('[-0-9 :+.]+'\)|IN \('[a-z_]+'\)))$/

/**
 * Loads a backup into a database whose schema is the one it was made from, in one transaction: afterwards everything is
 * there or nothing. Triggers, foreign keys and the wall between workspaces, which keep tables in step, are set aside
 * meanwhile, for the copied tables are in step; foreign keys are checked when they are put back.
 */
export async function loadBackup(client: pg.Client, options: LoadOptions): Promise<void> {
  await client.query('begin')
  try {
    let putBack: string[] = []
    const load = new Loading(client, options)
    for await (const part of readBackupFile(options.path, options.keys)) {
      if (part.kind === 'header') putBack = await setAside(client, part.header)
      else if (part.kind === 'table') load.begin(part.table)
      else if (part.kind === 'rows') await load.rows(part.bytes)
      else if (part.kind === 'tableEnd') await load.end(part)
      else await setSequences(client, part.end.sequences)
    }
    for (const statement of putBack) await client.query(statement)
    await addOffset(client)
    await client.query('commit')
  } catch (error) {
    // A copy that is under way would hold up the rollback: the end of the connection ends both.
    await client.end().catch(() => undefined)
    throw error
  }
}

/** Empties the tables, makes the partitions, and answers the statements by which everything is as it was before. */
async function setAside(client: pg.Client, header: BackupHeader): Promise<string[]> {
  const tables = await sameTables(client, header)
  const { rows } = await client.query<{ aside: string; back: string }>(
    `with ours as (select c.oid, c.oid::regclass as name, c.relforcerowsecurity as forces
       from unnest($1::text[]) t (name) join pg_class c on c.oid = t.name::regclass)
     select format('alter table %s drop constraint %I', o.name, f.conname) as aside,
       format('alter table %s add constraint %I %s', o.name, f.conname, pg_get_constraintdef(f.oid)) as back
     from pg_constraint f join ours o on o.oid = f.conrelid where f.contype = 'f' and f.conparentid = 0
     union all
     select format('alter table %s no force row level security', name), format('alter table %s force row level security', name)
     from ours where forces
     union all
     select format('alter table %s disable trigger %I', o.name, t.tgname), format('alter table %s enable trigger %I', o.name, t.tgname)
     from pg_trigger t join ours o on o.oid = t.tgrelid where not t.tgisinternal and t.tgenabled = 'O' and t.tgparentid = 0`,
    [tables.map(qualified)],
  )
  await makePartitions(client, header)
  for (const { aside } of rows) await client.query(aside)
  await client.query(`truncate ${tables.map(qualified).join(', ')}`)
  return rows.map(({ back }) => back)
}

/** The tables of the database, which must be those of the file. */
async function sameTables(client: pg.Client, header: BackupHeader): Promise<CopiedTable[]> {
  const tables = await copiedTables(client)
  const nameOf = ({ schema, name, columns }: CopiedTable) => `${schema}.${name} (${columns.toSorted().join(', ')})`
  const [here, there] = [tables.map(nameOf), header.tables.map(nameOf)]
  const odd = [...here.filter((name) => !there.includes(name)), ...there.filter((name) => !here.includes(name))]
  if (odd.length > 0)
    throw new BackupError(`the backup is of another schema than Postroom makes here: ${odd.slice(0, 3).join('; ')}`)
  return tables
}

async function makePartitions(client: pg.Client, header: BackupHeader): Promise<void> {
  const here = new Set((await copiedPartitions(client)).map(({ schema, name }) => `${schema}.${name}`))
  for (const { schema, table, name, bounds } of header.partitions) {
    if (here.has(`${schema}.${name}`)) continue
    if (!BOUNDS.test(bounds)) throw new BackupError(`the backup has a partition with other bounds: ${bounds}`)
    const [of, partition] = [qualified({ schema, name: table }), qualified({ schema, name })]
    await client.query(`create table ${partition} (like ${of} including defaults including constraints)`)
    await client.query(
      'select postroom_guard($1::regclass) from pg_class where oid = $2::regclass and relrowsecurity',
      [partition, of],
    )
    await client.query(`alter table ${of} attach partition ${partition} ${bounds}`)
  }
}

async function setSequences(client: pg.Client, sequences: Readonly<Record<string, string>>): Promise<void> {
  await client.query(
    `select setval(s.seqrelid::regclass, (given.value)::bigint)
     from jsonb_each_text($1) given join pg_class c on c.relkind = 'S'
       join pg_namespace n on n.oid = c.relnamespace and n.nspname || '.' || c.relname = given.key
       join pg_sequence s on s.seqrelid = c.oid
     where given.value::bigint between s.seqmin and s.seqmax`,
    [JSON.stringify(sequences)],
  )
}

/** The table that is being filled. */
class Loading {
  readonly #client: pg.Client
  readonly #onProgress: LoadOptions['onProgress']
  readonly #progress: CopyProgress = { table: '', bytes: 0 }
  #copy: (Writable & { rowCount: number }) | undefined
  #failed: Promise<void> | undefined

  constructor(client: pg.Client, { onProgress }: LoadOptions) {
    this.#client = client
    this.#onProgress = onProgress
  }

  begin(table: CopiedTable): void {
    this.#progress.table = table.name
    this.#copy = this.#client.query(copyFrom(`copy ${qualified(table)} (${columnList(table)}) from stdin`))
    this.#failed = finished(this.#copy)
    this.#failed.catch(() => undefined)
  }

  async rows(bytes: Buffer): Promise<void> {
    this.#progress.bytes += bytes.length
    this.#onProgress?.(this.#progress)
    if (!this.#copy!.write(bytes)) await Promise.race([once(this.#copy!, 'drain'), this.#failed])
  }

  async end({ table, rows }: { table: CopiedTable; rows: number }): Promise<void> {
    this.#copy!.end()
    await this.#failed
    if (this.#copy!.rowCount !== rows)
      throw new Error(`${quoted(table.name)} has taken ${this.#copy!.rowCount} rows of ${rows}`)
  }
}
