import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { applyTags, ensureTags, removeTags, type TagPair } from './apply-tags.ts'

const { pool, workspaceId, caller } = await testWorkspace()

const ensure = (names: string[]) => inTransaction(pool, workspaceId, (tx) => ensureTags(tx, caller, names))
const apply = (pairs: TagPair[]) => inTransaction(pool, workspaceId, (tx) => applyTags(tx, caller, pairs))
const remove = (pairs: TagPair[]) => inTransaction(pool, workspaceId, (tx) => removeTags(tx, caller, pairs))
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values })
const contacts = async (number: number, workspace = workspaceId) =>
  (
    await queryInScope<{ id: string }>(pool, workspace, {
      text: `insert into contacts (workspace_id, subject_id, email)
        select $1, gen_random_uuid()::text, gen_random_uuid()::text || '@example.com' from generate_series(1, $2) returning id`,
      values: [workspace, number],
    })
  ).map(({ id }) => id)
const events = (tagId: string) =>
  pool
    .query<{ type: string; contact_id: string; data: string }>(
      `select type, contact_id, data from outbox where data->>'tagId' = $1 order by tx, position`,
      [tagId],
    )
    .then((answer) => answer.rows)
const audited = (text: string) =>
  rows<{ action: string; target_type: string; diff: string }>(
    'select action, target_type, diff from audit_entries where diff::text like $1 or target_name = $2 order by id',
    [`%${text}%`, text],
  )
const counted = async (tagId: string) =>
  (
    await rows<{ counted: string; held: string }>(
      `select (select coalesce(sum(total), 0) from tag_counts where tag_id = $1)::text as counted,
         (select count(*) from contact_tags where tag_id = $1)::text as held`,
      [tagId],
    )
  )[0]

test('a name is one tag whatever the case of its letters, spelled as it was first', async () => {
  const first = await ensure(['VIP', 'vip', 'Ünïcode/§'])
  assert.deepEqual([...first.keys()].sort(), ['vip', 'ünïcode/§'])
  assert.deepEqual(await ensure(['vIp', 'üNÏCODE/§']), first)
  const names = await rows<{ name: string }>('select name from tags order by id')
  assert.deepEqual(
    names.map(({ name }) => name),
    ['VIP', 'Ünïcode/§'],
  )
  assert.deepEqual(
    (await audited('VIP')).map(({ action }) => action),
    ['tag.create'],
  )
})

test('only what changes is told: a tag applied twice is applied once', async () => {
  const tagId = (await ensure(['told'])).get('told')!
  const [one, two] = (await contacts(2)) as [string, string]
  assert.equal((await apply([{ contactId: one, tagId }])).length, 1)
  assert.deepEqual(await apply([{ contactId: one, tagId }]), [])
  await apply([one, two, two].map((contactId) => ({ contactId, tagId })))
  assert.deepEqual(await counted(tagId), { counted: '2', held: '2' })
  assert.equal((await remove([one, two].map((contactId) => ({ contactId, tagId })))).length, 2)
  assert.deepEqual(await remove([{ contactId: one, tagId }]), [])
  const told = await events(tagId)
  assert.deepEqual(
    told.map(({ type, contact_id }) => [type, contact_id]),
    [
      ['contact.tagged', one],
      ['contact.tagged', two],
      ['contact.untagged', one],
      ['contact.untagged', two],
    ],
  )
  const data = JSON.parse(told[0]!.data)
  assert.deepEqual([data.contactId, data.tag, data.phone], [Number(one), 'told', null])
  assert.deepEqual(await counted(tagId), { counted: '0', held: '0' })
})

test('the log names the contact of one change, and counts those of many', async () => {
  const tagId = (await ensure(['logged'])).get('logged')!
  const people = await contacts(3)
  await apply([{ contactId: people[0]!, tagId }])
  await apply(people.map((contactId) => ({ contactId, tagId })))
  assert.deepEqual(
    (await audited('logged')).map(({ action, target_type, diff }) => [action, target_type, JSON.parse(diff)]),
    [
      ['tag.create', 'tag', { name: { from: null, to: 'logged' } }],
      ['contact.tag', 'contact', { tag: { from: null, to: 'logged' } }],
      ['contact.tag', 'tag', { contacts: { from: null, to: 2 } }],
    ],
  )
})

test('a contact or tag that is not there, or elsewhere, is left out', async () => {
  const other = await createWorkspace(pool)
  const [stranger] = (await contacts(1, other)) as [string]
  const [known] = (await contacts(1)) as [string]
  const tagId = (await ensure(['here'])).get('here')!
  const pairs = [
    { contactId: stranger, tagId },
    { contactId: '999999999', tagId },
    { contactId: known, tagId: '999999999' },
    { contactId: known, tagId },
  ]
  assert.deepEqual(
    (await apply(pairs)).map(({ contactId }) => contactId),
    [known],
  )
})

test('many who name the same new tags at once make each one once', async () => {
  const names = Array.from({ length: 10 }, (_, n) => `Same ${n}`)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      ensure(n % 2 === 0 ? names : names.map((name) => name.toUpperCase()).reverse()),
    ),
  )
  const ids = new Set(answers.map((answer) => names.map((name) => answer.get(name.toLowerCase())).join()))
  assert.equal(ids.size, 1)
})

test('an erased contact takes its tags along, and counts follow', async () => {
  const tagId = (await ensure(['cascade'])).get('cascade')!
  const people = await contacts(3)
  await apply(people.map((contactId) => ({ contactId, tagId })))
  await rows('delete from contacts where id = $1', [people[0]])
  assert.deepEqual(await counted(tagId), { counted: '2', held: '2' })
})
