import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEmail } from './check-email.ts'
import type { EmailBody } from './schemas.ts'

const now = new Date('2026-11-21T10:00:00Z')
const sound: EmailBody = { destination: 'ada@example.com', subject: 'Hello', text: 'Hello, Ada.' }

function emailOf(body: Partial<EmailBody>) {
  const read = checkEmail({ ...sound, ...body }, now)
  assert.ok('email' in read, JSON.stringify(read))
  return read.email
}

function faultsOf(body: Partial<EmailBody>) {
  const read = checkEmail({ ...sound, ...body }, now)
  assert.ok('faults' in read, 'it was taken')
  return read.faults.map(({ kind, pointer, detail }) => `${kind} ${pointer} ${detail}`)
}

test('addresses are normalised, and those of further recipients may have names', () => {
  const email = emailOf({
    destination: ' ADA@Bücher.example ',
    cc: ['bob@example.com', 'Bob B. <BOB@example.com>', '"B, Bob" <bob@example.com>'],
    bcc: ['Eve <eve@example.com>'],
    replyTo: ['Support <help@example.com>'],
  })
  assert.equal(email.destination, 'ada@xn--bcher-kva.example')
  assert.deepEqual(
    email.cc.map(({ name }) => name),
    [null, 'Bob B.', 'B, Bob'],
  )
  assert.deepEqual([...new Set(email.cc.map(({ address }) => address))], ['bob@example.com'])
  assert.deepEqual(email.bcc, ['eve@example.com'])
  assert.deepEqual(email.replyTo, [{ address: 'help@example.com', name: 'Support' }])
})

test('who gives an address and its name in one text is told where the name goes', () => {
  assert.deepEqual(faultsOf({ destination: 'Ada <ada@example.com>', fromEmail: '"Shop" <shop@example.com>' }), [
    'shape /destination must be an email address: the name beside it is destinationName',
    'shape /fromEmail must be an email address: the name beside it is fromName',
  ])
})

test('content of its own with Liquid in it says whether that is to be applied', () => {
  const liquid = { subject: 'Hi {{ first_name }}' }
  assert.deepEqual(
    faultsOf(liquid).map((fault) => fault.slice(0, 34)),
    ['shape /subject has Liquid in it: giv'.slice(0, 34)],
  )
  assert.equal(emailOf({ ...liquid, liquid: true }).variables, '{}')
  assert.equal(emailOf({ ...liquid, variables: { first_name: 'Ada' } }).variables, '{"first_name":"Ada"}')
  assert.equal(emailOf({ ...liquid, liquid: false }).variables, null)
  assert.match(faultsOf({ ...liquid, liquid: false, variables: {} })[0]!, /^shape \/variables /)
})

test('several in To are one message to the first of them', () => {
  const { destination, destinationName, furtherTo } = emailOf({ destination: ['Ada <ADA@a.example>', 'bob@b.example'] })
  assert.deepEqual([destination, destinationName], ['ada@a.example', 'Ada'])
  assert.deepEqual(furtherTo, [{ address: 'bob@b.example', name: null }])
  assert.deepEqual(faultsOf({ destination: ['ada@a.example', 'nobody'] }), [
    'shape /destination/1 must be an email address',
  ])
  assert.match(faultsOf({ metadata: { a: 'x'.repeat(5_000) } })[0]!, /^shape \/metadata must have at most 4 KiB/)
})

test('it has either a template or content of its own', () => {
  const absent = { subject: null, text: null }
  assert.equal(emailOf({ ...absent, templateId: '7' }).templateId, '7')
  assert.deepEqual(faultsOf({ templateId: '7' }), [
    'shape /subject must not come with a template',
    'shape /text must not come with a template',
  ])
  assert.equal(faultsOf(absent).length, 2)
  assert.deepEqual(faultsOf({ text: null }), ['shape /html or /text is needed without a template'])
})

test('every field that a message could not be made of is named', () => {
  const cases: [Partial<EmailBody>, RegExp][] = [
    [{ destination: 'nobody' }, /^shape \/destination /],
    [{ destination: 'a@example.com, b@example.com' }, /^shape \/destination /],
    [{ cc: ['bob@example.com', 'nobody'] }, /^shape \/cc\/1 /],
    [{ replyTo: ['Ada <>'] }, /^shape \/replyTo\/0 /],
    [{ fromEmail: 'me' }, /^shape \/fromEmail /],
    [{ bcc: Array(50).fill('bob@example.com') }, /^shape \/bcc makes more than 50 recipients$/],
    [{ headers: [{ name: 'Bcc', value: 'eve@example.com' }] }, /^shape \/headers\/0 /],
    [{ headers: [{ name: 'X-A', value: 'x\r\nBcc: eve@example.com' }] }, /^shape \/headers\/0 /],
    [{ headers: [{ name: 'X A', value: 'x' }] }, /^shape \/headers\/0 /],
    [{ attachments: [{ fileName: 'a', contentType: 'text', content: '' }] }, /^shape \/attachments\/0 /],
    [
      { attachments: [{ fileName: 'a', contentType: 'text/plain', content: '?' }] },
      /^shape \/attachments\/0\/content /,
    ],
    [
      { attachments: [{ fileName: 'a', contentType: 'text/plain', content: 'aGVsbG8' }] },
      /^shape \/attachments\/0\/content /,
    ],
    [{ variables: { a: 'x'.repeat(70_000) } }, /^shape \/variables /],
    [{ scheduledAt: '2026-11-21T09:59:59Z' }, /^rule \/scheduledAt must be in the future$/],
    [{ scheduledAt: '2028-01-01T00:00:00Z' }, /^rule \/scheduledAt must be at most 365 days ahead$/],
  ]
  for (const [body, expected] of cases) assert.match(faultsOf(body).join(), expected)
})

test('attachments are decoded, and two do not share a content id', () => {
  const attachment = { fileName: 'a.txt', contentType: 'text/plain', content: 'aGVsbG8=', contentId: 'a' }
  const [first] = emailOf({ attachments: [attachment] }).attachments
  assert.equal(first?.content.toString(), 'hello')
  assert.equal(
    emailOf({ attachments: [{ ...attachment, content: 'aGVs\r\nbG8=\n' }] }).attachments[0]?.content.toString(),
    'hello',
  )
  assert.deepEqual(faultsOf({ attachments: [attachment, attachment] }), [
    'shape /attachments/1/contentId is that of another attachment',
  ])
})

test('a time of another zone is kept in UTC', () => {
  assert.equal(emailOf({ scheduledAt: '2026-11-22T10:00:00+02:00' }).scheduledAt, '2026-11-22T08:00:00Z')
})
