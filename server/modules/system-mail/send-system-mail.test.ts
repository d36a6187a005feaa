import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type SmtpPeer, startSmtpPeer } from '../../../test/support/smtp-peer.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { secretBox, secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { Outcome } from '../../platform/jobs/outcome.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { PRIVATE_NETWORKS } from '../../platform/mail/mail-host.ts'
import type { SmtpServer } from '../../platform/mail/smtp-server.ts'
import { createResolver } from '../../platform/net/resolver.ts'
import { deleteOldMails } from './queries.ts'
import { listMails, readMail } from './read-mails.ts'
import { retryDelayMs, sendSystemMail } from './send-system-mail.ts'
import { createSystemMailer, type SystemMail } from './system-mailer.ts'

const { pool } = await testWorkspace()
await migrateJobs(pool, QUEUES)
const secrets = secretBox(secretKeys([{ id: 'k', key: Buffer.alloc(32, 7) }]))
const smtp = { allow: PRIVATE_NETWORKS, resolve: createResolver({}) }
const SECRET = 'link-secret-4711'

const mailer = (sends: boolean) => createSystemMailer({ secrets, sends, baseUrl: new URL('https://mail.example.org/') })

const MAIL: SystemMail = {
  kind: 'invitation',
  recipient: 'ada@example.com',
  lifeSeconds: 3_600,
  content: {
    subject: 'Invitation to <b>Köln</b>\r\nBcc: evil@example.com',
    paragraphs: ['<script>x</script> invites you'],
    link: { label: 'Accept', url: `https://mail.example.org/app/x#${SECRET}` },
  },
}

async function queued(options: { sends?: boolean; mail?: Partial<SystemMail> } = {}): Promise<string> {
  const { sends = true, mail = {} } = options
  await inTransaction(pool, '*', (tx) => mailer(sends).queue(tx, { ...MAIL, ...mail }))
  return (await listMails(pool, 1))[0]!.id
}

const at = ({ port }: { port: number }): SmtpServer => ({ host: '127.0.0.1', port, tls: 'none', login: null })

async function attempt(id: string, server: SmtpServer | undefined): Promise<Outcome> {
  return sendSystemMail({ pool, secrets, smtp, server, from: 'Postroom <system@example.org>' }, id)
}

async function withPeer(options: Parameters<typeof startSmtpPeer>[0], work: (peer: SmtpPeer) => Promise<void>) {
  const peer = await startSmtpPeer({ authOptional: true, ...options })
  try {
    await work(peer)
  } finally {
    await peer.close()
  }
}

const stateOf = async (id: string) => (await readMail({ pool, secrets }, id))!

test('a mail goes out once with text and HTML, and what it said is gone', async () => {
  await withPeer({}, async (peer) => {
    const id = await queued()
    assert.deepEqual(await attempt(id, at(peer)), { outcome: 'ok' })
    assert.deepEqual(await attempt(id, at(peer)), { outcome: 'ok' })
    assert.equal(peer.messages.length, 1)
    const [message = ''] = peer.messages
    assert.match(message, /^From: Postroom <system@example\.org>\r$/m)
    assert.match(message, /^To: ada@example\.com\r$/m)
    assert.match(message, /^Message-ID: <[\w-]{36}@mail\.example\.org>\r$/m)
    assert.match(message, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(message, /^Content-Type: multipart\/alternative/m)
    assert.doesNotMatch(message, /^Bcc:/im, 'a name does not end its header')
    const [, html = ''] = message.split('Content-Type: text/html')
    assert.match(html, /&lt;script&gt;x/)
    assert.doesNotMatch(html, /<script/)
    assert.ok(message.includes(SECRET))
    const { mail, content } = await stateOf(id)
    assert.deepEqual([mail.state, mail.attempts, content], ['sent', 1, undefined])
  })
})

test('a server that refuses gets the same message again, with the same id, until it takes it', async () => {
  let refusals = 2
  const seen: string[] = []
  const onData = (stream: NodeJS.ReadableStream, _session: unknown, done: (error?: Error) => void) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      seen.push(Buffer.concat(chunks).toString())
      refusals -= 1
      if (refusals < 0) done()
      else done(Object.assign(new Error('mailbox of ada@example.com is full'), { responseCode: 552 }))
    })
  }
  await withPeer({ onData }, async (peer) => {
    const id = await queued()
    for (const _ of [1, 2]) {
      const outcome = await attempt(id, at(peer))
      assert.equal(outcome.outcome, 'error')
      assert.doesNotMatch(String((outcome as { error: unknown }).error), /ada@|link-secret/)
    }
    assert.match(String((await stateOf(id)).mail.error), /^refused: 552/)
    assert.deepEqual(await attempt(id, at(peer)), { outcome: 'ok' })
    const ids = new Set(seen.map((message) => /^Message-ID: (.*)\r$/m.exec(message)?.[1]))
    assert.deepEqual([seen.length, ids.size], [3, 1])
    assert.equal((await stateOf(id)).mail.state, 'sent')
  })
})

