import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createEraseSome } from '../personal-data/erase-people.ts'
import { mergeContacts } from '../personal-data/merge-contacts.ts'
import { applyTags, ensureTags } from '../tags/apply-tags.ts'
import { createBulkAct, createBulkErasure, undoBulkAct } from './bulk-acts.ts'
import { runBulkAct } from './run-bulk-act.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const merging = { sql: pool, enqueueSweep: async () => undefined }
const eraseSome = createEraseSome({ forms: NO_FORMS, ...merging })
const deps = { sql: pool, pool, segmentFilter: async () => undefined, shouldYield: () => false, eraseSome }
const rows = <R extends object>(text: string, values: unknown[] = []) =>
  queryInScope<R>(pool, workspaceId, { text, values: [workspaceId, ...values] })
const run = ({ id }: { id: string }) => runBulkAct(deps, { workspaceId, id })
const ended = async ({ id }: { id: string }) => {
  const [row] = await rows(
    `select state, contacts_done as done, contacts_changed as changed, failure from bulk_acts where workspace_id = $1 and id = $2`,
    [id],
  )
  return row
}
const tagsOf = async (id: string) => {
  const found = await rows<{ name: string }>(
    `select t.name from contact_tags c join tags t on t.workspace_id = $1 and t.id = c.tag_id
     where c.workspace_id = $1 and c.contact_id = $2 order by 1`,
    [id],
  )
  return found.map(({ name }) => name)
}
let made = 0
const contact = async () => (await createContact(merging, caller, { subjectId: `c${++made}` })).id
const merge = (otherId: string, id: string) => mergeContacts(merging, caller, { id, otherId })

test('a tag is given to whom a contact has become part of, once, and taken back from there', async () => {
  const [alone, first, second, survivor] = [await contact(), await contact(), await contact(), await contact()]
  const act = await createBulkAct(deps, caller, { act: 'tag', tag: 'Given', contactIds: [first, second, alone] })
  await merge(first, survivor)
  await merge(second, survivor)
  await run(act)
  assert.deepEqual([await tagsOf(alone), await tagsOf(survivor)], [['Given'], ['Given']])
  assert.deepEqual(await ended(act), { state: 'done', done: '3', changed: '2', failure: null })
  const undone = await undoBulkAct(deps, caller, act.id)
  await run(undone)
  assert.deepEqual([await tagsOf(alone), await tagsOf(survivor)], [[], []])
  assert.deepEqual(await ended(undone), { state: 'done', done: '2', changed: '2', failure: null })
})

test('a tag that went along with a merge is taken back, and one that the other had before stays', async () => {
  const [first, second, without, owner] = [await contact(), await contact(), await contact(), await contact()]
  await inTransaction(pool, workspaceId, async (tx) => {
    const tags = await ensureTags(tx, caller, ['Kept'])
    await applyTags(tx, caller, [{ contactId: owner, tagId: tags.get('kept')! }])
  })
  const act = await createBulkAct(deps, caller, { act: 'tag', tag: 'Kept', contactIds: [first, second] })
  await run(act)
  await merge(first, without)
  await merge(second, owner)
  await run(await undoBulkAct(deps, caller, act.id))
  assert.deepEqual([await tagsOf(without), await tagsOf(owner)], [[], ['Kept']])
})

test('a contact that was merged is not erased with whom it became part of, and the act says so', async () => {
  const [alone, other, survivor] = [await contact(), await contact(), await contact()]
  const people = { contactIds: [alone, other], expectedCount: 2 }
  const act = await createBulkErasure(deps, caller, people)
  await merge(other, survivor)
  await run(act)
  const left = await rows('select id from contacts where workspace_id = $1 and id = any ($2::int8[])', [
    [alone, other, survivor],
  ])
  assert.deepEqual(left, [{ id: survivor }])
  const failure = '1 of them was merged into another contact meanwhile: that one was not erased. Everybody else was.'
  assert.deepEqual(await ended(act), { state: 'failed', done: '2', changed: '1', failure })
})

test('one that became part of another who is erased as well is no failure', async () => {
  const [other, survivor] = [await contact(), await contact()]
  const act = await createBulkErasure(deps, caller, { contactIds: [other, survivor], expectedCount: 2 })
  await merge(other, survivor)
  await run(act)
  assert.deepEqual(await ended(act), { state: 'done', done: '2', changed: '1', failure: null })
})

test('who was merged between the count and the note of an act over named people is none of its people', async () => {
  const [alone, other, survivor] = [await contact(), await contact(), await contact()]
  const making = await openTransaction(pool, (tx) => ensureTags(tx, caller, ['Beside']))
  const asked = createBulkAct(deps, caller, { act: 'tag', tag: 'Beside', contactIds: [alone, other] })
  await somebodyWaits(pool)
  await merge(other, survivor)
  await making.commit()
  const act = await asked
  assert.equal(act.contactsTotal, '1')
  await run(act)
  const [row] = await rows('select contacts_total as total from bulk_acts where workspace_id = $1 and id = $2', [
    act.id,
  ])
  assert.deepEqual(
    { ...row, ...(await ended(act)) },
    { total: '1', state: 'done', done: '1', changed: '1', failure: null },
  )
})
