import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { applyTags, ensureTags } from '../tags/apply-tags.ts'
import { cancelBulkAct, createBulkAct, previewBulkAct, readBulkAct, undoBulkAct } from './bulk-acts.ts'
import { forgetChunks } from './queries.ts'
import { runBulkAct } from './run-bulk-act.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, pool, segmentFilter: async () => undefined, shouldYield: () => false }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })

const PEOPLE = 2_500
await rows(
  `insert into contacts (workspace_id, email) select $1, 'p' || n || '@' || case when n % 2 = 0 then 'even' else 'odd' end || '.example'
   from generate_series(1, $2::int) n`,
  [workspaceId, PEOPLE],
)
const EVEN = { search: 'even.example' }
const holders = async (tag: string) =>
  (
    await rows<{ id: string }>(
      `select contact_id as id from contact_tags join tags t on t.workspace_id = contact_tags.workspace_id and t.id = tag_id
       where t.name = $1 order by 1`,
      [tag],
    )
  ).map(({ id }) => id)
const told = async (type: string, tag: string) =>
  Number(
    (
      await rows<{ n: string }>(`select count(*) as n from outbox where type = $1 and data->>'tag' = $2`, [type, tag])
    )[0]?.n,
  )
const run = (id: string, shouldYield = () => false) => runBulkAct({ ...deps, shouldYield }, { workspaceId, id })
const read = (id: string) => readBulkAct(deps, { workspaceId, id })
const asked = (tag: string) => ({ act: 'tag' as const, tag, filter: EVEN })

test('everybody who fits gets the tag once, whatever stops the work on its way', async () => {
  assert.deepEqual(await previewBulkAct(deps, workspaceId, asked('vip')), { count: 1_250, changes: 1_250 })
  const { id } = await createBulkAct(deps, caller, { ...asked('vip'), expectedCount: 1_245 })
  // Each run stops after its first step, as a process that is stopped does; two of them at once are as one.
  let turns = 0
  while ((await Promise.all([run(id, () => true), run(id, () => true)])).includes('more')) turns += 1
  assert.ok(turns > 1)
  const { state, contactsTotal, contactsDone, contactsChanged } = await read(id)
  assert.deepEqual([state, contactsTotal, contactsDone, contactsChanged], ['done', '1250', '1250', '1250'])
  assert.equal((await holders('vip')).length, 1_250)
  assert.equal(await told('contact.tagged', 'vip'), 1_250)
  assert.deepEqual(await previewBulkAct(deps, workspaceId, asked('VIP')), { count: 1_250, changes: 0 })
})

test('undoing takes it from those alone who did not have it before, and goes once', async () => {
  const [first] = await rows<{ id: string }>(`select id from contacts where email = 'p2@even.example'`)
  await inTransaction(pool, workspaceId, async (tx) => {
    const tagId = (await ensureTags(tx, caller, ['known'])).get('known')!
    await applyTags(tx, caller, [{ contactId: first!.id, tagId }])
  })
  const { id } = await createBulkAct(deps, caller, asked('known'))
  assert.equal((await read(id)).canBeUndone, false)
  await run(id)
  assert.equal((await read(id)).contactsChanged, '1249')
  const undone = await undoBulkAct(deps, caller, id)
  await run(undone.id)
  assert.deepEqual(await holders('known'), [first!.id])
  const { act, undoes, contactsChanged, canBeUndone } = await read(undone.id)
  assert.deepEqual([act, undoes, contactsChanged, canBeUndone], ['untag', id, '1249', false])
  await assert.rejects(undoBulkAct(deps, caller, id), { statusCode: 409 })
})

test('a number that has moved is refused with what it is now, and so is a fourth act at once', async () => {
  await assert.rejects(createBulkAct(deps, caller, { ...asked('moved'), expectedCount: 1_000 }), {
    statusCode: 409,
    detail: 'Its audience has 1250 people now.',
  })
  const started = [await createBulkAct(deps, caller, asked('a')), await createBulkAct(deps, caller, asked('b'))]
  started.push(await createBulkAct(deps, caller, { act: 'untag', tag: 'a' }))
  await assert.rejects(createBulkAct(deps, caller, asked('c')), { statusCode: 409 })
  await cancelBulkAct(deps, caller, started[1]!.id)
  for (const { id } of started) await run(id)
  assert.deepEqual(await Promise.all(started.map(async ({ id }) => (await read(id)).state)), [
    'done',
    'canceled',
    'done',
  ])
  assert.deepEqual([await holders('a'), await holders('b')], [[], []])
})

test('a week later it is forgotten whom it was about, and it cannot be undone', async () => {
  const { id } = await createBulkAct(deps, caller, asked('old'))
  await run(id)
  await rows(`update bulk_acts set ended_at = now() - interval '8 days' where id = $1`, [id])
  while (await inTransaction(pool, workspaceId, (tx) => forgetChunks(tx, 7)));
  assert.equal((await read(id)).canBeUndone, false)
  const [left] = await rows<{ n: number }>('select count(*)::int as n from bulk_act_chunks where act_id = $1', [id])
  assert.equal(left?.n, 0)
})
