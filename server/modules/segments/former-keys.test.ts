import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { checkReferences } from '../automations/definition/check-references.ts'
import { readDefinition } from '../automations/definition/read-definition.ts'
import { createContact } from '../contacts/create-contact.ts'
import { listContacts } from '../contacts/list-contacts.ts'
import { changeField, declareField, deleteField } from '../custom-fields/manage-fields.ts'
import { rewriteCustomField } from '../custom-fields/rewrite-custom-field.ts'
import { renameFieldInSegments } from './follow-renames.ts'
import { createSegment, updateSegment } from './manage-segments.ts'
import { createPreview } from './preview-segment.ts'
import { segmentMembers } from './segment-members.ts'
import { segmentsNamingField } from './segments-naming.ts'

/** Rules and filters that name a custom field by a key that it had before a rename. */

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool }
const fieldDeps = {
  sql: pool,
  enqueueRewrite: async () => undefined,
  onKeyChange: renameFieldInSegments,
  usedBy: segmentsNamingField,
}
const preview = createPreview(pool, { timeoutMs: 60_000 })
const asking = (key: string, value: string) =>
  JSON.stringify({ combinator: 'and', rules: [{ field: `custom:${key}`, operator: '=', value }] })
const listed = async (filter: { customField?: string; segmentId?: string }) => {
  const page = await listContacts({ sql: pool, segmentFilter: segmentMembers as never }, workspaceId, {
    ...{ page: 1, pageSize: 25 },
    ...filter,
  })
  return page.items.map(({ email }) => email)
}

/** A field whose values a rename has moved for all but one who is told by `left`. */
async function renamed(from: string, to: string) {
  const field = await declareField(fieldDeps, caller, { key: from, type: 'string' })
  for (const name of ['ann', 'bob'])
    await createContact(deps, caller, { email: `${name}.${from}@people.example`, customFields: { [from]: 'pro' } })
  await changeField(fieldDeps, caller, { id: field.id, change: { key: to } })
  const move = () => rewriteCustomField({ pool }, { workspaceId, fieldId: field.id }, AbortSignal.any([]))
  return { ...field, move, people: [`ann.${from}@people.example`, `bob.${from}@people.example`] }
}

test('a list of contacts finds the value of a field by the key that it has and by those that it had, while it is renamed and after', async () => {
  const { move, people } = await renamed('plan', 'tier')
  const cid = 'cid@people.example'
  await createContact(deps, caller, { email: cid, customFields: { tier: 'pro' } })
  for (const key of ['tier', 'plan'])
    assert.deepEqual(await listed({ customField: `${key}:pro` }), [...people, cid], key)
  await move()
  for (const key of ['tier', 'plan'])
    assert.deepEqual(await listed({ customField: `${key}:pro` }), [...people, cid], key)
  assert.deepEqual(await listed({ customField: 'tier:free' }), [])
  assert.deepEqual(await listed({ customField: 'nothing:pro' }), [])
  // The key of another field by now is that one's.
  await declareField(fieldDeps, caller, { key: 'plan', type: 'string' })
  assert.deepEqual(await listed({ customField: 'plan:pro' }), [])
  assert.deepEqual(await listed({ customField: 'tier:pro' }), [...people, cid])
})

test('a rule by a key that the field had before means it, and is kept with the key that it has', async () => {
  const { id: fieldId, move, people } = await renamed('shirt', 'size')
  await move()
  assert.equal((await preview(workspaceId, asking('shirt', 'pro'))).count, 2)
  const made = await createSegment(deps, caller, { name: 'Shirts', definition: asking('shirt', 'pro') })
  assert.equal(made.definition, asking('size', 'pro'))
  assert.deepEqual(await listed({ segmentId: made.id }), people)
  const change = { definition: asking('shirt', 'free') }
  const changed = await updateSegment(deps, caller, { id: made.id, change })
  assert.equal(changed.definition, asking('size', 'free'))
  // The same again changes nothing.
  assert.equal((await updateSegment(deps, caller, { id: made.id, change })).updatedAt, changed.updatedAt)
  await declareField(fieldDeps, caller, { key: 'shirt', type: 'number' })
  assert.equal((await preview(workspaceId, asking('size', 'pro'))).count, 2)
  await assert.rejects(deleteField(fieldDeps, caller, { id: fieldId }), { code: 'in-use' })
})

test('an automation is told the key that a field has, while it is renamed and after', async () => {
  const { move } = await renamed('city', 'town')
  const rule = JSON.parse(asking('city', 'Ulm'))
  const nodes = { b: { type: 'branch', ways: [{ if: rule, to: 'end' }], else: 'end' } }
  const { definition } = readDefinition({ format: 1, enter: { on: [{ event: 'came' }] }, start: 'b', nodes })
  const faults = () =>
    inTransaction(pool, workspaceId, async (tx) => (await checkReferences(tx, workspaceId, definition)).faults)
  const pointer = '/definition/nodes/b/ways/0/if'
  const fault = { pointer, detail: 'names the custom field “city”, whose key is “town” now' }
  assert.deepEqual(await faults(), [fault])
  await move()
  assert.deepEqual(await faults(), [fault])
})
