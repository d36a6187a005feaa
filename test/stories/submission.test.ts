import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { dkimVerify } from 'mailauth'
import { eventually } from '../support/eventually.ts'
import { SENDER, SENDER_DOMAIN } from '../support/sending-world.ts'
import { openSubmission, type SubmissionWorld } from '../support/submission-world.ts'

/** The content of a mail with two parts and an attachment, as an old program might write it: eight bits, trailing spaces, dots. */
const BODY = [
  ...['preamble  ', '--b', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', ''],
  ...['Grüße aus Köln \t ', '.', '..two dots', '--b', 'Content-Type: text/html; charset=utf-8', ''],
  ...['<p>Bill&nbsp;4711</p>', '--b--', '', '', ''],
].join('\r\n')
const HEAD = [
  `From: =?utf-8?Q?Caf=C3=A9?= <${SENDER}>`,
  ...[
    'To: Ada <ada@receiver.example>',
    'Subject: Your =?utf-8?Q?bill_=E2=82=AC?=',
    'Message-ID: <bill-4711@shop.example>',
  ],
  ...[
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative;\r\n\tboundary=b',
    'X-Bill:   4711',
    'Bcc: eve@receiver.example',
  ],
].join('\r\n')

let world: SubmissionWorld

before(async () => {
  world = await openSubmission({ POSTROOM_CRASH_POINT: 'submission_after_commit:3' })
})
after(() => world.close())

const arrived = (text: string) => world.relayed.map(({ raw }) => raw).filter((raw) => raw.includes(text))

test('a mail goes out with the bytes it came with, signed for its From, and is read on its page', async () => {
  const raw = Buffer.from(`${HEAD}\r\n\r\n${BODY}`)
  const { submit, api, dkimRecord, instance } = world
  const response = await submit({
    envelope: { from: SENDER, to: ['ada@receiver.example', 'eve@receiver.example'] },
    raw,
  })
  const [, id] = /^250 2\.0\.0 Queued (\d+)$/.exec(response) ?? assert.fail(response)
  await eventually('both have it', () => arrived('X-Bill').length === 2)
  for (const mail of arrived('X-Bill')) {
    const [head, ...rest] = mail.toString('latin1').split('\r\n\r\n')
    assert.equal(rest.join('\r\n\r\n'), Buffer.from(BODY).toString('latin1'))
    assert.doesNotMatch(head!, /^bcc:|eve@/im)
    assert.match(head!, /^X-Bill: {3}4711$/m)
    assert.match(head!, new RegExp(`^Message-ID: <[0-9a-z.]+@${SENDER_DOMAIN}>$`, 'm'))
    const { results } = await dkimVerify(mail, {
      async resolver(name: string) {
        if (name === `test._domainkey.${SENDER_DOMAIN}`) return [[dkimRecord]]
        throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
      },
    })
    assert.deepEqual(
      results.map(({ status }) => [status.result, status.aligned]),
      [['pass', SENDER_DOMAIN]],
    )
  }
  await eventually('it is sent', async () => (await api('GET', `/emails/${id}`)).status === 'sent')
  const email = await api('GET', `/emails/${id}`)
  assert.deepEqual([email.surface, email.subject, email.fromName], ['transactional', 'Your bill €', 'Café'])
  assert.deepEqual(email.headers, [{ name: 'Message-ID', value: '<bill-4711@shop.example>' }])
  const content = await api('GET', `/messages/${id}/content`)
  assert.deepEqual(content.to, [{ name: 'Ada', address: 'ada@receiver.example' }])
  assert.match(content.text, /^Grüße aus Köln/)
  assert.deepEqual([content.html.trim(), content.asSent], ['<p>Bill&nbsp;4711</p>', true])
  assert.match(await instance().metrics(), /^postroom_submissions_total\{[^}]*outcome="queued"[^}]*\} 1$/m)
})

test('the sample of the guide sends its mail', async () => {
  const guide = await readFile(new URL('../../docs/guides/smtp.md', import.meta.url), 'utf8')
  const [, sample] = /^```js\n(.*?)^```$/ms.exec(guide) ?? assert.fail('the guide has a sample')
  const { env, port } = world
  // The certificate of the tests is nobody's.
  const own = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), TOKEN: env.BOOTSTRAP_TOKEN, FROM: `Shop <${SENDER}>` }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', sample!], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH, ...own, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  })
  assert.match(stdout, /^250 2\.0\.0 Queued \d+\n$/)
  await eventually('it is sent', () => arrived('Thank you for your order.').length === 1)
})

test('a process that is killed before the commit or behind it leaves one mail, whoever hands it over again', async () => {
  const { submit, api, instance, restart } = world
  const once = (name: string) => ({
    ...{ from: SENDER, to: `${name}@receiver.example`, text: `Only ${name}`, messageId: `<${name}@${SENDER_DOMAIN}>` },
  })
  await assert.rejects(submit(once('once')))
  await restart({ POSTROOM_CRASH_POINT: 'submission_before_commit' })
  // Killed while it hands that one over, the next process could not say whether it was sent.
  const isSent = async (name: string) => {
    const { items } = await api('GET', `/emails?destination=${name}@receiver.example`)
    return items.length === 1 && items[0].status === 'sent'
  }
  await eventually('what was committed is sent', () => isSent('once'))
  await assert.rejects(submit(once('anew')))
  await restart()
  for (const name of ['once', 'anew']) {
    const answer = await submit(once(name))
    assert.match(answer, /^250 2\.0\.0 Queued \d+$/)
    assert.equal(await submit(once(name)), answer)
    await eventually('it is sent, and there is one', () => isSent(name))
    assert.equal(arrived(`Only ${name}`).length, 1)
  }
  assert.match(await instance().metrics(), /^postroom_submissions_total\{[^}]*outcome="repeated"[^}]*\} 3$/m)
})
