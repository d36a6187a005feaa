import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction } from '../../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { publishVersion } from '../definition/publish-version.ts'
import { automationForChange, setSwitches } from '../definition/queries.ts'
import { enrollContacts } from './enroll-contacts.ts'
import { COMERS_A_CHUNK, placeComers } from './place-comers.ts'

const PEOPLE = COMERS_A_CHUNK + 3
const { pool, workspaceId, caller } = await testWorkspace()
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

test('the people of a segment come chunk by chunk, each once, one after the other, and the merged as who they are now', async () => {
  const { id, segmentId } = await inTransaction(pool, workspaceId, async (tx) => {
    const draft = { format: 1, enter: { on: [{ manual: true }] }, start: 'end', nodes: {} }
    const made = await tx.query<{ id: string }>(
      `insert into automations (workspace_id, name, draft) values ($1, 'Segment', $2) returning id`,
      [workspaceId, JSON.stringify(draft)],
    )
    const key = { workspaceId, id: made.rows[0]!.id }
    const publishedVersion = await publishVersion(tx, key, (await automationForChange(tx, key))!)
    await setSwitches(tx, key, { publishedVersion, entryOpen: true })
    await tx.query(
      `insert into contacts (workspace_id, email) select $1, 'p' || n || '@example.com' from generate_series(1, $2::int) n`,
      [workspaceId, PEOPLE],
    )
    const segment = await tx.query<{ id: string }>(
      `insert into segments (workspace_id, name, definition) values ($1, 'All', '{"rules":[]}') returning id`,
      [workspaceId],
    )
    return { id: key.id, segmentId: segment.rows[0]!.id }
  })
  const body = { segmentId, perMinute: 60, key: 'spring' }
  const open = await openTransaction(pool, (tx) => tx.query('lock table contacts in access exclusive mode'))
  await assert.rejects(enrollContacts({ sql: pool, findMsMax: 200 }, caller, { id, body: { segmentId } }), {
    statusCode: 422,
    detail: /takes more than 0.2 s to gather: enroll parts of it/,
  })
  await open.commit()
  assert.deepEqual(await enrollContacts({ sql: pool }, caller, { id, body }), { accepted: PEOPLE, verdicts: null })
  assert.deepEqual(await rows('select from run_queue'), [], 'nobody is in the queue by the request itself')
  const manners = await rows('select distinct pg_column_compression(contact_ids) as manner from automation_comers')
  assert.deepEqual(manners, [{ manner: null }], 'to compress a million ids would take longer than to find them')
  const [merged, survivor] = await rows<{ id: string }>('select id from contacts order by id limit 2')
  await rows(
    `insert into contact_merges (workspace_id, merged_id, into_id, survivor_id, alias_hashes, actor_kind)
     values ($1, $2, $3, $3, '{}', 'system')`,
    [workspaceId, merged!.id, survivor!.id],
  )
  await rows('delete from contacts where id = $1', [merged!.id])
  assert.equal(await placeComers(pool, { workspaceId, automationId: id }, AbortSignal.timeout(60_000)), 'done')
  const [queued] = await rows<object>(
    `select count(*)::int as n, count(distinct contact_id)::int as people, count(distinct entry_key)::int as keys,
       count(distinct due_at)::int as moments, extract(epoch from max(due_at) - min(due_at))::int as seconds
     from run_queue where kind = 'entry'`,
  )
  assert.deepEqual(queued, { n: PEOPLE, people: PEOPLE - 1, keys: 1, moments: PEOPLE, seconds: PEOPLE - 1 })
  assert.deepEqual(await rows('select from automation_comers'), [])
})
