import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryVariants } from '../../../test/support/delivery-reports.ts'
import { feedbackVariants } from '../../../test/support/feedback-reports.ts'
import { leastMs, processorMs } from '../../../test/support/processor-time.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { classifyReply } from './classify-reply.ts'
import { firstOf } from './field-groups.ts'
import { parseReport, REPORT_BYTES_MAX } from './parse-report.ts'

const MESSAGE_ID = '<7.1a.abcdefghijklmnopqrst@shop.example>'
const PARTS = {
  to: 'b.7.1a.abcdefghijklmnopqrst@bounces.example.com',
  original: `Return-Path: <news@shop.example>
Message-ID:
 ${MESSAGE_ID}
From: Shop <news@shop.example>
To: ada@example.com
Subject: Spring
Content-Type: text/plain

Hello Ada,
Final-Recipient: rfc822; nobody@in-the-message.example
`,
}

test('200 delivery reports, as systems write them, are read with recipient, action and cause', async () => {
  const variants = deliveryVariants(PARTS)
  assert.equal(variants.length, 200)
  for (const { name, bytes, expected } of variants) {
    const report = parseReport(bytes)
    assert.equal(report.kind, 'delivery', name)
    assert.deepEqual(
      report.recipients.map(({ finalRecipient, action, reply }) => ({
        recipient: finalRecipient,
        action,
        kind: reply && classifyReply(reply),
        code: reply?.code,
        enhanced: reply?.enhanced,
      })),
      expected,
      name,
    )
    if (!name.endsWith('without the message')) {
      assert.equal(firstOf(report.original ?? undefined, 'message-id')?.trim(), MESSAGE_ID, name)
    }
  }
})

test('50 complaints, as providers write them, are read with their type and what they tell of addresses', async () => {
  const variants = feedbackVariants(PARTS)
  assert.equal(variants.length, 50)
  for (const { name, bytes, expected } of variants) {
    const report = parseReport(bytes)
    assert.equal(report.kind, 'feedback', name)
    const { feedbackType: type, mailFrom, recipients, original } = report
    assert.deepEqual({ type, mailFrom, recipients }, expected, name)
    assert.equal(firstOf(original ?? undefined, 'message-id')?.trim(), MESSAGE_ID, name)
  }
})

test('the text of a refusal is what the server said, without its codes', async () => {
  const told = async (name: string) => {
    const report = parseReport(deliveryVariants(PARTS).find((one) => one.name === name)!.bytes)
    return report.kind === 'delivery' ? report.recipients[0]?.reply?.text : undefined
  }
  assert.equal(
    await told('Postfix, with CRLF'),
    '<ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
  )
  assert.equal(
    await told('Gmail, inactive, as most do'),
    'The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser x - gsmtp',
  )
})

const mail = (header: string, body = 'Hello') =>
  Buffer.from(`From: a@example.com\nTo: b@example.com\n${header}\n\n${body}\n`)
const part = (type: string, text: string) => `--x\nContent-Type: ${type}\n\n${text}\n`
const STATUS = 'Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822; ada@example.com\nAction: failed\nStatus: 5.1.1'

test('what only speaks like a bounce is none', async () => {
  const others: Record<string, Buffer> = {
    'an empty mail': Buffer.alloc(0),
    'a subject and a text': mail('Subject: Undelivered Mail Returned to Sender', STATUS),
    'an automatic reply': mail('Subject: Out of office\nAuto-Submitted: auto-replied', 'I am away. User unknown 5.1.1'),
    'a bounce that somebody forwards': mail(
      'Content-Type: multipart/mixed; boundary=x',
      `${part('text/plain', 'What is this?')}${part('message/delivery-status', STATUS)}--x--`,
    ),
    'a read receipt': mail(
      'Content-Type: multipart/report; report-type=disposition-notification; boundary=x',
      `${part('text/plain', 'Read')}${part('message/disposition-notification', 'Final-Recipient: rfc822; ada@example.com\nDisposition: manual-action; displayed')}--x--`,
    ),
    'a report without its part': mail(
      'Content-Type: multipart/report; boundary=x',
      `${part('text/plain', STATUS)}--x--`,
    ),
    'a report that says nothing': mail(
      'Content-Type: multipart/report; boundary=x',
      `${part('message/delivery-status', 'Reporting-MTA: dns; a\n\nX-Nothing: 1')}--x--`,
    ),
    'a complaint of no type': mail(
      'Content-Type: multipart/report; boundary=x',
      `${part('message/feedback-report', 'Version: 1')}--x--`,
    ),
  }
  for (const [name, bytes] of Object.entries(others)) assert.deepEqual(parseReport(bytes), { kind: 'none' }, name)
})

