import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { createWorkspace, secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { errorCode } from './errors.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Scope, type Transaction } from './transaction.ts'

/*
 * The second wall, held to the catalogue: whoever adds a table is told here what it lacks. Isolation is tried on every
 * table with row-level security, whatever its columns.
 */

/** Tables with a workspace_id that only the system reads and writes, across workspaces. */
const SYSTEM_TABLES = ['outbox', 'outbox_parked']
/** Tables of no workspace. A person may belong to several. */
const SHARED_TABLES = [
  'automation_faults',
  'backup_schedule',
  'backups',
  'form_budgets',
  'hit_writers',
  'installation',
  'known_networks',
  'link_keys',
  'log_ticks',
  'login_attempts',
  'login_tickets',
  'outbox_cluster',
  'outbox_cursors',
  'password_resets',
  'rate_counts',
  'recovery_codes',
  'schema_migrations',
  'second_factors',
  'sessions',
  'system_mails',
  'users',
  'workspaces',
]

const INSUFFICIENT_PRIVILEGE = '42501'

const { database, pool, workspaceId: ours } = await testWorkspace()
await ensureAllPartitions(pool)
const theirs = await createWorkspace(pool)

type Table = { name: string; tenant: boolean; enabled: boolean; forced: boolean }
const { rows: tables } = await pool.query<Table>(
  `select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced,
     exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id') as tenant
   from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by 1`,
)
const guarded = tables.filter(({ enabled }) => enabled).map(({ name }) => name)

test('every table with a workspace_id is guarded, its owner included, except the system’s', () => {
  const tenant = tables.filter(({ tenant }) => tenant)
  const open = tenant.filter(({ enabled, forced }) => !enabled || !forced).map(({ name }) => name)
  assert.deepEqual(open, SYSTEM_TABLES)
  assert.ok(tenant.length > 10)
})

test('a table without a workspace_id is a decision', () => {
  assert.deepEqual(
    tables.filter(({ tenant }) => !tenant).map(({ name }) => name),
    SHARED_TABLES,
  )
})

/** Beside the guard, and only ever narrowing what it lets through. */
const NARROWING_POLICY =
  "search RESTRICTIVE SELECT {public} (text ~~ COALESCE(NULLIF(current_setting('postroom.search'::text, true), " +
  "''::text), '%'::text))"

test('every guard is the one policy, for everybody and every command', async () => {
  const { rows: policies } = await pool.query<{ table: string; policy: string }>(
    `select tablename as table, concat_ws(' ', policyname, permissive, cmd, roles, qual, with_check) as policy
     from pg_policies where schemaname = 'public' order by 1`,
  )
  const rows = policies.filter(({ policy }) => policy !== NARROWING_POLICY)
  const { rows: partitions } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
     where c.relispartition and c.relkind = 'r' and i.inhparent::regclass::text = any ($1)`,
    [guarded],
  )
  assert.ok(partitions.length > 3, 'partitions are guarded as well: who names one goes round no wall')
  assert.deepEqual(rows.map(({ table }) => table).sort(), [...guarded, ...partitions.map(({ name }) => name)].sort())
  const policy =
    'workspace PERMISSIVE ALL {public} (( SELECT postroom_sees_all() AS postroom_sees_all) OR ' +
    '(workspace_id = ( SELECT postroom_workspace() AS postroom_workspace))) ' +
    '(postroom_sees_all() OR (workspace_id = postroom_workspace()))'
  for (const row of rows) assert.equal(row.policy, policy, row.table)
})

test('primary and unique keys begin with workspace_id, and so do foreign keys between tenant tables', async () => {
  const { rows: indexes } = await pool.query<{ table: string; index: string; first: string }>(
    `select c.relname as table, i.indexrelid::regclass::text as index, a.attname as first
     from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
     where i.indisunique and c.relname = any ($1)`,
    [guarded],
  )
  assert.deepEqual(
    indexes.filter(({ first }) => first !== 'workspace_id'),
    [],
  )
  assert.deepEqual(
    guarded.filter((name) => !indexes.some(({ table }) => table === name)),
    [],
    'every tenant table has a key',
  )
  const { rows: references } = await pool.query<{
    table: string
    constraint: string
    target: string
    from: string
    to: string
  }>(
    `select c.conrelid::regclass::text as table, c.conname as constraint, c.confrelid::regclass::text as target,
       f.attname as from, t.attname as to
     from pg_constraint c
       join pg_attribute f on f.attrelid = c.conrelid and f.attnum = c.conkey[1]
       join pg_attribute t on t.attrelid = c.confrelid and t.attnum = c.confkey[1]
     where c.contype = 'f' and c.conrelid::regclass::text = any ($1) and c.conparentid = 0`,
    [guarded],
  )
  const crossing = references.filter(
    ({ target, from, to }) => guarded.includes(target) && (from !== 'workspace_id' || to !== 'workspace_id'),
  )
  assert.deepEqual(crossing, [])
  const owners = references.filter(({ target, from }) => target === 'workspaces' && from !== 'workspace_id')
  assert.deepEqual(owners, [])
})

test('the role of the service walks through no wall', async () => {
  const { rows } = await pool.query(
    `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user`,
  )
  assert.deepEqual(rows, [{ rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false }])
})

test('a partition that is named by itself shows one workspace its own rows only', async () => {
  await queryInScope(pool, ALL_WORKSPACES, {
    text: `insert into events (workspace_id, id, recorded_at, type, name, subject, data, occurred_at)
      select id, id, now(), 't', 'n', '', '{}', now() from unnest(array[$1, $2]::bigint[]) id`,
    values: [ours, theirs],
  })
  const [partition] = await queryInScope<{ name: string }>(pool, ALL_WORKSPACES, {
    text: 'select tableoid::regclass::text as name from events limit 1',
  })
  const rows = await queryInScope(pool, ours, { text: `select workspace_id from ${partition!.name}` })
  assert.deepEqual(rows, [{ workspace_id: ours }])
})

/** Gives every guarded table a row of each workspace, after taking away the rules about what stands in the other columns. */
async function fillTables(): Promise<void> {
  const superuser = new pg.Client(database.superuserUrl)
  await superuser.connect()
  // No triggers and no foreign keys in this session.
  await superuser.query('set session_replication_role = replica')
  const { rows: rules } = await superuser.query<{ statement: string }>(
    `select format('alter table %s drop constraint if exists %I cascade', conrelid::regclass, conname) as statement
     from pg_constraint where contype in ('c', 'f') and connamespace = 'public'::regnamespace
       and conrelid::regclass::text = any ($1) and conparentid = 0 and coninhcount = 0 order by contype desc`,
    [guarded],
  )
  for (const { statement } of rules) await superuser.query(statement)
  for (const table of guarded) {
    const { rows: columns } = await superuser.query<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and attidentity = ''
         and not atthasdef and attname <> 'workspace_id'`,
      [table],
    )
    const names = ['workspace_id', ...columns.map(({ name }) => name)]
    for (const id of [ours, theirs]) {
      const values = [id, ...columns.map(({ type }) => sampleOf(type))]
      await superuser.query(`insert into ${table} (${names.join(', ')}) values (${values.join(', ')})
        on conflict do nothing`)
    }
  }
  await superuser.end()
}

