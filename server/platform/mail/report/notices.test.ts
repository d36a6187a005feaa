import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOTICE_KINDS } from '../../../../test/support/notice-kinds.ts'
import { noticeVariants } from '../../../../test/support/notice-reports.ts'
import type { Refusal } from '../../../../test/support/notices/notice-kind.ts'
import { classifyReply, type ReplyClass } from '../classify-reply.ts'
import { firstOf } from '../field-groups.ts'
import { parseReport } from '../parse-report.ts'

const MESSAGE_ID = '<7.1a.abcdefghijklmnopqrst@shop.example>'
const PARTS = {
  to: 'b.7.1a.abcdefghijklmnopqrst@bounces.example.com',
  original: `Received: from shop.example by mx.relay.example; Sat, 21 Nov 2026 07:59:58 +0000\nMessage-ID: ${MESSAGE_ID}\nFrom: Shop <news@shop.example>\nTo: ada@example.com\nSubject: Spring\n\nHello Ada,\n<nobody@in-the-message.example>: 550 5.1.1 User unknown\n`,
}
const MEANT: Readonly<Record<Refusal, ReplyClass>> = {
  unknown: 'address',
  full: 'mailbox_full',
  blocked: 'policy',
  large: 'content',
  closed: 'address_later',
}
/** They return nothing of the message. */
const WITHOUT_MESSAGE = new Set(['Postfix, without its other parts', 'Exchange 5.5'])

test('30 kinds of notices that are no delivery reports by their form, 300 in all, are read with recipient and cause', () => {
  const variants = noticeVariants(PARTS)
  assert.equal(variants.length, 300)
  for (const { name, bytes, refusal, names } of variants) {
    const report = parseReport(bytes, '')
    assert.equal(report.kind, 'delivery', name)
    const read = report.recipients.map(({ finalRecipient, originalRecipient, action, reply }) => ({
      recipient: finalRecipient ?? originalRecipient,
      action,
      kind: reply && classifyReply(reply),
    }))
    const recipient = names ? 'ada@example.com' : null
    assert.deepEqual(read, [{ recipient, action: 'failed', kind: MEANT[refusal] }], name)
  }
})

test('the header of the message that came back in a text is read there', () => {
  for (const { name, bytes } of noticeVariants(PARTS)) {
    const report = parseReport(bytes, '')
    if (
      report.kind !== 'delivery' ||
      WITHOUT_MESSAGE.has(name.slice(0, name.lastIndexOf(', ', name.lastIndexOf(', ') - 1)))
    )
      continue
    assert.equal(firstOf(report.original ?? undefined, 'message-id')?.trim(), MESSAGE_ID, name)
  }
})

test('the same words of anybody but a mail system are none', () => {
  assert.ok(NOTICE_KINDS.length >= 25)
  for (const { name, bytes } of noticeVariants(PARTS)) {
    const forwarded = bytes.toString().replace(/^From: .*$/m, 'From: Bob <bob@example.org>')
    assert.deepEqual(parseReport(Buffer.from(forwarded), 'bob@example.org'), { kind: 'none' }, name)
  }
})

const from = (header: string, body: string) => Buffer.from(`${header}\nTo: ${PARTS.to}\n\n${body}\n`)
const DAEMON = 'From: MAILER-DAEMON@mx.example'

test('several recipients have their reasons each, and words about all of them count for all', () => {
  const told = (body: string) => {
    const report = parseReport(from(`${DAEMON}\nSubject: failure notice`, body))
    return report.kind === 'delivery'
      ? report.recipients.map(({ finalRecipient, reply }) => `${finalRecipient} ${reply && classifyReply(reply)}`)
      : report.kind
  }
  const two =
    '<a@example.com>:\nRemote host said: 550 5.1.1 unknown\n\n<b@example.com>:\nRemote host said: 552 5.2.2 full\n'
  assert.deepEqual(told(two), ['a@example.com address', 'b@example.com mailbox_full'])
  const shared =
    'Delivery failed permanently:\n\n  * a@example.com\n  * b@example.com\n\nTechnical details:\n550 5.1.1 unknown'
  assert.deepEqual(told(shared), ['a@example.com address', 'b@example.com address'])
})

test('late is not lost, and a success is no failure', () => {
  const texts: [string, string][] = [
    ['Delayed Mail (still being retried)', '<ada@example.com>: host mx.example said: 452 4.2.2 full'],
    [
      'Warning: message delayed 24 hours',
      'ada@example.com\n    Delay reason: 451 4.3.0 try later\nNo action is required on your part. Delivery attempts will continue for\nsome time.',
    ],
    [
      'Delivery status notification: delayed',
      '    A message is delayed for more than 4 hours for the following\n    list of recipients:\n\nada@example.com: 421 4.7.0 later',
    ],
    [
      'Successful mail delivery',
      'Your message was successfully delivered to these recipients.\n\nada@example.com: Delivered',
    ],
  ]
  const actions = texts.map(([subject, body]) => {
    const report = parseReport(from(`${DAEMON}\nSubject: ${subject}`, body))
    return report.kind === 'delivery' ? report.recipients[0]?.action : report.kind
  })
  assert.deepEqual(actions, ['delayed', 'delayed', 'delayed', 'delivered'])
})

