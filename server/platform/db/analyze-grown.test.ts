import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behindTheBack } from '../../../test/support/tested-instance.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { analyzeGrown, TABLES_WITH_FOREIGN_KEYS } from './analyze-grown.ts'
import { inTransaction, queryInScope } from './transaction.ts'

const { database, pool, workspaceId } = await testWorkspace()
/** So many uses: the plan is one that is made without the values, and kept. */
const USES = 7
const PEOPLE = 3_000

const addContacts = (name: string, count: number) =>
  queryInScope(pool, workspaceId, {
    text: `insert into contacts (workspace_id, email) select $1, $2 || n || '@example.com' from generate_series(1, $3::int) n`,
    values: [workspaceId, name, count],
  })
const { sql } = behindTheBack(database)

test('a connection that has checked foreign keys among few rows looks them up by their index when there are many', async () => {
  const one = secondProcess(database, { connections: 1 })
  const [tag] = await queryInScope<{ id: string }>(pool, workspaceId, {
    text: `insert into tags (workspace_id, name) values ($1, 'red') returning id`,
    values: [workspaceId],
  })
  /** Gives people the tag, and answers how many contacts the statement has read. */
  const tagged = (name: string) =>
    inTransaction(one, workspaceId, async (tx) => {
      const read = async () => {
        const { rows } = await tx.query<{ n: number }>(
          `select (seq_tup_read + idx_tup_fetch)::int as n from pg_stat_xact_user_tables where relname = 'contacts'`,
        )
        return rows[0]!.n
      }
      const { rows: people } = await tx.query<{ id: string }>('select id from contacts where email like $1', [
        `${name}%`,
      ])
      const before = await read()
      await tx.query(
        'insert into contact_tags (workspace_id, tag_id, contact_id) select $1, $2, unnest($3::bigint[])',
        [...[workspaceId, tag!.id], people.map(({ id }) => id)],
      )
      return (await read()) - before
    })
  // The planner knows the table as it was before the first import.
  await sql('alter table contacts set (autovacuum_enabled = off)')
  await addContacts('hand', USES)
  await sql('vacuum analyze contacts')
  for (let n = 1; n <= USES; n++) await tagged(`hand${n}@`)
  await addContacts('many', PEOPLE)
  // The fault itself: for each of a hundred people the table is read until there they are.
  const readByOldPlan = await tagged('many28__@')
  assert.ok(
    readByOldPlan > 50 * PEOPLE,
    `the plan that was kept is the one this is about: it has read ${readByOldPlan}`,
  )

  assert.deepEqual(await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS), ['contacts'])
  assert.equal(await tagged('many29__@'), 100)
  assert.deepEqual(await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS), [], 'once, until it has grown again')
})

test('a table that was looked at amid a large transaction is looked at again after its commit', async () => {
  await sql('alter table custom_fields set (autovacuum_enabled = off)')
  const known = async () => {
    const { rows } = await pool.query<{ n: number }>(
      `select reltuples::int as n from pg_class where oid = 'custom_fields'::regclass`,
    )
    return rows[0]!.n
  }
  const one = secondProcess(database, { connections: 1 })
  await inTransaction(one, workspaceId, async (tx) => {
    await tx.query(
      `insert into custom_fields (workspace_id, key, name, type, declared)
       select $1, 'key' || n, 'Key', 'string', true from generate_series(1, $2::int) n`,
      [workspaceId, PEOPLE],
    )
    assert.deepEqual(await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS), ['custom_fields'], 'it has many pages')
    assert.equal(await known(), 0, 'the planner has learnt that they are empty')
    await tx.query('select pg_stat_force_next_flush()')
  })

  assert.deepEqual(await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS), ['custom_fields'])
  assert.equal(await known(), PEOPLE)
  assert.deepEqual(await analyzeGrown(pool, TABLES_WITH_FOREIGN_KEYS), [], 'once, until it has grown again')
})

test('queue tables and partitions are not among those that are looked at', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `select t.oid::regclass::text as name from (${TABLES_WITH_FOREIGN_KEYS.text}) t (oid, columns)`,
  )
  const names = rows.map(({ name }) => name)
  for (const name of ['contacts', 'contact_tags', 'topic_subscriptions']) assert.ok(names.includes(name), name)
  for (const name of ['delivery_queue', 'webhook_lanes', 'run_queue', 'message_queue', 'send_lanes']) {
    assert.ok(!names.includes(name), name)
  }
  assert.deepEqual(
    names.filter((name) => /_p\d{6}/.test(name)),
    [],
  )
})
