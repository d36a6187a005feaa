import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../../test/support/open-transaction.ts'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { changeField, declareField } from '../../custom-fields/manage-fields.ts'
import { createTag, deleteTag, renameTag } from '../../tags/manage-tags.ts'
import { createTopic, deleteTopic } from '../../topics/manage-topics.ts'
import { automationsNamingTag, automationsNamingTopic, refuseRename, refuseTagRename } from './automations-naming.ts'
import { checkReferences } from './check-references.ts'
import { insertAutomation } from './queries.ts'
import { readDefinition } from './read-definition.ts'

const { pool, workspaceId, caller } = await testWorkspace({ connections: 6 })
const deps = { sql: pool, enqueueRewrite: async () => undefined, onKeyChange: refuseRename, usedBy: async () => [] }

/** Checks and keeps an automation in the transaction of its save; answers what was wrong with it. */
function save(tx: Transaction, { on, set }: { on: object[]; set: object }) {
  return saveNodes(tx, { on, nodes: { set: { type: 'field', set, to: 'end' } } })
}

/** The same of one that takes those who lack something another way. */
function saveLacking(tx: Transaction, field: string, value: string) {
  const rule = { combinator: 'and', rules: [{ field, operator: 'doesNotHave', value }] }
  return saveNodes(tx, {
    on: [{ event: 'asked' }],
    nodes: { b: { type: 'branch', ways: [{ if: rule, to: 'end' }], else: 'end' } },
  })
}

async function saveNodes(tx: Transaction, { on, nodes }: { on: object[]; nodes: object }) {
  const draft = { format: 1, enter: { on, again: { mode: 'once' } }, start: Object.keys(nodes)[0], nodes }
  const { faults, segmentIds } = await checkReferences(tx, workspaceId, readDefinition(draft).definition)
  const row = { name: 'Sets', draft: JSON.stringify(draft), steps: null, scenarios: '[]', segmentIds }
  if (faults.length === 0) await insertAutomation(tx, workspaceId, row)
  return faults.map(({ detail }) => detail)
}

test('a custom field that an automation names which is being saved is not renamed', async () => {
  const { id } = await declareField(deps, caller, { key: 'plan', type: 'string' })
  const saving = await openTransaction(
    pool,
    (tx) => save(tx, { on: [{ event: 'asked' }], set: { plan: 'gold' } }),
    workspaceId,
  )
  const renamed = assert.rejects(changeField(deps, caller, { id, change: { key: 'tier' } }), { statusCode: 422 })
  renamed.catch(() => undefined)
  await Promise.race([renamed.catch(() => undefined), somebodyWaits(pool)])
  await saving.commit()
  await renamed
  assert.deepEqual(saving.value, [])
  const keys = await queryInScope(pool, workspaceId, {
    text: 'select key from custom_fields where workspace_id = $1',
    values: [workspaceId],
  })
  assert.deepEqual(keys, [{ key: 'plan' }])
})

test('an automation does not begin by a date whose custom field gets another key meanwhile', async () => {
  const { id } = await declareField(deps, caller, { key: 'born', type: 'date' })
  let saved: Promise<string[]> | undefined
  const enqueueRewrite = async () => {
    saved = inTransaction(pool, workspaceId, (tx) => save(tx, { on: [{ date: 'born' }], set: {} }))
    await Promise.race([saved, somebodyWaits(pool)])
  }
  await changeField({ ...deps, enqueueRewrite }, caller, { id, change: { key: 'birthday' } })
  assert.deepEqual(await saved, ['is not a custom field of this workspace'])
})

const tagDeps = {
  ...{ sql: pool, enqueueSweep: async () => undefined },
  ...{ onRename: refuseTagRename, onDelete: async () => undefined, usedBy: automationsNamingTag },
}
const topicDeps = { sql: pool, usedBy: automationsNamingTopic }

/** Lets an act wait for an automation that is being saved, which then is. */
async function afterSave(value: string, field: string, act: () => Promise<unknown>): Promise<void> {
  const saving = await openTransaction(pool, (tx) => saveLacking(tx, field, value), workspaceId)
  assert.deepEqual(saving.value, [])
  const acted = act()
  acted.catch(() => undefined)
  await Promise.race([acted.catch(() => undefined), somebodyWaits(pool)])
  await saving.commit()
  await acted
}

/** Saves an automation while an act is under way that lets it, and waits until it is done or waits. */
async function beforeSave(value: string, field: string, act: (saving: () => Promise<void>) => Promise<unknown>) {
  let saved: Promise<string[]> | undefined
  await act(async () => {
    saved = inTransaction(pool, workspaceId, (tx) => saveLacking(tx, field, value))
    await Promise.race([saved, somebodyWaits(pool)])
  })
  return saved!
}

test('a tag that an automation names which is being saved is neither renamed nor deleted', async () => {
  const { id } = await createTag(tagDeps, caller, 'Bird')
  await afterSave('bird', 'tag', () =>
    assert.rejects(renameTag(tagDeps, caller, { id, name: 'Fowl' }), { statusCode: 422 }),
  )
  const other = await createTag(tagDeps, caller, 'Fish')
  await afterSave('Fish', 'tag', () => assert.rejects(deleteTag(tagDeps, caller, { id: other.id }), { code: 'in-use' }))
})

test('an automation does not name a tag that somebody renames or deletes before its turn has come', async () => {
  const { id } = await createTag(tagDeps, caller, 'Mouse')
  const renamed = await beforeSave('mouse', 'tag', (saving) =>
    renameTag({ ...tagDeps, onRename: saving }, caller, { id, name: 'Rat' }),
  )
  const deleted = await beforeSave('Rat', 'tag', (saving) =>
    deleteTag({ ...tagDeps, enqueueSweep: saving }, caller, { id }),
  )
  const { id: other } = await createTag(tagDeps, caller, 'Cat')
  let triggered: Promise<string[]> | undefined
  const onRename = async () => {
    const on = [{ event: 'contact.tagged', where: [{ property: 'tag', operator: '=', value: 'Cat' }] }]
    triggered = inTransaction(pool, workspaceId, (tx) => save(tx, { on, set: {} }))
    await Promise.race([triggered, somebodyWaits(pool)])
  }
  await renameTag({ ...tagDeps, onRename }, caller, { id: other, name: 'Lynx' })
  assert.deepEqual(await triggered, ['names the tag “Cat”, which was renamed or deleted just now'])
  assert.deepEqual(renamed, ['names the tag “mouse”, which was renamed or deleted just now'])
  assert.deepEqual(deleted, ['names the tag “Rat”, which was renamed or deleted just now'])
})

test('a topic that an automation names which is being saved is not deleted, and one that is deleted is not named', async () => {
  const { id } = await createTopic({ sql: pool }, caller, { name: 'News' })
  await afterSave(id, 'topic', () => assert.rejects(deleteTopic(topicDeps, caller, { id }), { code: 'in-use' }))
  const other = await createTopic({ sql: pool }, caller, { name: 'Offers' })
  const named = await beforeSave(other.id, 'topic', (saving) => {
    const usedBy = async (...asked: Parameters<typeof automationsNamingTopic>) => {
      await saving()
      return automationsNamingTopic(...asked)
    }
    return deleteTopic({ sql: pool, usedBy }, caller, { id: other.id })
  })
  assert.deepEqual(named, [`names the topic ${other.id}, which there is not`])
})
