import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '../../../test/support/eventually.ts'
import { callerOf, createWorkspace, secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createContact } from '../contacts/create-contact.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { createExport, readExport } from './create-export.ts'
import { discardFiles } from './erase-from-files.ts'
import { exportContacts } from './export-contacts.ts'
import { CHUNK_CONTACTS } from './export-queries.ts'

const { database, pool, workspaceId, caller } = await testWorkspace()
await migrateJobs(pool, QUEUES)
const CONTACTS = 2 * CHUNK_CONTACTS + 10
const LATCH = 4_711
/** A filter that finds everybody, once the latch is free. */
const segmentFilter = async () =>
  sql<unknown>`select c.id from contacts c, (select pg_advisory_xact_lock_shared(${sql.lit(LATCH)})) latch
    where c.workspace_id = ${sql.lit(Number(workspaceId))}`
/** Longer than the latch is held. */
const stretch = { msMax: 60_000, contactsMax: 100_000, contactsMin: 1_000 }
const deps = { sql: pool, pool, segmentFilter, stretch, shouldYield: () => false }
const scoped = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })

test('while an export looks for its contacts it holds nobody’s events back, and then writes each of them once', async () => {
  await scoped(
    `insert into contacts (workspace_id, email) select $1, 'c' || n || '@example.com' from generate_series(1, $2::int) n`,
    [workspaceId, CONTACTS],
  )
  const { id } = await createExport(deps, caller, { filter: { segmentId: '1' }, columns: ['email'] })
  const latch = await secondProcess(database, { connections: 1 }).connect()
  await latch.query('select pg_advisory_lock($1)', [LATCH])
  const exporting = Promise.all([exportContacts(deps, { workspaceId, id }), exportContacts(deps, { workspaceId, id })])
  const waiting = `select a.backend_xid as id from pg_stat_activity a join pg_locks l using (pid)
    where a.datname = current_database() and l.locktype = 'advisory' and not l.granted`
  await eventually('both runs look for contacts', async () => (await pool.query(waiting)).rowCount === 2)
  assert.deepEqual((await pool.query(waiting)).rows, [{ id: null }, { id: null }], 'they have written nothing')
  await latch.query('select pg_advisory_unlock($1)', [LATCH])
  latch.release()
  assert.deepEqual(await exporting, ['done', 'done'])
  const done = await readExport(pool, workspaceId, id)
  assert.deepEqual([done.state, done.rowsTotal, done.rowsWritten], ['done', String(CONTACTS), String(CONTACTS)])
  const [file] = await scoped(
    `select count(distinct line) as lines, count(*) as total from (
       select unnest(string_to_array(trim(e'\\r\\n' from convert_from(string_agg(data, ''::bytea order by number), 'UTF8')), e'\\n')) as line
       from file_chunks where file_id = $1) lines`,
    [done.fileId],
  )
  assert.deepEqual(file, { lines: String(CONTACTS + 1), total: String(CONTACTS + 1) })
  assert.deepEqual(await scoped('select from export_contacts'), [])
})

test('an export that is being written is begun again when an erasure takes its file, and has whoever is left', async () => {
  const other = await createWorkspace(pool)
  await queryInScope(pool, other, {
    text: `insert into contacts (workspace_id, email) select $1, 'd' || n || '@example.com' from generate_series(1, $2::int) n`,
    values: [other, CONTACTS],
  })
  const written = async (filter: { segmentId?: string }, createdAt: string) => {
    const { id } = await createExport(deps, callerOf(other), { filter, columns: ['email'] })
    const key = { workspaceId: other, id }
    assert.equal(await exportContacts({ ...deps, segmentFilter: ofOther, shouldYield: () => true }, key), 'more')
    if (filter.segmentId) await exportContacts({ ...deps, segmentFilter: ofOther, shouldYield: () => true }, key)
    assert.notEqual((await readExport(pool, other, id)).rowsWritten, '0')
    const text = 'delete from contacts where id = (select min(id) from contacts where workspace_id = $1)'
    await queryInScope(pool, other, { text, values: [other] })
    await inTransaction(pool, other, (tx) => discardFiles(tx, other, null))
    const back = `update exports set created_at = ${createdAt} where workspace_id = $1 and id = $2`
    await queryInScope(pool, other, { text: back, values: [other, id] })
    assert.equal(await exportContacts({ ...deps, segmentFilter: ofOther }, key), 'done')
    return await readExport(pool, other, id)
  }
  for (const [n, filter] of [{}, { segmentId: '1' }].entries()) {
    const { state, rowsTotal, rowsWritten, fileId, failure } = await written(filter, 'created_at')
    const left = String(CONTACTS - n - 1)
    assert.deepEqual([state, failure, rowsTotal, rowsWritten], ['done', null, left, left])
    const text = `select sum(length(data))::text as bytes, max(number) as last, count(*)::int as pieces,
        bool_or(convert_from(data, 'UTF8') like '%d' || $2 || '@%') as erased
      from file_chunks where workspace_id = $1 and file_id = $3`
    const [file] = await queryInScope<{ last: number; pieces: number; erased: boolean }>(pool, other, {
      text,
      values: [other, n + 1, fileId],
    })
    assert.deepEqual([file?.last, file?.erased], [file!.pieces - 1, false])
  }
  const { state, failure } = await written({}, `now() - interval '2 hours'`)
  assert.equal(state, 'failed')
  assert.match(failure!, /erased all the while/)
  async function ofOther() {
    return sql<unknown>`select id from contacts where workspace_id = ${sql.lit(Number(other))}`
  }
})

