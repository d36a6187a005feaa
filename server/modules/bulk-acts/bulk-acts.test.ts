import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { beforeItsSecond } from '../../../test/support/before-its-second.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { runJob } from '../../platform/jobs/run-job.ts'
import type { FilterDeps } from '../contacts/list-contacts.ts'
import { createEraseSome } from '../personal-data/erase-people.ts'
import { applyTags, ensureTags } from '../tags/apply-tags.ts'
import { deleteTag, renameTag } from '../tags/manage-tags.ts'
import {
  cancelBulkAct,
  createBulkAct,
  createBulkErasure,
  previewBulkAct,
  RUN_BULK_ACT,
  readBulkAct,
  undoBulkAct,
} from './bulk-acts.ts'
import { renameTagInBulkActs } from './follow-tags.ts'
import { bulkActsModule } from './module.ts'
import { forgetChunks } from './queries.ts'
import { runBulkAct } from './run-bulk-act.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const eraseSome = createEraseSome({ forms: NO_FORMS, enqueueSweep: async () => undefined })
const deps = { sql: pool, pool, segmentFilter: async () => undefined, shouldYield: () => false, eraseSome }
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

test('whom an act is about is noted as it is: to compress a million ids would hold up the log', async () => {
  const { id } = await createBulkAct(deps, caller, asked('noted'))
  await run(id)
  const manners = await rows(
    `select distinct pg_column_compression(contact_ids) as noted, pg_column_compression(changed_ids) as changed
     from bulk_act_chunks where act_id = $1`,
    [id],
  )
  assert.deepEqual(manners, [{ noted: null, changed: null }])
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

const nothing = async () => undefined
const tagDeps = { sql: pool, enqueueSweep: nothing, onRename: nothing, onDelete: nothing, usedBy: async () => [] }
const tagIdOf = async (name: string) =>
  (await rows<{ id: string }>('select id from tags where name = $1', [name]))[0]?.id
const rename = async (from: string, to: string) => renameTag(tagDeps, caller, { id: (await tagIdOf(from))!, name: to })

test('an act and its undo go on with the tag, whatever that is called meanwhile', async () => {
  const { id } = await createBulkAct(deps, caller, asked('before'))
  while ((await read(id)).contactsDone === '0') await run(id, () => true)
  await rename('before', 'meanwhile')
  await run(id)
  assert.equal((await holders('meanwhile')).length, 1_250)
  await rename('meanwhile', 'after')
  const undone = await undoBulkAct(deps, caller, id)
  assert.equal(undone.tag, 'after')
  await run(undone.id)
  assert.deepEqual([(await read(undone.id)).contactsChanged, await holders('after')], ['1250', []])
  assert.deepEqual(await Promise.all(['before', 'meanwhile'].map(tagIdOf)), [undefined, undefined])
})

test('an act is about those whom its filter meant, also where their tag is renamed before it looks for them', async () => {
  const ids = await rows<{ id: string }>('select id from contacts order by id limit 3')
  const named = await createBulkAct(deps, caller, { act: 'tag', tag: 'few', contactIds: ids.map(({ id }) => id) })
  await run(named.id)
  const { id } = await createBulkAct(deps, caller, { act: 'tag', tag: 'more', filter: { tag: 'FEW' } })
  const few = (await tagIdOf('few'))!
  await renameTag({ ...tagDeps, onRename: renameTagInBulkActs }, caller, { id: few, name: 'fewer' })
  await run(id)
  assert.equal((await holders('more')).length, 3)
})

test('an act whose tag is renamed while it counts, or while it begins to look, is about those whom it has counted', async () => {
  const ids = await rows<{ id: string }>('select id from contacts order by id limit 3')
  const named = await createBulkAct(deps, caller, { act: 'tag', tag: 'held', contactIds: ids.map(({ id }) => id) })
  await run(named.id)
  const renameTo = async (to: string) =>
    renameTag({ ...tagDeps, onRename: renameTagInBulkActs }, caller, { id: (await heldId())!, name: to })
  const heldId = async () =>
    (await rows<{ id: string }>(`select id from tags where name like 'held%'`)).map(({ id }) => id)[0]
  let renaming: Promise<unknown> | undefined
  const segmentFilter: FilterDeps['segmentFilter'] = async () => {
    if (renaming === undefined) {
      renaming = renameTo('held on')
      await Promise.race([renaming, somebodyWaits(pool)])
    }
    return sql`select id from contacts`
  }
  const filter = { tag: 'held', segmentId: '1' }
  const { id, contactsTotal } = await createBulkAct({ ...deps, segmentFilter }, caller, {
    act: 'tag',
    tag: 'seen',
    filter,
  })
  await renaming
  const between = beforeItsSecond(pool, () => renameTo('held still'))
  await runBulkAct({ ...deps, segmentFilter, pool: between }, { workspaceId, id })
  assert.deepEqual([contactsTotal, (await holders('seen')).length], ['3', 3])
})

test('no act brings a tag back that was deleted', async () => {
  const [given, taken] = [
    await createBulkAct(deps, caller, asked('gone')),
    await createBulkAct(deps, caller, asked('g2')),
  ]
  await run(taken.id)
  for (const name of ['gone', 'g2']) await deleteTag(tagDeps, caller, { id: (await tagIdOf(name))! })
  await run(given.id)
  const { state, failure } = await read(given.id)
  assert.deepEqual([state, failure], ['failed', 'The tag "gone" was deleted.'])
  const undone = await undoBulkAct(deps, caller, taken.id)
  await run(undone.id)
  const after = await read(undone.id)
  assert.deepEqual([after.state, after.contactsChanged], ['done', '0'])
  const nobodys = { act: 'untag' as const, tag: 'gone' }
  assert.equal((await previewBulkAct(deps, workspaceId, nobodys)).changes, 0)
  await assert.rejects(createBulkAct(deps, caller, nobodys), {
    statusCode: 422,
    detail: '/tag is not a tag of this workspace: nobody has it',
  })
  assert.deepEqual(await Promise.all(['gone', 'g2'].map(tagIdOf)), [undefined, undefined])
})

test('an undo that was canceled or failed can be repeated, one at a time', async () => {
  const { id } = await createBulkAct(deps, caller, asked('again'))
  await run(id)
  const canceled = await undoBulkAct(deps, caller, id)
  await run(canceled.id, () => true)
  await cancelBulkAct(deps, caller, canceled.id)
  assert.equal((await holders('again')).length, 250)
  assert.equal((await read(id)).canBeUndone, true)
  const both = await Promise.allSettled([undoBulkAct(deps, caller, id), undoBulkAct(deps, caller, id)])
  assert.deepEqual(both.map((one) => (one.status === 'rejected' ? one.reason.statusCode : 202)).sort(), [202, 409])
  await run(both.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))[0]!)
  assert.deepEqual([await holders('again'), (await read(id)).canBeUndone], [[], false])
})