test('a report is read to its limit and no further, and what comes before it counts', async () => {
  const filler = 'x'.repeat(REPORT_BYTES_MAX)
  const header = 'Content-Type: multipart/report; boundary=x'
  const report = part('message/delivery-status', STATUS)
  const late = parseReport(mail(header, `${part('text/plain', filler)}${report}--x--`))
  const early = parseReport(mail(header, `${report}${part('message/rfc822', filler)}--x--`))
  assert.deepEqual([late.kind, early.kind], ['none', 'delivery'])
})

/** Mutations a run; a million in the long form. */
const MUTATIONS = Number(process.env.REPORT_MUTATIONS ?? 3_000)
const MUTATION_MS_MAX = 50

test('no mutilated report breaks the reading, or holds it up', async (t) => {
  const seed = seedFrom('REPORT_SEED')
  t.diagnostic(`REPORT_SEED=${seed}`)
  const random = seededRandom(seed)
  const originals = [...deliveryVariants(PARTS), ...feedbackVariants(PARTS)].map(({ bytes }) => bytes)
  for (let n = 0; n < MUTATIONS; n++) {
    const mutated = mutate(originals[Math.floor(random() * originals.length)]!, originals, random)
    const tookMs = await leastMs(MUTATION_MS_MAX, () =>
      processorMs(() => assert.ok(['delivery', 'feedback', 'unread', 'none'].includes(parseReport(mutated).kind))),
    )
    assert.ok(tookMs <= MUTATION_MS_MAX, `mutation ${n} took ${tookMs} ms`)
  }
})

const TRAP_MS_MAX = 250

test('what is built to hold a parser up does not', async () => {
  const many = (text: string, times: number) => text.repeat(times)
  const header = 'Content-Type: multipart/report; boundary=x'
  const traps = [
    mail(header, `${many('--x\n', 60_000)}`),
    mail(header, many('--x\nContent-Type: multipart/mixed; boundary=x\n\n', 5_000)),
    mail(header, part('message/delivery-status', many('Final-Recipient: rfc822; a@example.com\n', 6_000))),
    mail(header, part('message/delivery-status', `Diagnostic-Code: smtp;${many(' 550', 50_000)}`)),
    mail(header, part('message/delivery-status', `Final-Recipient: rfc822; ${many('(', 4_000)}`)),
    mail(header, part('message/delivery-status', many('\n\nAction: failed\n', 15_000))),
    mail(many('X: y\n', 50_000) + header, ''),
    mail(`Content-Type: ${many('multipart/report ', 10_000)}`, ''),
    mail(header, `--x\nContent-Type: text/html\n\n${many('<div>', 50_000)}`),
  ]
  for (const [n, trap] of traps.entries()) {
    const tookMs = await leastMs(TRAP_MS_MAX, () => processorMs(() => parseReport(trap)))
    assert.ok(tookMs <= TRAP_MS_MAX, `trap ${n} took ${tookMs} ms`)
  }
})

function mutate(original: Buffer, others: readonly Buffer[], random: () => number): Buffer {
  const bytes = Buffer.from(original)
  const place = () => Math.floor(random() * bytes.length)
  switch (Math.floor(random() * 5)) {
    case 0:
      for (let n = 0; n < 1 + random() * 20; n++) bytes[place()] = Math.floor(random() * 256)
      return bytes
    case 1:
      return bytes.subarray(0, place())
    case 2: {
      const [from, to] = [place(), place()]
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
    }
    case 3: {
      const [from, length] = [place(), Math.floor(random() * 200)]
      const piece = bytes.subarray(from, from + length)
      return Buffer.concat([
        bytes.subarray(0, from),
        ...Array<Buffer>(Math.floor(random() * 50)).fill(piece),
        bytes.subarray(from),
      ])
    }
    default: {
      const other = others[Math.floor(random() * others.length)]!
      return Buffer.concat([bytes.subarray(0, place()), other.subarray(Math.floor(random() * other.length))])
    }
  }
}
