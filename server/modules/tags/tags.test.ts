import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { etagOf } from '../../platform/etag.ts'
import { applyTags, ensureTags } from './apply-tags.ts'
import { createTag, deleteTag, renameTag, type TagDeps } from './manage-tags.ts'
import { countTagged, listContactTags, listTags, readTag } from './read-tags.ts'
import { type SweptTag, sweepTag } from './sweep-tag.ts'
import { tagContact, untagContact } from './tag-contact.ts'

const seed = seedFrom('TAGS_SEED')
console.log(`TAGS_SEED=${seed}`)

const { pool, workspaceId, caller } = await testWorkspace()
const sweeps: SweptTag[] = []
const deps: TagDeps = {
  sql: pool,
  enqueueSweep: async (_tx, tag) => void sweeps.push(tag),
  onRename: async () => undefined,
  onDelete: async () => undefined,
  usedBy: async () => [],
}
const never = new AbortController().signal
const sweep = (tag: SweptTag, stop = never) => sweepTag({ pool }, tag, stop)
const EVERY = { page: 1, pageSize: 1_000 }

const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
async function contacts(number: number): Promise<string[]> {
  const made = await rows<{ id: string }>(
    `insert into contacts (workspace_id, subject_id) select $1, gen_random_uuid()::text from generate_series(1, $2)
     returning id::text`,
    [workspaceId, number],
  )
  return made.map(({ id }) => id)
}
const tagAll = (name: string, people: readonly string[]) =>
  inTransaction(pool, workspaceId, async (tx) => {
    const tagId = (await ensureTags(tx, caller, [name])).get(name.toLowerCase())!
    await applyTags(
      tx,
      caller,
      people.map((contactId) => ({ contactId, tagId })),
    )
    return tagId
  })
const untagged = async (tagId: string) =>
  (
    await pool.query<{ contact_id: string; tag: string }>(
      `select contact_id, data->>'tag' as tag from outbox where type = 'contact.untagged' and data->>'tagId' = $1
       order by tx, position`,
      [tagId],
    )
  ).rows
const held = async (tagId: string) =>
  Number(
    (await rows<{ count: string }>('select count(*)::text as count from contact_tags where tag_id = $1', [tagId]))[0]!
      .count,
  )
const names = (items: readonly { name: string }[]) => items.map(({ name }) => name)

test('tags are listed by name, code point by code point, and found by a part of it', async () => {
  const workspace = await createWorkspace(pool)
  for (const name of ['b', 'a%b', 'Z', 'é', 'a', '10', '9']) await createTag(deps, callerOf(workspace), name)
  const list = (query: object) => listTags(pool, workspace, { ...EVERY, ...query })
  assert.deepEqual(names((await list({})).items), ['10', '9', 'Z', 'a', 'a%b', 'b', 'é'])
  const second = await list({ page: 2, pageSize: 3 })
  assert.deepEqual([names(second.items), second.total], [['a', 'a%b', 'b'], 7])
  assert.deepEqual(await list({ page: 9 }), { items: [], total: 7 })
  const found = await list({ search: ' É ' })
  assert.deepEqual([names(found.items), found.total, found.items[0]?.contactCount], [['é'], 1, 0])
  assert.deepEqual(names((await list({ search: '%' })).items), ['a%b'])
  assert.deepEqual(await list({ search: 'none' }), { items: [], total: 0 })
})

test('a tag is created, renamed and read; a name in use is refused whatever its case', async () => {
  const tag = await createTag(deps, caller, ' First ')
  assert.deepEqual(Object.keys(tag), ['id', 'name', 'createdAt'])
  assert.equal(tag.name, 'First')
  await createTag(deps, caller, 'Second')
  await assert.rejects(createTag(deps, caller, 'FIRST'), { statusCode: 409, detail: 'name is already taken' })
  const rename = (name: string, ifMatch?: string) => renameTag(deps, caller, { id: tag.id, name, ifMatch })
  await assert.rejects(rename('second'), { statusCode: 409 })
  await assert.rejects(rename('Third', etagOf({ ...tag, name: 'older' })), { statusCode: 412 })
  const renamed = await rename('fIRST', etagOf(tag))
  assert.deepEqual(await readTag(pool, workspaceId, tag.id), { ...tag, name: 'fIRST' })
  assert.deepEqual(renamed, { ...tag, name: 'fIRST' })
  for (const none of ['', '  ', 'a\u0007b', 'x'.repeat(101)]) {
    await assert.rejects(createTag(deps, caller, none), { statusCode: 400 })
  }
})

test('a contact gets and loses a tag by name, however often it is said', async () => {
  const [contactId] = (await contacts(1)) as [string]
  const name = 'a/b ü %2F'
  const tag = await tagContact(deps, caller, { contactId, name })
  assert.deepEqual(await tagContact(deps, caller, { contactId, name: name.toUpperCase() }), tag)
  assert.deepEqual(await listContactTags(pool, workspaceId, { ...EVERY, contactId }), { items: [tag], total: 1 })
  assert.deepEqual(await countTagged(pool, workspaceId, tag.id), { contactCount: 1 })
  for (const said of ['A/B Ü %2F', name, 'never', '']) await untagContact(deps, caller, { contactId, name: said })
  assert.deepEqual(await listContactTags(pool, workspaceId, { ...EVERY, contactId }), { items: [], total: 0 })
  assert.equal((await untagged(tag.id)).length, 1)
  const stranger = { contactId: '999999999', name }
  await assert.rejects(tagContact(deps, caller, stranger), { statusCode: 404 })
  await assert.rejects(untagContact(deps, caller, stranger), { statusCode: 404 })
  await assert.rejects(listContactTags(pool, workspaceId, { ...EVERY, ...stranger }), { statusCode: 404 })
})