test('a workspace has so many exports written at once, and the next when one is done', async () => {
  const other = await createWorkspace(pool)
  const asOther = callerOf(other)
  const begin = () => createExport(deps, asOther, { columns: ['email'] })
  const asked = await Promise.allSettled(Array.from({ length: 8 }, begin))
  const begun = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code?: string }).code] : []))
  assert.deepEqual([begun.length, refused], [3, Array(5).fill('limit-reached')])
  await exportContacts(deps, { workspaceId: other, id: begun[0]!.id })
  await begin()
  await createExport(deps, caller, { columns: ['email'] })
})

test('who becomes part of somebody else while the file is written is in it as them, once', async () => {
  const other = await createWorkspace(pool)
  const by = callerOf(other)
  const made = async (email: string) => (await createContact({ sql: pool }, by, { email })).id
  const [unfound, found, first, second, third] = [
    ...[await made('unfound@example.com'), await made('found@example.com')],
    ...[await made('first@example.com'), await made('second@example.com'), await made('third@example.com')],
  ] as [string, string, string, string, string]
  const segmentFilter = async () =>
    sql<unknown>`select c.id from contacts c where c.workspace_id = ${sql.lit(Number(other))} and c.id <> ${sql.lit(Number(unfound))}`
  const { id } = await createExport(deps, by, { filter: { segmentId: '1' }, columns: ['id'] })
  const key = { workspaceId: other, id }
  assert.equal(await exportContacts({ ...deps, segmentFilter, shouldYield: () => true }, key), 'more')
  const merge = (otherId: string, id: string) =>
    mergeContacts({ sql: pool, enqueueSweep: async () => undefined }, by, { id, otherId })
  await merge(first, unfound)
  await merge(second, unfound)
  await merge(third, found)
  assert.equal(await exportContacts({ ...deps, segmentFilter }, key), 'done')
  const { fileId, rowsWritten } = await readExport(pool, other, id)
  const [file] = await queryInScope<{ text: string }>(pool, other, {
    text: `select convert_from(string_agg(data, ''::bytea order by number), 'UTF8') as text from file_chunks where file_id = $1`,
    values: [fileId],
  })
  assert.deepEqual(file!.text.trim().split(/\s+/), ['id', found, unfound])
  assert.equal(rowsWritten, '2')
})

test('thousands who become part of one contact are looked through once, not once for each of them', async () => {
  const other = await createWorkspace(pool)
  const inOther = <R extends object>(text: string, values: unknown[] = []) =>
    queryInScope<R>(pool, other, { text, values: [other, ...values] })
  const by = callerOf(other)
  const survivor = (await createContact({ sql: pool }, by, { email: 'survivor@example.com' })).id
  await inOther(
    `insert into contacts (workspace_id, subject_id) select $1, 's' || n from generate_series(1, $2::int) n`,
    [CHUNK_CONTACTS],
  )
  const segmentFilter = async () =>
    sql<unknown>`select c.id from contacts c where c.workspace_id = ${sql.lit(Number(other))} and c.id <> ${sql.lit(Number(survivor))}`
  const { id } = await createExport(deps, by, { filter: { segmentId: '1' }, columns: ['id'] })
  const key = { workspaceId: other, id }
  assert.equal(await exportContacts({ ...deps, segmentFilter, shouldYield: () => true }, key), 'more')
  // Everybody who was found, and five times as many who were not.
  await inOther(
    `with gone as (delete from contacts where workspace_id = $1 and id <> $2 returning id)
     insert into contact_merges (workspace_id, merged_id, into_id, survivor_id, alias_hashes, actor_kind)
     select $1, id, $2::int8, $2, '{}'::bytea[], 'user' from gone
     union all select $1, -n, $2, $2, '{}', 'user' from generate_series(1, 10000) n`,
    [survivor],
  )
  assert.equal(await exportContacts({ ...deps, segmentFilter }, key), 'done')
  assert.equal((await readExport(pool, other, id)).rowsWritten, '1')
})
