import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { authenticate } from 'mailauth'
import { composeMessage, type Draft } from './compose-message.ts'
import { SES_REWRITTEN_FIELDS, type SigningKey, signMessage } from './dkim-sign.ts'

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY: SigningKey = { domain: 'news.example.com', selector: 'pr1', privateKey }
const RECORD = `v=DKIM1; k=rsa; p=${createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64')}`
const SIGNED_AT = new Date('2026-11-21T09:05:03Z')

const DRAFT: Draft = {
  messageId: '17.f3a9@news.example.com',
  date: SIGNED_AT,
  from: { address: 'hello@news.example.com', name: 'Exämple' },
  to: [{ address: 'ada@example.org', name: 'Ada' }],
  subject: 'Schöne Grüße',
  html: `<p>Hello   <b>Ada</b>\t</p>\n  \n${'ä und sonst nichts '.repeat(100)}\n\n\n`,
  text: 'Hello Ada  \n\n\n',
  headers: [
    ['List-Unsubscribe', `<https://t.example.com/e/u/${'x'.repeat(120)}>`],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['X-Mailer', 'left alone'],
  ],
}

/** The result of mailauth for the signature, with our key as the only record there is. */
async function verdict(message: Buffer | string): Promise<string> {
  const { dkim } = await authenticate(message, {
    ip: '192.0.2.1',
    disableArc: true,
    disableDmarc: true,
    disableBimi: true,
    async resolver(name) {
      if (name === 'pr1._domainkey.news.example.com') return [[RECORD.slice(0, 200), RECORD.slice(200)]]
      throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    },
  })
  return dkim.results.map(({ status }) => status.result).join()
}

const signed = async (draft: Partial<Draft> = {}) =>
  (await signMessage(composeMessage({ ...DRAFT, ...draft }), KEY, SIGNED_AT)).toString('utf8')

test('a foreign verifier passes the signature of every shape of message', async () => {
  const content = Buffer.from('x'.repeat(1_000))
  const shapes: Partial<Draft>[] = [
    {},
    { html: null },
    { text: null, html: '' },
    { text: '\n\n', html: null },
    { attachments: [{ fileName: 'ü.txt', contentType: 'text/plain', content, contentId: 'c' }] },
    { to: [{ address: 'jörg@example.org', name: 'Jörg' }] },
    {
      headers: [
        ['List-Id', 'a'],
        ['References', '<a@b>  <c@d>'],
      ],
      subject: '',
    },
  ]
  for (const shape of shapes) assert.equal(await verdict(await signed(shape)), 'pass', JSON.stringify(shape))
})

test('the signature stands in front, in short lines, and says when it was made', async () => {
  const message = await signed()
  assert.match(
    message,
    /^DKIM-Signature: v=1; a=rsa-sha256; c=relaxed\/relaxed; d=news\.example\.com;\r\n s=pr1; t=1795251903;\r\n h=/,
  )
  for (const line of message.slice(0, message.indexOf('Date: ')).split('\r\n')) assert.ok(line.length <= 76, line)
})

test('changed white space on the way keeps the signature, anything else breaks it', async () => {
  const message = await signed()
  const changes: [string, string, string][] = [
    ['Subject: ', 'SUBJECT:    ', 'pass'],
    ['List-Unsubscribe: <', 'List-Unsubscribe:\r\n <', 'pass'],
    ['X-Mailer: left alone\r\n', '', 'pass'],
    ['ada@example.org', 'eve@example.org', 'fail'],
    ['One-Click', 'One-Clock', 'fail'],
    ['/e/u/xx', '/e/u/xy', 'fail'],
    ['Ada<', 'Eve<', 'neutral'],
  ]
  for (const [from, to, expected] of changes) {
    assert.ok(message.includes(from), from)
    assert.equal(await verdict(message.replace(from, to)), expected, `${from} -> ${to}`)
  }
})

test('a second field of a name that readers go by breaks the signature, wherever it is put', async () => {
  const message = await signed({ headers: [] })
  assert.equal(await verdict(message), 'pass')
  for (const name of [
    'From',
    'To',
    'Cc',
    'Reply-To',
    'Subject',
    'Date',
    'Message-ID',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
  ]) {
    const added = `${name}: evil@example.net\r\n`
    assert.notEqual(await verdict(added + message), 'pass', `${name} in front`)
    assert.notEqual(await verdict(message.replace('MIME-Version', `${added}MIME-Version`)), 'pass', `${name} behind`)
  }
})

test('fields that the next server writes anew are left out of the signature', async () => {
  const composed = composeMessage(DRAFT)
  const rewritten = (message: Buffer) =>
    message
      .toString('utf8')
      .replace(/\r\nMessage-ID: .*/, '\r\nMessage-ID: <0102@eu-central-1.amazonses.com>')
      .replace(/\r\nDate: .*/, '\r\nDate: Sun, 22 Nov 2026 00:00:00 +0000')
  const plain = await signMessage(composed, KEY, SIGNED_AT)
  assert.notEqual(await verdict(rewritten(plain)), 'pass')
  const forSes = await signMessage(composed, { ...KEY, rewrittenFields: SES_REWRITTEN_FIELDS }, SIGNED_AT)
  assert.equal(await verdict(rewritten(forSes)), 'pass')
})

test('a key that cannot make the signature fails the message instead of leaving it unsigned', async () => {
  const ed25519 = generateKeyPairSync('ed25519').privateKey
  await assert.rejects(signMessage(composeMessage(DRAFT), { ...KEY, privateKey: ed25519 }, SIGNED_AT), /RSA/)
  const publicKey = createPublicKey(privateKey)
  await assert.rejects(signMessage(composeMessage(DRAFT), { ...KEY, privateKey: publicKey }, SIGNED_AT))
})
