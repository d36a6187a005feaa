import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth'
import { realMails } from '../../../test/support/real-mails.ts'
import { signMessage } from './dkim-sign.ts'
import { keptMail } from './kept-mail.ts'
import { splitMail } from './split-mail.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = { domain: 'shop.example', selector: 's1', privateKey }
const RECORD = `v=DKIM1; k=rsa; p=${createPublicKey(publicKey.export({ type: 'spki', format: 'pem' }))
  .export({ type: 'spki', format: 'der' })
  .toString('base64')}`
const NOW = new Date('2026-11-23T09:05:03Z')
/** A foreign verifier takes some milliseconds a mail. */
const VERIFIED_EVERY = 10
/** Of the corpus, which has 6,046. */
const LOOKED_AT_EVERY = 5

const kept = (raw: Buffer, keepsMessageId: boolean) =>
  keptMail(raw, { messageId: 'ours@shop.example', keepsMessageId, date: NOW })
const bytes = (text: string) => Buffer.from(text, 'latin1')

async function verdict(message: Buffer): Promise<string> {
  const { results } = await dkimVerify(message, {
    async resolver(name: string) {
      if (name === 's1._domainkey.shop.example') return [[RECORD]]
      throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    },
  })
  return results
    .filter(({ signingDomain }) => signingDomain === 'shop.example')
    .map(({ status }) => status.result)
    .join()
}

test('a thousand real mails keep the bytes of their bodies, and a foreign verifier passes our signature', async () => {
  let taken = 0
  const faults = new Set<string>()
  for await (const { path, raw } of realMails(LOOKED_AT_EVERY)) {
    const split = splitMail(raw)
    if ('fault' in split) {
      faults.add(split.fault)
      continue
    }
    taken += 1
    const composed = kept(raw, taken % 2 === 0)
    assert.ok(raw.subarray(raw.length - split.body.length).equals(split.body), path)
    assert.equal(composed.body.join(''), split.body.toString('latin1'), path)
    if (taken % VERIFIED_EVERY !== 0) continue
    const signed = await signMessage(composed, KEY, NOW)
    assert.equal(await verdict(signed), 'pass', path)
    assert.ok(signed.subarray(signed.length - split.body.length).equals(split.body), path)
  }
  assert.ok(taken >= 1_000, `${taken} of them are taken`)
  for (const fault of faults) assert.match(fault, /^(?:It has a line over|It has NUL|The header has a line)/)
})

test('what is not for its readers is taken out, and nothing else of the header changes by a byte', () => {
  const head =
    'Received: from a\r\n\tby b\r\nSubject:  a\xe4  folded\r\n  subject \r\nFrom: a@shop.example\r\n' +
    'Bcc: eve@example.com,\r\n mallory@example.com\r\nX-Postroom-Idempotency-Key: k\r\nMessage-ID: <theirs@x>\r\nX-A:b\r\n'
  const left = 'Received: from a\r\n\tby b\r\nSubject:  a\xe4  folded\r\n  subject \r\nFrom: a@shop.example\r\n'
  const date = 'Date: Mon, 23 Nov 2026 09:05:03 +0000\r\n'
  assert.deepEqual(kept(bytes(`${head}\r\nBcc: no field\r\n`), true), {
    head: `${date}${left}Message-ID: <theirs@x>\r\nX-A:b\r\n`,
    body: ['Bcc: no field\r\n'],
    encoding: 'latin1',
  })
  assert.equal(kept(bytes(`${head}\r\n`), false).head, `Message-ID: <ours@shop.example>\r\n${date}${left}X-A:b\r\n`)
  const dated = 'Date: Mon, 1 Jan 2024 00:00:00 +0000\r\n'
  assert.equal(kept(bytes(dated), true).head, `Message-ID: <ours@shop.example>\r\n${dated}`)
})

test('lines that two servers could end at two places are refused, as are NUL, long lines and what is no field', () => {
  const from = 'From: a@shop.example\r\n'
  const refused = {
    'neither may stand by itself': [
      ...['a\nb\r\n', 'a\rb\r\n', '\n.\n', '\r.\r', 'a\r\n.\nb\r\n', 'a\n\r\n', 'no end', 'a\r\r\n', 'a\r'],
    ].map((body) => `${from}\r\n${body}`),
    NUL: [`${from}\r\na\0b\r\n`],
    'line over 998 bytes': [`${from}\r\n${'a'.repeat(999)}\r\n`],
    'no field': [`${from}a line\r\n\r\n`, ' folded\r\n\r\n', ': no name\r\n\r\n', 'From a@b Mon\r\n'],
    'more than 1000 fields': ['X: y\r\n'.repeat(1_001)],
    '256 KiB': [`X: y\r\n${` ${'y'.repeat(500)}\r\n`.repeat(600)}`],
  }
  for (const [fault, mails] of Object.entries(refused)) {
    for (const mail of mails) {
      const split = splitMail(bytes(mail))
      assert.ok('fault' in split && split.fault.includes(fault), `${fault}: ${JSON.stringify(mail.slice(0, 60))}`)
    }
  }
  assert.ok(!('fault' in splitMail(bytes(`${from}\r\n${'a'.repeat(998)}\r\n..\r\n.\r\n\r\n`))))
})
