import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seedFrom } from '../../../test/support/seeded-random.ts'
import { RESERVED_PREFIXES, SYSTEM_NAMES } from '../../catalogue/domain-events.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { CLIENT_ID_CHARS_MAX, type EventInput, PROPERTIES_BYTES_MAX, readEvent } from './recorded-event.ts'

const event = (input: Partial<EventInput>) => {
  const read = readEvent({ action: 'page.view', subjectId: 'ada', ...input })
  assert.ok('event' in read, `refused: ${JSON.stringify(read)}`)
  return read.event
}
const fault = (input: Partial<EventInput>) => {
  const read = readEvent({ action: 'page.view', subjectId: 'ada', ...input })
  assert.ok('fault' in read, `accepted: ${JSON.stringify(input)}`)
  return read.fault
}

test('an event is read with its values normalised and its properties serialised', () => {
  const read = event({
    id: ' e1 ',
    action: 'Order Placed',
    subjectId: ' ada ',
    email: ' ADA@Bücher.example ',
    phone: ' +1 555 ',
    properties: { total: 12.5, items: ['a'] },
    occurredAt: '2026-11-21T03:10:40Z',
  })
  assert.deepEqual(read, {
    clientId: 'e1',
    action: 'Order Placed',
    subjectId: 'ada',
    email: 'ada@xn--bcher-kva.example',
    phone: '+1 555',
    properties: '{"total":12.5,"items":["a"]}',
    occurredAt: '2026-11-21T03:10:40Z',
  })
})

test('what is not given, null or empty is unset', () => {
  const unset = { clientId: null, email: null, phone: null, properties: '{}', occurredAt: null }
  const expected = { action: 'page.view', subjectId: 'ada', ...unset }
  assert.deepEqual(event({}), expected)
  assert.deepEqual(event({ id: null, email: null, phone: null, properties: null, occurredAt: null }), expected)
  assert.deepEqual(event({ id: ' ', email: '', phone: '\t', properties: {}, occurredAt: '' }), expected)
})

test('names of the system are refused in every spelling', () => {
  for (const prefix of RESERVED_PREFIXES) {
    const forms = [
      `${prefix}x`,
      prefix,
      `${prefix.toUpperCase()}X`,
      `${prefix[0]!.toUpperCase()}${prefix.slice(1)}Created`,
      ` ${prefix}x`,
      `\u00a0${prefix}x`,
      `\u2003\u3000${prefix.toUpperCase()}`,
      `\ufeff${prefix}x`,
      `${prefix} x`,
      `${prefix}.`,
    ]
    for (const action of forms) {
      const { kind, pointer, detail } = fault({ action })
      assert.deepEqual([kind, pointer], ['rule', '/action'], JSON.stringify(action))
      assert.ok(detail.startsWith(`must not begin with ${prefix}`))
    }
  }
  for (const name of SYSTEM_NAMES) {
    for (const action of [name, name.toUpperCase(), ` ${name}\u3000`]) {
      const { kind, pointer, detail } = fault({ action })
      assert.deepEqual([kind, pointer], ['rule', '/action'], JSON.stringify(action))
      const isPrefixed = RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix))
      assert.equal(detail.startsWith(`must not be ${name}:`), !isPrefixed, detail)
    }
  }
  // KELVIN SIGN is a K in lower case.
  assert.equal(fault({ action: 'mar\u212aeting.x' }).kind, 'rule')
})

test('names that only look a little like the system’s are the caller’s', () => {
  for (const action of [
    'contact',
    'contacts.x',
    'my.contact.created',
    'email',
    'e-mail.sent',
    'audits.x',
    'marketing-x',
    'segment.created.by.us',
    'segment.exported',
    'webhook.tested',
    'automations.x',
    'formal.x',
  ]) {
    assert.equal(event({ action }).action, action)
  }
})