test("the database's troubles cost no attempt, and a filter that cannot be applied ends the act", async () => {
  const { id } = await createBulkAct(deps, caller, asked('late'))
  await rows(`update bulk_acts set filter = '{"segmentId": "1"}' where id = $1`, [id])
  const runs = async (error: Error) => {
    const throwing = async () => Promise.reject(error)
    const { jobs } = bulkActsModule({ sql: pool, pool, segmentFilter: throwing, eraseSome })
    const kind = jobs!.find((one) => one.kind === RUN_BULK_ACT.kind)!
    const job = { id: '1', queue: 'default', kind: kind.kind, payload: { workspaceId, actId: id }, attempt: 12 }
    const never = new AbortController().signal
    const result = await runJob(kind, { ...job, priority: 0, groupKey: null, singletonKey: null }, never).result
    return result !== 'abandoned' && result.outcome.outcome
  }
  for (const code of ['40P01', '57P01']) {
    assert.equal(await runs(Object.assign(new Error(code), { code })), 'database')
    assert.equal((await read(id)).state, 'running')
  }
  assert.equal(await runs(unprocessable([{ pointer: '/segmentId', detail: 'is not there' }])), 'ok')
  const { state, failure } = await read(id)
  assert.deepEqual([state, failure], ['failed', '/segmentId is not there'])
})

test('an act that knows its tag by name alone is carried out and undone', async () => {
  const { id } = await createBulkAct(deps, caller, asked('named'))
  await rows('update bulk_acts set tag_id = null where id = $1', [id])
  await run(id)
  assert.equal((await holders('named')).length, 1_250)
  await run((await undoBulkAct(deps, caller, id)).id)
  assert.deepEqual(await holders('named'), [])
})

