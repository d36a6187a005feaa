import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedbackWorld, type Sent } from '../../../test/support/feedback-world.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { takeInMail } from './take-in-mail.ts'

const { pool, workspaceId } = await testWorkspace()
const world = feedbackWorld(pool)
const { deps, sent, marks } = world
let n = 0
const address = () => `complaint-${++n}@complaints.example`
/** By the hook of the workspace, whose key says who brings it. */
const take = (mail: string, recipients: string[] = ['fbl@bounces.example.com']) =>
  takeInMail(deps, { bytes: Buffer.from(mail), recipients, workspaceId })
/** By the open listener, where anybody does. */
const takeAtOpenListener = (mail: string) =>
  takeInMail(deps, { bytes: Buffer.from(mail), recipients: ['fbl@bounces.example.com'] })

/** Hotmail's form, before its reports were RFC 5965's: the message itself, and in it who pressed the button. */
const junkMailReport = (message: Sent, recipient: string) => `From: staff@hotmail.example
To: fbl@bounces.example.com
Subject: complaint about message from 192.0.2.7
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="F0000EEE2-0000"

--F0000EEE2-0000
Content-Type: message/rfc822
Content-Disposition: inline

X-HmXmrOriginalRecipient: ${recipient}
X-Reporter-IP: 192.0.2.22
Message-ID: ${message.messageIdHeader}
From: News <news@shop.example>
To: ${recipient}
Subject: Spring

Hello

--F0000EEE2-0000--
`

const feedback = (message: Sent, fields: string, type = 'multipart/mixed') => `From: feedback@provider.example
To: fbl@bounces.example.com
Content-Type: ${type}; boundary=x

--x
Content-Type: text/plain

This is an email abuse report.
--x
Content-Type: message/feedback-report

${fields}
--x
Content-Type: message/rfc822

Message-ID: ${message.messageIdHeader}
Subject: Spring

Hello
--x--
`

type Notification = { notificationType: string; [field: string]: unknown }
const complaintOf = (to: string): Notification => ({
  notificationType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: 'abuse' },
})
const bounceOf = (to: string): Notification => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: to, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' }],
  },
})

/** A subscription by mail sends the notification bare with a footer, one by "email-JSON" in the envelope of SNS. */
function mailedNotification(message: Sent, told: Notification, form: 'bare' | 'enveloped'): string {
  const mail = { messageId: '0100', headers: [{ name: 'Message-ID', value: message.messageIdHeader }] }
  const notification = JSON.stringify({ ...told, mail })
  const body =
    form === 'bare'
      ? `${notification}\n\n--\nIf you wish to stop receiving notifications from this topic, please click: https://sns.example/unsubscribe\n`
      : JSON.stringify({ Type: 'Notification', MessageId: '1', TopicArn: 'arn', Message: notification }, null, 2)
  return `From: AWS Notifications <no-reply@sns.amazonaws.example>\nTo: fbl@bounces.example.com\nSubject: AWS Notification Message\nContent-Type: text/plain; charset=UTF-8\nx-amz-sns-message-id: 02f86d9b\n\n${body}\n`
}

test('a complaint in Hotmail’s form is one', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  assert.equal((await take(junkMailReport(message, to))).recorded, 1)
  assert.deepEqual(await marks(message), ['complained'])
})

test('a complaint with nothing but a Message-ID at the open listener is kept, and nothing follows from it', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const forms = [
    junkMailReport(message, to),
    feedback(message, 'Feedback-Type: abuse\nVersion: 1', 'multipart/report'),
    mailedNotification(message, complaintOf(to), 'bare'),
  ]
  for (const mail of forms) {
    const { outcome, recorded } = await takeAtOpenListener(mail)
    assert.deepEqual([outcome, recorded], ['unproven', 0])
  }
  assert.deepEqual(await marks(message), [])
  assert.deepEqual(
    (await world.events(workspaceId)).filter(({ email }) => email === to),
    [],
  )
  const kept = await queryInScope(pool, workspaceId, {
    text: `select key from feedback_reports where workspace_id = $1 and message_id = $2`,
    values: [workspaceId, message.messageId],
  })
  assert.equal(kept.length, 1)
  assert.equal((await take(junkMailReport(message, to))).recorded, 1, 'the real one counts')
  assert.deepEqual(await marks(message), ['complained'])
})

test('a feedback report counts in any multipart, unless it is of failed authentication', async () => {
  const cases: [string, string, string[]][] = [
    ['Feedback-Type: abuse\nVersion: 1', 'multipart/mixed', ['complained']],
    ['Feedback-Type: auth-failure\nAuth-Failure: dmarc', 'multipart/mixed', []],
    ['Feedback-Type: abuse\nAuth-Failure: dkim', 'multipart/report', []],
    ['Feedback-Type: not-spam', 'multipart/report', []],
  ]
  for (const [fields, type, expected] of cases) {
    const message = await sent(workspaceId, address())
    const { outcome } = await take(feedback(message, fields, type))
    assert.deepEqual(
      [outcome, await marks(message)],
      [expected.length > 0 ? 'feedback' : 'not_a_bounce', expected],
      fields,
    )
  }
})

test('a notification of SES that SNS mails is a complaint or a bounce, in both of its forms', async () => {
  for (const form of ['bare', 'enveloped'] as const) {
    const [angry, gone] = [address(), address()]
    const [first, second] = [await sent(workspaceId, angry), await sent(workspaceId, gone)]
    assert.equal((await take(mailedNotification(first, complaintOf(angry), form))).recorded, 1)
    assert.equal((await take(mailedNotification(second, bounceOf(gone), form))).recorded, 1)
    assert.deepEqual([await marks(first), await marks(second)], [['complained'], ['bounced']])
  }
})

test('a mailed notification counts for a return path, proves nothing alone, and tells of no delivery', async () => {
  const to = address()
  const message = await sent(workspaceId, to)
  const nameless = { ...message, messageIdHeader: '<0100@eu-west-1.amazonses.example>' }
  const mail = mailedNotification(nameless, complaintOf(to), 'bare')
  assert.equal((await take(mail)).outcome, 'unproven')
  assert.equal((await take(mail, [message.returnPath])).outcome, 'feedback')
  const delivered = mailedNotification(message, { notificationType: 'Delivery', delivery: {} }, 'bare')
  assert.equal((await take(delivered, [message.returnPath])).outcome, 'not_a_bounce')
  const broken = mailedNotification(message, complaintOf(to), 'bare').replace('"complaint"', 'complaint')
  assert.equal((await take(broken, [message.returnPath])).outcome, 'not_a_bounce')
})
