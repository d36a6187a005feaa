import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { dkimVerify } from 'mailauth'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { keysOf } from '../../server/encryption-keys.ts'
import { secretBox } from '../../server/platform/crypto/secret-box.ts'
import { createPool } from '../../server/platform/db/pool.ts'
import { Secret } from '../../server/platform/telemetry/secret.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { SENDER, SENDER_DOMAIN, storeVerifiedDomain } from '../support/sending-world.ts'
import { type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')
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

let database: TestDatabase
let relay: SmtpPeer
let dkimRecord: string
let files: string
let instance: Instance
let env: Record<string, string>
let port: number
const raws: Buffer[] = []

before(async () => {
  files = await mkdtemp(join(tmpdir(), 'postroom-submission-'))
  await writeFile(join(files, 'cert.pem'), RECEIVER_CERTIFICATE.cert)
  await writeFile(join(files, 'key.pem'), RECEIVER_CERTIFICATE.key)
  relay = await startSmtpPeer({
    authOptional: true,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        raws.push(Buffer.concat(chunks))
        done()
      })
    },
  })
  database = await createTestDatabase()
  port = await freePort()
  env = {
    ...{ DATABASE_URL: database.url, ENCRYPTION_KEY, BOOTSTRAP_TOKEN: 'submission-story-token-of-40-characters' },
    SUBMISSION_ADDR: `smtp://0.0.0.0:${port}`,
    SUBMISSION_TLS_CERT: join(files, 'cert.pem'),
    SUBMISSION_TLS_KEY: join(files, 'key.pem'),
  }
  instance = await startInstance({ env: { ...env, POSTROOM_CRASH_POINT: 'submission_after_commit:3' } })
  const pool = createPool({ name: 'sql', url: database.url, max: 2 })
  const publicKey = await storeVerifiedDomain(pool, secretBox(keysOf(new Secret(ENCRYPTION_KEY))), { workspaceId: '1' })
  await pool.end()
  dkimRecord = `v=DKIM1; k=rsa; p=${publicKey}`
  const config = { kind: 'smtp', host: '127.0.0.1', port: relay.port, tls: 'none', from: SENDER }
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config })
})
after(async () => {
  await instance.stop()
  await relay.close()
  await database.drop()
  await rm(files, { recursive: true })
})

async function api(method: string, path: string, json?: object) {
  const { BOOTSTRAP_TOKEN: token } = env
  const answer = await send(method, `${instance.baseUrl}/api${path}`, { token: token!, ...(json ? { json } : {}) })
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

async function submit(mail: SendMailOptions): Promise<string> {
  const auth = { user: 'default', pass: env.BOOTSTRAP_TOKEN }
  const tls = { rejectUnauthorized: false }
  const transport = createTransport({ host: '127.0.0.1', port, auth, tls, requireTLS: true })
  try {
    return (await transport.sendMail(mail)).response
  } finally {
    transport.close()
  }
}

const arrived = (text: string) => raws.filter((raw) => raw.includes(text))

test('a mail goes out with the bytes it came with, signed for its From, and is read on its page', async () => {
  const raw = Buffer.from(`${HEAD}\r\n\r\n${BODY}`)
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
  assert.match(await instance.metrics(), /^postroom_submissions_total\{[^}]*outcome="queued"[^}]*\} 1$/m)
})

test('the sample of the guide sends its mail', async () => {
  const guide = await readFile(new URL('../../docs/guides/smtp.md', import.meta.url), 'utf8')
  const [, sample] = /^```js\n(.*?)^```$/ms.exec(guide) ?? assert.fail('the guide has a sample')
  // The certificate of the tests is nobody's.
  const own = { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), TOKEN: env.BOOTSTRAP_TOKEN, FROM: `Shop <${SENDER}>` }
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', sample!], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env.PATH, ...own, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
  })
  assert.match(stdout, /^250 2\.0\.0 Queued \d+\n$/)
  await eventually('it is sent', () => arrived('Thank you for your order.').length === 1)
})

test('a process that is killed between the commit and its answer leaves one mail, whoever hands it over again', async () => {
  const mail = { from: SENDER, to: 'once@receiver.example', text: 'Only once', messageId: `<once@${SENDER_DOMAIN}>` }
  await assert.rejects(submit(mail))
  await instance.ended
  instance = await startInstance({ env })
  const answer = await submit(mail)
  assert.match(answer, /^250 2\.0\.0 Queued \d+$/)
  assert.equal(await submit(mail), answer)
  const id = answer.split(' ').at(-1)!
  await eventually('it is sent', async () => (await api('GET', `/emails/${id}`)).status === 'sent')
  assert.equal((await api('GET', '/emails?destination=once@receiver.example')).items.length, 1)
  assert.equal(arrived('Only once').length, 1)
  assert.match(await instance.metrics(), /^postroom_submissions_total\{[^}]*outcome="repeated"[^}]*\} 2$/m)
})
