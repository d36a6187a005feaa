import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATORS } from '../segments/rule-fields.ts'
import { askNoParts } from './ask-no-parts.ts'
import { Refused } from './refusal.ts'

const asked = (body: object) => askNoParts('POST /api/segments/preview', { body }).body
const isRefused = (body: object) =>
  assert.throws(
    () => asked(body),
    (error) => error instanceof Refused && error.refusal.code === 'masked-address',
  )

test('of an address or a number an agent asks for the whole, or for the domain, wherever the rule stands', () => {
  const whole = ['=', '!=', 'in', 'notIn', 'null', 'notNull']
  for (const field of ['email', 'phone']) {
    for (const operator of OPERATORS.text) {
      const rule = { field, operator, value: 'kass' }
      const places = [
        { rules: [rule] },
        { definition: JSON.stringify({ rules: [{ not: true, rules: [rule] }] }) },
        { definition: { enter: { if: ` ${JSON.stringify({ rules: [rule] })}` } } },
      ]
      for (const place of places) {
        if (whole.includes(operator)) assert.deepEqual(asked(place), place)
        else isRefused(place)
      }
    }
  }
  const domain = { rules: [{ field: 'email', operator: 'endsWith', value: '@example.com' }] }
  assert.deepEqual(asked(domain), domain)
  isRefused({ rules: [{ ...domain.rules[0], field: 'phone' }] })
  isRefused({ rules: [{ field: 'email', operator: 'beginsWith', value: '@' }] })
})

test('a rule about a part of another text passes over texts with an address, and order is of numbers and times', () => {
  const rule = { field: 'custom:plan', operator: 'contains', value: 'pro' }
  const guard = { field: 'custom:plan', operator: 'doesNotContain', value: '@' }
  assert.deepEqual(asked({ rules: [rule] }), { rules: [{ combinator: 'and', rules: [rule, guard] }] })
  const test = { property: 'plan', operator: 'endsWith', value: 'o' }
  const where = [test, { property: 'plan', operator: 'doesNotContain', value: '@' }]
  assert.deepEqual(asked({ where: [test] }), { where })
  const event = { field: 'event:paid', operator: 'performed', value: JSON.stringify({ where: [test] }) }
  assert.deepEqual(asked({ rules: [event] }), { rules: [{ ...event, value: JSON.stringify({ where }) }] })
  for (const value of [5, '5', '-1.5', '2026-01-31', '2026-01-31T09:00:00Z']) {
    const order = { rules: [{ field: 'custom:age', operator: '<', value }] }
    assert.deepEqual(asked(order), order)
  }
  isRefused({ rules: [{ field: 'custom:mail', operator: 'between', value: ['a', 'kass'] }] })
  isRefused({ where: [{ property: 'mail', operator: '>', value: 'kass' }] })
})

test('what is no rule stays as it is, long numbers and templates included', () => {
  const body = {
    name: 'x',
    body: '{{ first_name }}',
    text: '[not json',
    definition: '{"rules":[{"field":"tag","operator":"=","value":"a"}]}',
  }
  assert.deepEqual(asked(body), body)
})

test('a search looks in names, a whole address is a filter, and nobody is listed by address', () => {
  const list = (query: Record<string, string>) => askNoParts('GET /api/contacts', { query }).query
  assert.deepEqual(list({ search: 'ada', tag: 'vip' }), { search: 'ada', searchIn: 'names', tag: 'vip' })
  assert.deepEqual(list({ search: ' ada@example.com ' }), { email: 'ada@example.com' })
  assert.deepEqual(list({ sort: '-updatedAt' }), { sort: '-updatedAt' })
  for (const query of [
    { sort: 'email' },
    { sort: '-email' },
    { search: '@example.com' },
    { search: 'a@b', email: 'c@d' },
  ])
    assert.throws(() => list(query as unknown as Record<string, string>), Refused)
})