test('a deleted tag is gone at once, its contacts lose it in chunks, and its name is free', async () => {
  const people = await contacts(2_500)
  const id = await tagAll('Big', people)
  await assert.rejects(deleteTag(deps, caller, { id, ifMatch: '"other"' }), { statusCode: 412 })
  await deleteTag(deps, caller, { id })
  await assert.rejects(readTag(pool, workspaceId, id), { statusCode: 404 })
  await assert.rejects(deleteTag(deps, caller, { id }), { statusCode: 404 })
  const again = await tagAll('big', people.slice(0, 1))
  assert.notEqual(again, id)
  const tag = sweeps.find(({ tagId }) => tagId === id)!
  assert.equal(await sweep(tag, AbortSignal.abort()), 'stopped')
  assert.equal(await held(id), 2_500)
  assert.equal(await sweep(tag), 'done')
  assert.equal(await held(id), 0)
  const told = await untagged(id)
  assert.deepEqual(
    told.map(({ contact_id }) => contact_id),
    people,
  )
  assert.equal(told[0]?.tag, 'Big')
  assert.deepEqual(await rows('select from tag_counts where tag_id = $1', [id]), [])
  assert.equal(await held(again), 1)
})

test('a sweep that is killed goes on where it was, and tells of nobody twice', async () => {
  const people = await contacts(3_000)
  const tagId = await tagAll('Killed', people)
  await deleteTag(deps, caller, { id: tagId })
  const tag = sweeps.find((one) => one.tagId === tagId)!
  // The second chunk dies with its connection, as it does when the process is killed.
  let connections = 0
  const dying = {
    connect: async () => {
      const client = await pool.connect()
      if (++connections === 2)
        setImmediate(() => client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined))
      return client
    },
  } as unknown as typeof pool
  await assert.rejects(sweepTag({ pool: dying }, tag, never))
  await Promise.all([sweep(tag), sweep(tag)])
  const told = (await untagged(tagId)).map(({ contact_id }) => contact_id)
  assert.deepEqual(told.toSorted(), people.toSorted())
  assert.equal(await held(tagId), 0)
})

test('a tag that is being given to somebody is deleted after that, and taken off again', async () => {
  const [first, second] = (await contacts(2)) as [string, string]
  for (const given of ['by its name', 'by its id']) {
    const name = `Contended ${given}`
    const tagId = await tagAll(name, [first])
    let deleted: Promise<unknown> | undefined
    await inTransaction(pool, workspaceId, async (tx) => {
      if (given === 'by its name') await ensureTags(tx, caller, [name])
      else await applyTags(tx, caller, [{ contactId: second, tagId }])
      let settled = false
      deleted = deleteTag(deps, caller, { id: tagId })
        .then(() => sweep(sweeps.at(-1)!))
        .finally(() => {
          settled = true
        })
      await eventually('the deletion to wait, or to be through', async () => {
        const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return settled || ((await pool.query(waiting)).rowCount ?? 0) > 0
      })
      if (given === 'by its name') assert.equal((await applyTags(tx, caller, [{ contactId: second, tagId }])).length, 1)
    })
    await deleted
    assert.equal(await held(tagId), 0, given)
    assert.deepEqual(
      (await untagged(tagId)).map(({ contact_id }) => contact_id),
      [first, second],
    )
  }
})

test('whatever happens at once, counts are exact, events balance, and no deleted tag stays on anybody', async () => {
  const random = seededRandom(seed)
  const people = await contacts(12)
  const tagNames = ['red', 'green', 'blue', 'Violet']
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const act = async () => {
    const name = pick(tagNames)
    const contactId = pick(people)
    const kind = random()
    if (kind < 0.45) await tagContact(deps, caller, { contactId, name })
    else if (kind < 0.8) await untagContact(deps, caller, { contactId, name })
    else {
      const { items } = await listTags(pool, workspaceId, { ...EVERY, search: name })
      const tag = items[0]
      if (!tag) return
      const done =
        kind < 0.9
          ? renameTag(deps, caller, { id: tag.id, name: `${name}${random() < 0.5 ? '!' : ''}` })
          : deleteTag(deps, caller, { id: tag.id })
      await done.catch((error: { statusCode?: number }) =>
        assert.ok([404, 409].includes(error.statusCode ?? 0), String(error)),
      )
    }
  }
  const actor = async () => {
    for (let n = 0; n < 40; n++) await act()
  }
  await Promise.all(Array.from({ length: 8 }, actor))
  for (const tag of sweeps) await sweep(tag)
  const counted = await rows<{ tag: string; counted: string; held: string; told: string }>(
    `select k.tag_id as tag, sum(k.total)::text as counted,
       (select count(*) from contact_tags h where h.tag_id = k.tag_id)::text as held,
       (select sum(case type when 'contact.tagged' then 1 else -1 end) from outbox
        where type in ('contact.tagged', 'contact.untagged') and data->>'tagId' = k.tag_id::text)::text as told
     from tag_counts k group by k.tag_id`,
  )
  assert.ok(counted.length > 0)
  for (const one of counted) assert.deepEqual([one.counted, one.told], [one.held, one.held], JSON.stringify(one))
  const orphans = await rows('select from contact_tags h where not exists (select from tags t where t.id = h.tag_id)')
  assert.deepEqual(orphans, [])
})