const left = async () => Number((await rows<{ n: string }>('select count(*) as n from contacts'))[0]?.n)
const journal = async () => Number((await rows<{ n: string }>('select count(*) as n from erasures'))[0]?.n)

test('people are named one by one: those who are there get the tag, and nobody else', async () => {
  const [one, two] = await rows<{ id: string }>('select id from contacts order by id desc limit 2')
  const contactIds = [two!.id, one!.id, '999999999']
  assert.deepEqual(await previewBulkAct(deps, workspaceId, { act: 'tag', tag: 'picked', contactIds }), {
    count: 2,
    changes: 2,
  })
  const { id, named } = await createBulkAct(deps, caller, { act: 'tag', tag: 'picked', contactIds, expectedCount: 2 })
  await run(id)
  assert.deepEqual([named, await holders('picked')], [true, [two!.id, one!.id]])
  await assert.rejects(createBulkAct(deps, caller, { ...asked('picked'), contactIds }), { statusCode: 400 })
})

test('nobody is erased but exactly as many as were confirmed, and never by leaving out whom', async () => {
  const before = await left()
  await assert.rejects(createBulkErasure(deps, caller, { filter: EVEN, expectedCount: 1_249 }), {
    statusCode: 409,
    detail: 'Its audience has 1250 people now.',
  })
  await assert.rejects(createBulkErasure(deps, caller, { expectedCount: before }), { statusCode: 400 })
  await assert.rejects(previewBulkAct(deps, workspaceId, { act: 'erase' }), { statusCode: 400 })
  const { id } = await createBulkErasure(deps, caller, { filter: EVEN, expectedCount: 1_250 })
  await rows(`insert into contacts (workspace_id, email) values ($1, 'late@even.example')`, [workspaceId])
  await run(id)
  const { state, failure } = await read(id)
  assert.deepEqual(
    [state, failure],
    ['failed', 'It is about 1251 people by now, and 1250 were confirmed: nobody was erased.'],
  )
  assert.deepEqual([await left(), await journal()], [before + 1, 0])
})

test('everybody who fits is erased once, whatever stops the work on its way, and it is not undone', async () => {
  const before = await left()
  const { id } = await createBulkErasure(deps, caller, { filter: EVEN, expectedCount: 1_251 })
  let turns = 0
  while ((await Promise.all([run(id, () => true), run(id, () => true)])).includes('more')) turns += 1
  assert.ok(turns > 5)
  const { state, contactsDone, contactsChanged, canBeUndone, tag } = await read(id)
  assert.deepEqual([state, contactsDone, contactsChanged, canBeUndone, tag], ['done', '1251', '1251', false, null])
  assert.deepEqual([await left(), await journal()], [before - 1_251, 1_251])
  const [events] = await rows<{ n: string }>(`select count(*) as n from outbox where type = 'contact.erased'`)
  assert.equal(events?.n, '1251')
  await assert.rejects(undoBulkAct(deps, caller, id), { statusCode: 409 })
  const entries = await rows<{ name: string | null; people: string; search: string }>(
    `select target_name as name, diff::jsonb -> 'contacts' ->> 'to' as people, diff::jsonb ->> 'search' as search from audit_entries where action = 'contact.erase' and target_id = $1`,
    [id],
  )
  assert.deepEqual(entries, [{ name: null, people: '1251', search: 'changed' }])
})

test('erasing that is canceled ends where it is, and somebody who is gone already is no fault', async () => {
  const people = await rows<{ id: string }>('select id from contacts order by id limit 300')
  const contactIds = people.map(({ id }) => id)
  const before = await left()
  const { id } = await createBulkErasure(deps, caller, { contactIds, expectedCount: 300 })
  await inTransaction(pool, workspaceId, (tx) => eraseSome(tx, caller, contactIds.slice(0, 10)))
  await run(id, () => true)
  await cancelBulkAct(deps, caller, id)
  await run(id)
  const { state, contactsDone, contactsChanged } = await read(id)
  assert.deepEqual([state, contactsDone, contactsChanged], ['canceled', '100', '90'])
  assert.equal(await left(), before - 100)
})
