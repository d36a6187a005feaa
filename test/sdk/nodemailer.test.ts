import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { postroom } from '../../sdk/src/nodemailer.ts'
import { answer, broken, type Scripted, scriptedClient } from './scripted-fetch.ts'

const QUEUED = answer(202, { id: '4711', status: 'queued', destination: 'ada@example.com' })
const MAIL = {
  from: 'Shop <shop@example.com>',
  to: 'Ada <ada@example.com>',
  subject: 'Your receipt',
  text: 'Thank you.',
}

function mailer(...script: Scripted[]) {
  const { client, sent } = scriptedClient(script.length > 0 ? script : [QUEUED])
  const transport = createTransport(postroom({ client }))
  return { sent, verify: () => transport.verify(), send: (mail: SendMailOptions) => transport.sendMail(mail) }
}

test('a mail of Nodemailer arrives with all that it has', async () => {
  const { send, sent } = mailer()
  const info = await send({
    ...MAIL,
    to: [{ name: 'Ada "Countess"', address: 'ada@example.com' }, 'bob@example.com'],
    cc: 'cy@example.com',
    bcc: 'dan@example.com',
    replyTo: 'help@example.com',
    html: '<img src="cid:logo"> {{ not_ours }}',
    headers: { 'X-Order': '4711' },
    inReplyTo: '<1@example.com>',
    priority: 'high',
    attachments: [
      { filename: 'receipt.txt', content: 'Grüße' },
      { filename: 'logo.png', content: Buffer.from([1, 2, 3]), cid: 'logo' },
    ],
  })
  assert.deepEqual(JSON.parse(sent[0]!.body), {
    destination: ['"Ada \\"Countess\\"" <ada@example.com>', 'bob@example.com'],
    subject: 'Your receipt',
    html: '<img src="cid:logo"> {{ not_ours }}',
    text: 'Thank you.',
    liquid: false,
    fromEmail: 'shop@example.com',
    fromName: 'Shop',
    cc: ['cy@example.com'],
    bcc: ['dan@example.com'],
    replyTo: ['help@example.com'],
    headers: [
      { name: 'X-Order', value: '4711' },
      { name: 'in-reply-to', value: '<1@example.com>' },
      { name: 'X-Priority', value: '1 (Highest)' },
      { name: 'Importance', value: 'High' },
    ],
    attachments: [
      { fileName: 'receipt.txt', contentType: 'text/plain', content: Buffer.from('Grüße').toString('base64') },
      { fileName: 'logo.png', contentType: 'image/png', content: 'AQID', contentId: 'logo' },
    ],
  })
  const { id, status, accepted } = info as unknown as { id: string; status: string; accepted: string[] }
  const everybody = ['ada@example.com', 'bob@example.com', 'cy@example.com', 'dan@example.com']
  assert.deepEqual([id, status, accepted], ['4711', 'queued', everybody])
})

test('one Message-ID is one message, however often it is sent', async () => {
  const { send, sent } = mailer(broken(), QUEUED)
  await send({ ...MAIL, messageId: '<order-4711@example.com>' })
  await send({ ...MAIL, messageId: '<order-4711@example.com>' })
  await send({ ...MAIL, messageId: '<order-4711@example.com>', to: 'bob@example.com' })
  await send(MAIL)
  const [first, ...others] = sent.map(({ headers }) => headers.get('idempotency-key'))
  assert.deepEqual(
    others.map((key) => key === first),
    [true, true, false, false],
  )
})

test('a suppressed address is told as rejected', async () => {
  const { send } = mailer(answer(202, { id: '1', status: 'suppressed', destination: 'ada@example.com' }))
  const { accepted, rejected } = await send(MAIL)
  assert.deepEqual([accepted, rejected], [[], ['ada@example.com']])
})

test('what a message has no place for is refused, instead of left out', async () => {
  const { send, sent } = mailer()
  const mails: SendMailOptions[] = [
    { ...MAIL, envelope: { from: 'a@example.com', to: 'b@example.com' } },
    { ...MAIL, icalEvent: 'BEGIN:VCALENDAR' },
    { ...MAIL, raw: 'Subject: x\r\n\r\nx' },
    { from: MAIL.from, bcc: 'ada@example.com', text: 'x' },
  ]
  for (const mail of mails) await assert.rejects(send(mail), /Postroom does not take|A mail/)
  assert.deepEqual(sent, [])
})

test('a token that may not send is told before the first mail', async () => {
  assert.equal(await mailer(answer(200, { scopes: ['emails:send'] })).verify(), true)
  await assert.rejects(mailer(answer(200, { scopes: ['contacts:read'] })).verify(), /emails:send/)
})
