import assert from 'node:assert/strict'
import { test } from 'node:test'
import DKIM from 'nodemailer/lib/dkim/index.js'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import { makeDkimKey } from '../sending-domains/dkim-key.ts'
import { dkimRecordOf } from '../sending-domains/dns-records.ts'
import { checkSignatures, signingDomains } from './check-signatures.ts'

const DOMAIN = 'shop.example'
const pair = await makeDkimKey()
const record = dkimRecordOf(DOMAIN, { selector: 'postroom', publicKey: pair.publicKey })
const known = { host: record.host, value: record.value, verified: false }

/** Signed by a foreign signer. */
async function signedBy(domain: string, from = `a@${DOMAIN}`): Promise<Buffer> {
  const message = await new MailComposer({ from, to: 'b@example.com', subject: 'Hi', text: 'Hello' }).compile().build()
  const options = { domainName: domain, keySelector: 'postroom', privateKey: pair.privateKey }
  const signed = new DKIM(options as never).sign(message as never)
  const chunks: Buffer[] = []
  for await (const chunk of signed as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('a signature is right under a key that is not published yet, and said to be so', async () => {
  const raw = await signedBy(DOMAIN)
  assert.deepEqual(signingDomains(raw), [DOMAIN])
  const right = { domain: DOMAIN, selector: 'postroom', result: 'pass', comment: null, aligned: true }
  assert.deepEqual(await checkSignatures(raw, [known]), [{ ...right, published: false }])
  assert.deepEqual(await checkSignatures(raw, [{ ...known, verified: true }]), [{ ...right, published: true }])
})

test('a changed message fails, an unknown key cannot be judged, and another domain is not that of the sender', async () => {
  const changed = Buffer.from((await signedBy(DOMAIN)).toString().replace('Hello', 'Hullo'))
  const [failed] = await checkSignatures(changed, [known])
  assert.equal(failed?.result, 'neutral')
  assert.match(failed?.comment ?? '', /body hash/)
  const [unknown] = await checkSignatures(await signedBy(DOMAIN), [])
  assert.notEqual(unknown?.result, 'pass')
  const [foreign] = await checkSignatures(await signedBy(DOMAIN, 'a@other.example'), [known])
  assert.deepEqual([foreign?.result, foreign?.aligned], ['pass', false])
})

test('what is not signed, or no message at all, has no signatures', async () => {
  for (const text of [
    '',
    'Subject: x\r\n\r\nbody',
    'no header',
    'DKIM-Signature: nonsense\r\n\r\n',
    'DKIM-Signature: v=1; d=;\r\n\r\n',
  ]) {
    const raw = Buffer.from(text)
    assert.deepEqual(signingDomains(raw), [], text)
    assert.ok(
      (await checkSignatures(raw, [known])).every(({ result }) => result !== 'pass'),
      text,
    )
  }
})