test('an action is not blank and has no control characters and none that cannot be seen', () => {
  for (const action of [
    '',
    ' ',
    '\u3000',
    'a\nb',
    'a\r\nX-Header: 1',
    'a\u0000',
    '\u007fa',
    'a\u0085',
    'a\u200b',
    'or\u00adder',
  ]) {
    const { kind, pointer } = fault({ action })
    assert.deepEqual([kind, pointer], ['shape', '/action'], JSON.stringify(action))
  }
  assert.equal(event({ action: 'Zażółć gęślą 🎉' }).action, 'Zażółć gęślą 🎉')
})

test('somebody is named, by at least one identifier', () => {
  assert.deepEqual(fault({ subjectId: null }), {
    kind: 'shape',
    pointer: '',
    detail: 'needs at least one of subjectId, email, phone',
  })
  assert.equal(fault({ subjectId: ' ', email: ' ', phone: '' }).pointer, '')
  assert.equal(event({ subjectId: null, email: 'a@b.example' }).email, 'a@b.example')
  assert.equal(event({ subjectId: null, phone: '1' }).phone, '1')
})

test('identifiers have limits, and an address is an address', () => {
  const limits: [keyof EventInput, string, number][] = [
    ['subjectId', '/subjectId', 200],
    ['phone', '/phone', 40],
    ['id', '/id', CLIENT_ID_CHARS_MAX],
  ]
  for (const [field, pointer, charsMax] of limits) {
    assert.ok(event({ [field]: 'x'.repeat(charsMax) }))
    assert.equal(fault({ [field]: 'x'.repeat(charsMax + 1) }).pointer, pointer)
    assert.equal(fault({ [field]: 'a\u0001' }).pointer, pointer)
  }
  for (const email of ['ada', 'a@b@c.example', 'a b@c.example', `${'a'.repeat(250)}@b.example`]) {
    assert.deepEqual(fault({ email }), { kind: 'shape', pointer: '/email', detail: 'must be an email address' })
  }
})

test('properties are at most 32 KiB as JSON, counted in bytes', () => {
  const around = '{"a":""}'.length
  for (const [character, bytes] of [
    ['x', 1],
    ['é', 2],
    ['€', 3],
    ['🎉', 4],
    ['"', 2],
    ['\n', 2],
  ] as const) {
    const fits = Math.floor((PROPERTIES_BYTES_MAX - around) / bytes)
    assert.ok(event({ properties: { a: character.repeat(fits) } }), character)
    assert.equal(fault({ properties: { a: character.repeat(fits + 1) } }).pointer, '/properties')
  }
  // As it is stored: short when it is sent, with the digits that it stands for too long.
  const sent = `{"a":"${'x'.repeat(PROPERTIES_BYTES_MAX - 100)}","n":1e300}`
  assert.equal(fault({ properties: parseExactJson(sent) as Record<string, unknown> }).pointer, '/properties')
})

test('numbers in properties keep every digit', () => {
  const text =
    '{"big":9007199254740993,"bigger":9223372036854775807,"long":0.1234567890123456789,"small":1.5,"e":1e320}'
  assert.equal(event({ properties: parseExactJson(text) as Record<string, unknown> }).properties, text)
})

test('whatever comes in is either read or refused with a pointer', () => {
  const text = fc.option(fc.string({ unit: 'binary', maxLength: 210 }), { nil: undefined })
  const record = fc.record({
    action: fc.string({ unit: 'binary' }),
    id: text,
    subjectId: text,
    email: text,
    phone: text,
  })
  fc.assert(
    fc.property(
      record,
      fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
      (input, properties) => {
        const read = readEvent({ ...input, properties } as EventInput)
        if ('fault' in read)
          return void assert.match(read.fault.pointer, /^(\/(action|id|subjectId|email|phone|properties))?$/)
        const { subjectId, email, phone } = read.event
        assert.ok(subjectId ?? email ?? phone)
        for (const value of Object.values(read.event)) assert.ok(value === null || typeof value === 'string')
        JSON.parse(read.event.properties)
      },
    ),
    { seed: seedFrom('RECORDED_SEED'), numRuns: 2_000 },
  )
})
