import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { eventually } from '../support/eventually.ts'
import { linkSecret, mailsOf } from '../support/mailbox.ts'
import { runPostroom } from '../support/postroom-process.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { cookieOf, type Person, type SiteCaller, siteCaller } from '../support/site-caller.ts'
import { SMTP_LOGIN, type SmtpPeer, startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { totpCode } from '../support/totp.ts'

/*
 * A company with a mail server of its own, which takes mail over TLS and from those who log in only.
 */

const HOST = 'receiver.example'
const ENCRYPTION_KEY = Buffer.alloc(32, 9).toString('base64')

let directory: string
let dns: DnsAuthority
let peer: SmtpPeer
let instance: TestedInstance
let site: SiteCaller
let settings: Record<string, string>
/** How many more recipients the mail server turns away. */
let refusals = 0

before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'postroom-people-'))
  const trusted = path.join(directory, 'ca.pem')
  await writeFile(trusted, RECEIVER_CERTIFICATE.cert)
  dns = await startDnsAuthority()
  dns.set(HOST, { a: ['127.0.0.1'] })
  peer = await startSmtpPeer({
    onRcptTo(_address, _session, done) {
      refusals -= 1
      done(refusals >= 0 ? Object.assign(new Error('come back later'), { responseCode: 451 }) : undefined)
    },
  })
  const url = new URL(`smtp://${HOST}:${peer.port}`)
  url.username = SMTP_LOGIN.username
  url.password = SMTP_LOGIN.password
  settings = {
    ENCRYPTION_KEY,
    DNS_SERVERS: dns.server,
    NODE_EXTRA_CA_CERTS: trusted,
    SYSTEM_SMTP_URL: url.href,
    SYSTEM_MAIL_FROM: 'Postroom <system@example.org>',
    APP_URL: 'http://mail.example.org',
    LOG_LEVEL: 'debug',
  }
  instance = await startTestedInstance(settings)
  site = siteCaller(instance)
})
after(async () => {
  await instance.close()
  await peer.close()
  await dns.close()
  await rm(directory, { recursive: true, force: true })
})

async function postroom(...args: string[]): Promise<string> {
  const env = { ...settings, DATABASE_URL: instance.database.url }
  const { code, stdout, stderr } = await runPostroom(args, env)
  assert.deepEqual([code, stderr], [0, ''], args.join(' '))
  return stdout
}

async function enrol({ cookie, password: currentPassword }: Person): Promise<string> {
  const base = '/site/auth/second-factor'
  const { json } = await site.call('POST', `${base}/enrol`, { cookie, json: { currentPassword } })
  const confirmed = await site.call('POST', `${base}/confirm`, { cookie, json: { code: totpCode(json.secret) } })
  assert.equal(confirmed.status, 200)
  return json.secret
}

test('a mail server that turns a mail away once gets it again, over TLS and after a login', async () => {
  const cookie = cookieOf(await site.logIn(instance.email, instance.password))
  refusals = 1
  const json = { email: 'ada@example.com', role: 'admin' }
  const made = await site.call('POST', '/site/workspaces/default/invitations', { cookie, json })
  assert.equal(made.status, 201)
  await eventually('a refusal', async () => {
    const [row] = await instance.sql<{ error: string | null }>('select error from system_mails order by id limit 1')
    return row?.error === 'refused: 451'
  })
  const token = await linkSecret(peer, { to: 'ada@example.com', page: 'accept-invitation' })
  const mail = mailsOf(peer).find(({ to }) => to === 'ada@example.com')
  assert.match(mail?.text ?? '', /http:\/\/mail\.example\.org\/app\/accept-invitation#/, 'the address of APP_URL')
  assert.ok(peer.logins.length >= 2 && peer.logins.every((login) => login.endsWith(`:${SMTP_LOGIN.username}`)))
  const accepted = await site.call('POST', `/site/invitations/${token}`, {
    json: { name: 'Ada', password: 'a password of hers' },
  })
  assert.equal(accepted.json.workspaces[0].role, 'admin')
  const listed = await postroom('mail', 'list')
  assert.match(listed, /invitation +ada@example\.com +Invitation to Default +sent +2/)
  assert.ok(!listed.includes(token))
})

test('the operator makes a link to a new password and removes a second factor, and is named in the log', async () => {
  const person = await site.person('Grace', 'member')
  await enrol(person)
  const link = (await postroom('user', 'reset-link', person.email)).trim()
  const token = /^http:\/\/mail\.example\.org\/app\/reset-password#([\w-]{43})$/.exec(link)?.[1]
  const set = await site.call('POST', `/site/auth/password-reset/${token}`, { json: { password: 'a new password' } })
  assert.equal(set.status, 204)
  assert.equal((await site.logIn(person.email, 'a new password')).status, 202)
  assert.match(await postroom('user', 'reset-second-factor', person.email), /no second factor any more/)
  assert.equal((await site.logIn(person.email, 'a new password')).status, 200)
  const entries = await instance.sql<{ action: string; actor_kind: string; target_id: string }>(
    `select action, actor_kind, target_id from audit_entries where actor_kind = 'operator' order by id`,
  )
  assert.deepEqual(
    entries.map(({ action, target_id }) => [action, target_id]),
    [
      ['user.password_reset_link', person.id],
      ['user.second_factor_reset', person.id],
    ],
  )
  for (const args of [
    ['user', 'reset-link', 'nobody@example.com'],
    ['user', 'reset-second-factor', person.email],
    ['mail', 'show', '900000'],
    ['mail', 'show', '1'],
  ]) {
    const refused = await runPostroom(args, { ...settings, DATABASE_URL: instance.database.url })
    assert.equal(refused.code, 1, args.join(' '))
    assert.match(refused.stderr, /^postroom: [^\n]+\n$/)
  }
})

test('without a mail server the operator reads the mail', async () => {
  const { SYSTEM_SMTP_URL: _, ...rest } = settings
  const other = await startTestedInstance(rest)
  try {
    const caller = siteCaller(other)
    const { email } = await caller.person('Lin', 'member')
    await caller.call('POST', '/site/auth/password-reset', { json: { email } })
    const env = { ...rest, DATABASE_URL: other.database.url }
    await eventually('the mail', async () => (await other.sql('select from system_mails')).length === 1)
    const shown = await runPostroom(['mail', 'show', '1'], env)
    assert.match(shown.stdout, /^To: +lin@example\.com\nSubject: Set a new password\nState: +kept\n/)
    const token = /reset-password#([\w-]{43})/.exec(shown.stdout)?.[1]
    const path = `/site/auth/password-reset/${token}`
    assert.equal((await caller.call('POST', path, { json: { password: 'a new password' } })).status, 204)
    assert.equal((await caller.logIn(email, 'a new password')).status, 200)
  } finally {
    await other.close()
  }
})

test('neither password nor link of anybody is in what the service has printed', () => {
  const printed = instance.output()
  assert.ok(printed.length > 100)
  for (const secret of [SMTP_LOGIN.password, 'a new password', 'a password of hers']) {
    assert.ok(!printed.includes(secret))
  }
  assert.doesNotMatch(printed, /app\/(reset-password|accept-invitation)#/)
})
