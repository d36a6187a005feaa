import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { explainMembership } from './explain-membership.ts'
import { createSegment } from './manage-segments.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = { sql: pool, usedBy: async () => [] }
const rule = (field: string, operator: string, value: string) => ({ field, operator, value })
const DEFINITION = {
  combinator: 'and',
  rules: [
    rule('firstName', '=', 'Ada'),
    { ...rule('lastName', '=', 'Byron'), muted: true },
    {
      combinator: 'or',
      not: true,
      rules: [rule('email', 'contains', 'example.org'), rule('custom:plan', '=', 'gold')],
    },
  ],
}
const { id } = await createSegment(deps, caller, { name: 'Ada', definition: JSON.stringify(DEFINITION) })
const person = async (body: object) => (await createContact(deps, caller, body)).id
const explain = (contactId: string) => explainMembership(pool, workspaceId, { id, contactId })

test('whether a contact belongs to a segment is told rule by rule, with where each stands', async () => {
  const member = await explain(await person({ email: 'ada@example.com', firstName: 'Ada' }))
  assert.deepEqual(member, {
    isMember: true,
    rules: [
      { pointer: '/definition/rules/0', field: 'firstName', operator: '=', holds: true },
      { pointer: '/definition/rules/2/rules/0', field: 'email', operator: 'contains', holds: false },
      { pointer: '/definition/rules/2/rules/1', field: 'custom:plan', operator: '=', holds: false },
    ],
  })
  const other = await explain(
    await person({ email: 'a@example.com', firstName: 'Ada', customFields: { plan: 'gold' } }),
  )
  assert.deepEqual([other.isMember, other.rules.map(({ holds }) => holds)], [false, [true, false, true]])
})

test('a segment or a contact that is not there, and a definition that holds no longer, are told apart', async () => {
  const contactId = await person({ email: 'bob@example.com' })
  await assert.rejects(explainMembership(pool, workspaceId, { id: '999999', contactId }), { statusCode: 404 })
  await assert.rejects(explain('999999'), { statusCode: 404 })
  await queryInScope(pool, workspaceId, {
    text: `update segments set definition = '{"rules":[{"field":"nonsense","operator":"=","value":"x"}]}' where workspace_id = $1`,
    values: [workspaceId],
  })
  await assert.rejects(explain(contactId), { statusCode: 422 })
})
