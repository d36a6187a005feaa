import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testWorkspace } from '../../../../test/support/workspace.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { automationsNamingTag, automationsNamingTopic } from './automations-naming.ts'
import { insertAutomation } from './queries.ts'

const { pool, workspaceId } = await testWorkspace()

test('automations with a rule about a topic are found, in whatever way it is named', async () => {
  const rules = [
    { field: 'topic', operator: 'has', value: '7' },
    { field: 'topic', operator: 'doesNotHave', value: '77' },
    { field: 'topic', operator: 'in', value: '5, 007' },
    { field: 'topic', operator: 'notIn', value: ['7', '8'] },
    { field: 'custom:topic', operator: '=', value: '7' },
  ]
  const names = rules.map(({ field, operator }) => `${field} ${operator}`)
  await inTransaction(pool, workspaceId, async (tx) => {
    for (const [n, rule] of rules.entries()) {
      const inner = { combinator: 'or', rules: [{ combinator: 'and', rules: [rule] }] }
      const nodes = { b: { type: 'branch', ways: [{ if: inner, to: 'end' }], else: 'end' } }
      const draft = JSON.stringify({ format: 1, enter: { on: [{ event: 'x' }] }, start: 'b', nodes })
      await insertAutomation(tx, workspaceId, { name: names[n]!, draft, steps: null, scenarios: '[]', segmentIds: [] })
    }
    const found = await automationsNamingTopic(tx, workspaceId, '7')
    assert.deepEqual(
      found.map(({ name }) => name),
      ['topic has', 'topic in', 'topic notIn'],
    )
  })
})

test('automations that wait for a tag to be given or taken are found by it, wherever they do', async () => {
  const where = (value: unknown, operator = '=', property = 'tag') => [{ property, operator, value }]
  const got = { event: 'contact.tagged', where: where('VIP') }
  const tagged = { field: 'event:contact.untagged', operator: 'performed', value: { where: where(['x', 'vip'], 'in') } }
  const branch = { b: { type: 'branch', ways: [{ if: { rules: [tagged] }, to: 'end' }], else: 'end' } }
  const wait = {
    b: { type: 'wait', for: [{ ...got, where: where('a,Vip', 'in'), to: 'end' }], else: { after: 'P1D', to: 'end' } },
  }
  const drafts: Readonly<Record<string, object>> = {
    entry: { enter: { on: [got] } },
    exit: { exit: [{ event: 'contact.untagged', where: where('vip') }] },
    goal: { goal: got },
    wait: { nodes: wait },
    rule: { nodes: branch },
    'another tag': { enter: { on: [{ ...got, where: where('vips') }] } },
    'another property': { enter: { on: [{ ...got, where: where('vip', '=', 'email') }] } },
    'another event': { enter: { on: [{ event: 'bought', where: where('vip') }] } },
  }
  await inTransaction(pool, workspaceId, async (tx) => {
    for (const [name, parts] of Object.entries(drafts)) {
      const draft = JSON.stringify({ format: 1, enter: { on: [{ event: 'x' }] }, start: 'end', nodes: {}, ...parts })
      await insertAutomation(tx, workspaceId, { name, draft, steps: null, scenarios: '[]', segmentIds: [] })
    }
    const found = await automationsNamingTag(tx, workspaceId, 'vip')
    assert.deepEqual(
      found.map(({ name }) => name),
      ['entry', 'exit', 'goal', 'wait', 'rule'],
    )
  })
})