function sampleOf(type: string): string {
  if (type.endsWith('[]')) return `'{}'::${type}`
  if (type.startsWith('timestamp') || type === 'date') return 'now()'
  if (type === 'boolean') return 'false'
  if (type === 'uuid') return `'00000000-0000-0000-0000-000000000001'`
  if (type === 'json' || type === 'jsonb') return `'{}'`
  if (type === 'bytea') return String.raw`'\x00'`
  return `'1'::${type}`
}

/** Tries a statement and undoes it: the rows it touched, or the code of its error. */
async function attempt(scope: Scope | undefined, statement: string): Promise<number | string | undefined> {
  let result: number | string | undefined
  await inTransaction(pool, scope ?? ALL_WORKSPACES, async (tx: Transaction) => {
    if (scope === undefined) await tx.query('reset postroom.workspace')
    await tx.query('savepoint attempt')
    result = await tx.query(statement).then(
      ({ rowCount, rows }) => (rows[0] ? Number(rows[0].count) : (rowCount ?? 0)),
      (error) => errorCode(error),
    )
    await tx.query('rollback to savepoint attempt')
  })
  return result
}

test('a workspace sees, changes, removes and adds its own rows only, in every table', async (t) => {
  await fillTables()
  const { rows } = await pool.query<{ table: string; key: string }>(
    `select partrelid::regclass::text as table, attname as key from pg_partitioned_table
     join pg_attribute on attrelid = partrelid and attnum = partattrs[0]`,
  )
  const partitionKeys = new Map(rows.map(({ table, key }) => [table, key]))
  for (const table of guarded) {
    await t.test(table, async () => {
      const count = `select count(*) from ${table}`
      assert.ok(Number(await attempt(ours, count)) >= 1, 'its own rows are there')
      assert.equal(await attempt(ours, `${count} where workspace_id = ${ours}`), await attempt(ours, count))
      for (const statement of [
        `${count} where workspace_id = ${theirs}`,
        `${count} where workspace_id <> ${ours}`,
        `delete from ${table} where workspace_id = ${theirs}`,
        `update ${table} set workspace_id = workspace_id where workspace_id = ${theirs}`,
      ]) {
        assert.equal(await attempt(ours, statement), 0, statement)
      }
      assert.ok(Number(await attempt(ALL_WORKSPACES, `${count} where workspace_id = ${theirs}`)) >= 1)
      const key = partitionKeys.get(table)
      const insert = (id: string) =>
        `insert into ${table} (workspace_id${key ? `, ${key}` : ''}) values (${id}${key ? ', now()' : ''})`
      assert.equal(await attempt(ours, insert(theirs)), INSUFFICIENT_PRIVILEGE)
      assert.notEqual(await attempt(ours, insert(ours)), INSUFFICIENT_PRIVILEGE)
      const move = await attempt(ours, `update ${table} set workspace_id = ${theirs}`)
      // Audit entries refuse a change before the wall is asked.
      assert.equal(move, table === 'audit_entries' ? 'P0001' : INSUFFICIENT_PRIVILEGE)
      assert.equal(await attempt(undefined, count), 0, 'who states no scope sees nothing')
    })
  }
})

test('a scope ends with its transaction, also one that failed', async () => {
  const single = secondProcess(database, { connections: 1 })
  await inTransaction(single, ALL_WORKSPACES, async (tx) => void (await tx.query('select 1')))
  await assert.rejects(inTransaction(single, ours, (tx) => tx.query('select broken')))
  await queryInScope(single, ours, { text: 'select 1' })
  await assert.rejects(queryInScope(single, ours, { text: 'select broken' }))
  const { rows } = await single.query(`select coalesce(current_setting('postroom.workspace', true), '') as scope,
    (select count(*) from contacts) as contacts`)
  assert.deepEqual(rows, [{ scope: '', contacts: '0' }])
})

test('a scope is a number or all of them, never SQL', async () => {
  for (const scope of ['', "1'; drop table contacts; --", '-1', '1 ', '**', '99999999999999999999', 'null']) {
    await assert.rejects(
      inTransaction(pool, scope, async () => undefined),
      /not a workspace scope/,
    )
  }
})