test('a status counts in any multipart, with a mistyped action, without a group of its own, and with its cause in the text', () => {
  const report = (status: string, text = 'See below') =>
    parseReport(
      from(
        `${DAEMON}\nContent-Type: multipart/mixed; boundary=x`,
        `--x\n\n${text}\n--x\nContent-Type: message/delivery-status\n\n${status}\n--x--`,
      ),
    )
  const kinds = (given: ReturnType<typeof parseReport>) =>
    given.kind === 'delivery'
      ? given.recipients.map(({ action, reply }) => [action, reply && classifyReply(reply)])
      : given.kind
  const to = 'Final-Recipient: rfc822; ada@example.com'
  assert.deepEqual(kinds(report(`Reporting-MTA: dns; a\n${to}\nAction: failed\nStatus: 5.1.1`)), [
    ['failed', 'address'],
  ])
  assert.deepEqual(kinds(report(`${to}\nAction: faield\nStatus: 5.1.1`)), [['failed', 'address']])
  assert.deepEqual(kinds(report(`${to}\nAction: dealyed\nStatus: 4.2.2`)), [['delayed', 'transient']])
  assert.deepEqual(kinds(report('Status: 5.2.2')), [['failed', 'mailbox_full']])
  const text = 'ada@example.com: 550 5.1.1 User unknown'
  assert.deepEqual(kinds(report(`Reporting-MTA: a\n\n${to}\nAction: failed\nStatus: 5.0.0`, text)), [
    ['failed', 'address'],
  ])
  assert.deepEqual(kinds(report('Reporting-MTA: dns; a', text)), [['failed', 'address']])
})

test('good replies before the one that refused are no acceptance', () => {
  const status =
    'Final-Recipient: rfc822; ada@example.com\nAction: failed\nDiagnostic-Code: smtp; 250-mx.example hello 421 4.7.0 Try later'
  const report = parseReport(
    from(
      'Content-Type: multipart/report; boundary=x',
      `--x\nContent-Type: message/delivery-status\n\n${status}\n--x--`,
    ),
  )
  assert.ok(report.kind === 'delivery')
  const [told] = report.recipients
  assert.deepEqual([told?.action, classifyReply(told!.reply!)], ['failed', 'closing'])
})

test('a mail system that says what nobody can read is kept with its words; an answer, a receipt, a newsletter is not', () => {
  const words = 'Något gick fel med ditt brev.'
  assert.deepEqual(parseReport(from(DAEMON, words)), { kind: 'unread', text: words, original: null })
  assert.equal(parseReport(from('From: Ada <ada@example.com>', words), '').kind, 'unread')
  const others: [string, string][] = [
    ['From: Ada <ada@example.com>\nSubject: Out of office\nAuto-Submitted: auto-replied', ''],
    ['From: Ada <ada@example.com>\nSubject: Automatic reply: Spring\nX-Auto-Response-Suppress: All', ''],
    ['From: Ada <ada@example.com>\nSubject: Abwesenheitsnotiz', ''],
    ['From: Ada <ada@example.com>\nSubject: Spring', 'ada@example.com'],
    [
      'From: Ada <ada@example.com>\nContent-Type: multipart/report; report-type=disposition-notification; boundary=x',
      '',
    ],
  ]
  for (const [header, sender] of others) {
    const body = `--x\n\nI am away: 550 5.1.1 User unknown\n--x\nContent-Type: message/disposition-notification\n\nDisposition: displayed\n--x--`
    assert.deepEqual(parseReport(from(header, body), sender), { kind: 'none' }, header)
  }
})

test('who failed stands in the header whatever the language of the words: nobody is suppressed for what they may say', () => {
  const text = 'Γεια σας,\n\nη ομάδα με την οποία προσπαθήσατε να επικοινωνήσετε ίσως να μην υπάρχει.\n'
  const mail = `From: mailer-daemon@googlemail.com\nTo: ${PARTS.to}\nSubject: Delivery Status Notification (Failure)
X-Failed-Recipients: Cats@groups.example, dogs@groups.example\nContent-Type: text/plain; charset=UTF-8\n\n${text}\n----- Original message -----\n\n${PARTS.original}`
  const report = parseReport(Buffer.from(mail), '')
  assert.ok(report.kind === 'delivery')
  assert.deepEqual(
    report.recipients.map(({ finalRecipient, action, reply }) => [
      finalRecipient,
      action,
      reply && classifyReply(reply),
    ]),
    ['cats@groups.example', 'dogs@groups.example'].map((address) => [address, 'failed', 'policy']),
  )
  assert.match(report.recipients[0]!.reply!.text, /^Γεια σας/)
  assert.equal(firstOf(report.original ?? undefined, 'message-id'), MESSAGE_ID)
})
