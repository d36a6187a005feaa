import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { createContact } from '../../contacts/create-contact.ts'
import { valuesAsked } from './values-asked.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const LONG = 'x'.repeat(300)
const person = async (body: object) => ({
  contactId: (await createContact({ sql: pool }, caller, body)).id,
  eventId: null,
  variables: { price: 12 },
})
const rule = (field: string, operator: string, value: unknown) => ({ field, operator, value })
const RULES = [
  {
    combinator: 'or',
    rules: [
      rule('firstName', '=', 'Ada'),
      { combinator: 'and', rules: [rule('custom:plan', '=', 'pro'), rule('tag', 'in', 'VIP,staff')] },
      rule('var.price', '>', 10),
    ],
  },
  {
    combinator: 'and',
    rules: [rule('event.total', '>', 1), rule('clicked', 'has', 'mail'), rule('custom:note', '=', 'a')],
  },
].map((one) => JSON.stringify(one))

test('rules are told what somebody had of that which they ask for, whatever joins them', async () => {
  const ada = await person({
    ...{ email: 'ada@example.com', firstName: 'Ada', tags: ['vip', 'other'] },
    customFields: { plan: 'free', note: LONG, never: 'asked' },
  })
  const bare = await person({ email: 'bare@example.com' })
  const asked = (rules: readonly string[]) =>
    inTransaction(pool, workspaceId, (tx) => valuesAsked(tx, workspaceId, { of: [ada, bare], rules }))
  const values = await asked(RULES)
  assert.deepEqual(values.get(ada), {
    ...{ firstName: 'Ada', 'custom:plan': 'free', 'var.price': 12, 'event.total': null },
    ...{ 'custom:note': `${LONG.slice(0, 200)}…`, tag: ['vip'] },
  })
  assert.deepEqual(values.get(bare), {
    ...{ firstName: null, 'custom:plan': null, 'var.price': 12, 'event.total': null },
    ...{ 'custom:note': null, tag: [] },
  })
  const nothing = [JSON.stringify({ combinator: 'and', rules: [rule('clicked', 'has', 'mail')] })]
  assert.equal((await asked(nothing)).size, 0)
})