test('a login that is refused, a host that is closed, and TLS that is not offered leave the mail waiting', async () => {
  const id = await queued()
  const closed = await startSmtpPeer()
  await closed.close()
  const why = async (server: SmtpServer) => {
    assert.equal((await attempt(id, server)).outcome, 'error')
    const { mail, content } = await stateOf(id)
    assert.deepEqual([mail.state, content?.text.includes(SECRET)], ['waiting', true])
    return mail.error?.split(':')[0]
  }
  assert.equal(await why(at(closed)), 'connection_refused')
  await withPeer({ disabledCommands: ['STARTTLS'] }, async (peer) => {
    assert.equal(await why({ ...at(peer), tls: 'starttls' }), 'starttls_not_offered')
  })
  await withPeer({ onRcptTo: (_address, _session, done) => done(new Error('no')) }, async (peer) => {
    assert.match(String(await why(at(peer))), /^refused/)
  })
})

test('a mail is tried for as long as it is of use, and not after', async () => {
  await withPeer({}, async (peer) => {
    const id = await queued({ mail: { lifeSeconds: 0 } })
    assert.deepEqual(await attempt(id, at(peer)), { outcome: 'ok' })
    const { mail, content } = await stateOf(id)
    assert.deepEqual([mail.state, mail.error, content], ['failed', 'not sent in time', undefined])
    assert.equal(peer.messages.length, 0)
  })
  const delays = [1, 2, 3, 8, 9, 500].map(retryDelayMs)
  assert.deepEqual(delays, [5_000, 10_000, 20_000, 640_000, 900_000, 900_000])
})

test('without a server a mail is kept for the operator, its content sealed', async () => {
  const id = await queued({ sends: false })
  const { mail, content } = await stateOf(id)
  assert.equal(mail.state, 'kept')
  assert.match(content?.text ?? '', /Accept:\nhttps:\/\/mail\.example\.org\/app\/x#link-secret-4711/)
  const { rows } = await pool.query<{ row: string }>('select m::text as row from system_mails m')
  for (const { row } of rows) assert.ok(!row.includes(SECRET))
  const waiting = await queued()
  assert.deepEqual(await attempt(waiting, undefined), { outcome: 'ok' })
  assert.equal((await stateOf(waiting)).mail.state, 'kept', 'also when the setting is gone by then')
})

test('a mail whose cause is rolled back is none, and old ones leave', async () => {
  const before = (await listMails(pool, 100)).length
  const undone = inTransaction(pool, '*', async (tx) => {
    await mailer(true).queue(tx, MAIL)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.equal((await listMails(pool, 100)).length, before)
  await pool.query(`update system_mails set created_at = now() - interval '31 days'`)
  await deleteOldMails(pool, 30)
  assert.deepEqual(await listMails(pool, 100), [])
})
