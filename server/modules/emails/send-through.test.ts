import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import PostalMime from 'postal-mime'
import { scriptedTransport } from '../../../test/support/scripted-transport.ts'
import {
  SENDER,
  storeIntegration,
  storeVerifiedDomain,
  testSecrets,
  testSender,
} from '../../../test/support/sending-world.ts'
import { takeSendJobs } from '../../../test/support/turn-jobs.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { secretKeys } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { runTurn } from '../../platform/lanes/run-turn.ts'
import { createPacer } from '../pacing/pacer.ts'
import { createMessageIds } from '../sending/ledger/message-ids.ts'
import { createHandingMarks } from '../sending/turn/mark-handing.ts'
import { createResultRecorder } from '../sending/turn/result-recorder.ts'
import { type SendDeps, sendTurns } from '../sending/turn/send-messages.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { createLinkKeys } from '../tracking/link-keys.ts'
import { createMessageLinks } from '../tracking/message-links.ts'
import { unsubscribeByMail } from '../unsubscribes/unsubscribe-by-mail.ts'
import { emailSource } from './email-source.ts'
import { explainMessage } from './explain-message.ts'
import { queueTestMails } from './queue-test-mail.ts'
import { readEmail } from './read-emails.ts'
import type { EmailBody } from './schemas.ts'
import { sendEmail } from './send-emails.ts'

const { pool, workspaceId, caller } = await testWorkspace({ connections: 20 })
const secrets = testSecrets()
const keys = secretKeys([{ id: 'test', key: randomBytes(32) }])
await storeIntegration(pool, workspaceId, { port: 1 })
await storeVerifiedDomain(pool, secrets, { workspaceId })

const transport = scriptedTransport()
const onError = (error: unknown) => assert.fail(error as Error)
const compiled = createCompiledCache()
// The thread that lays out is there: on a machine with much to do its start takes longer than a request may.
await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })
const links = createMessageLinks({
  keys: createLinkKeys({ sql: pool, keys }),
  baseUrl: new URL('https://mail.example/'),
})
const sending: SendDeps = {
  pool,
  secrets,
  sources: new Map(
    (['email', 'test'] as const).map((kind) => [kind, emailSource({ sql: pool, compiled, links }, kind)]),
  ),
  isCatcher: () => false,
  pacer: createPacer({ pool, onError }),
  marks: createHandingMarks(pool, onError),
  recorder: createResultRecorder({ pool, onRecorded: () => undefined, onError }),
  transports: { of: () => transport },
  returnPathOf: () => null,
  unsubscribeAddressOf: ({ messageId }) => `out+${messageId}@bounces.example`,
  messageIdOf: createMessageIds({ keys }).of,
  onError,
}
const deps = { sql: pool, compiled, sender: testSender(secrets) }
// The thread that lays out is there: on a machine with much to do its start takes longer than a request may.
await compiled.compile({ subject: 'x', body: '<p>x</p>', text: null })

/** Sends a mail and everything else that is due. */
async function sent(body: EmailBody) {
  const { id } = await sendEmail(deps, caller, body)
  await runJobs()
  return readEmail(deps, workspaceId, id)
}

async function runJobs(): Promise<void> {
  while ((await runDue()) > 0);
}

/** Runs the turns that wait, and none that they call for; returns how many. */
async function runDue(): Promise<number> {
  const jobs = await takeSendJobs(pool)
  await Promise.all(jobs.map((job) => runTurn(sendTurns(sending), job, new AbortController().signal)))
  return jobs.length
}

const types = (email: Awaited<ReturnType<typeof sent>>) => email.timeline.map(({ type }) => type)

test('what was asked for arrives as it was asked for, once', async () => {
  const email = await sent({
    destination: 'ada@example.com',
    destinationName: 'Ada Lovelace',
    subject: 'Größe {{ size }}',
    html: '<p>Size {{ size }} <img src="cid:logo"></p>',
    variables: { size: 42 },
    metadata: { orderId: '4711' },
    cc: ['Bob <bob@example.com>'],
    bcc: ['eve@example.com'],
    headers: [{ name: 'X-Order', value: '4711' }],
    attachments: [
      { fileName: 'Rechnung März.pdf', contentType: 'application/pdf', content: 'JVBERi0xLjcK' },
      { fileName: 'logo.png', contentType: 'image/png', content: 'iVBORw0KGgo=', contentId: 'logo' },
    ],
  })
  assert.deepEqual([email.status, email.reply, types(email)], ['sent', '250 2.0.0 queued', ['created', 'sent']])
  assert.match((await explainMessage(deps, workspaceId, email.id)).summary, /^The mail server took it at/)
  const told = await queryInScope<{ data: string }>(pool, workspaceId, {
    text: `select data from outbox where name = 'email.sent'`,
  })
  assert.deepEqual(
    told.map(({ data }) => JSON.parse(data).metadata),
    [{ orderId: '4711' }],
  )
  assert.equal(transport.sent.length, 1)
  const parsed = await PostalMime.parse(transport.sent[0]!.raw)
  assert.equal(parsed.from?.address, SENDER)
  assert.deepEqual(parsed.to, [{ name: 'Ada Lovelace', address: 'ada@example.com' }])
  assert.deepEqual(parsed.cc, [{ name: 'Bob', address: 'bob@example.com' }])
  assert.equal(parsed.bcc, undefined)
  assert.doesNotMatch(transport.sent[0]!.raw, /eve@example\.com/)
  assert.equal(parsed.subject, 'Größe 42')
  assert.match(parsed.html!, /<p>Size 42 /)
  assert.match(parsed.text!, /^Size 42/)
  assert.ok(parsed.headers.some(({ key, value }) => key === 'x-order' && value === '4711'))
  assert.ok(parsed.headers.some(({ key }) => key === 'dkim-signature'))
  assert.deepEqual(
    parsed.attachments.map(({ filename, mimeType, contentId }) => [filename, mimeType, contentId ?? null]).sort(),
    [
      ['Rechnung März.pdf', 'application/pdf', null],
      ['logo.png', 'image/png', '<logo>'],
    ].sort(),
  )
})

test('a test of marketing mail has its link, and nothing that would unsubscribe who looks at it by mail', async () => {
  const oneClickUrl = 'https://mail.example/u/1'
  const content = { subject: '[Test] Hello', html: '<p>Hello</p>', text: null, fromEmail: null, fromName: null }
  const destination = 'team@example.com'
  const [messageId] = await inTransaction(pool, workspaceId, (tx) =>
    queueTestMails(tx, workspaceId, [{ destination, ...content, oneClickUrl }]),
  )
  await runJobs()
  const { raw } = transport.sent.find(({ to }) => to === destination)!
  assert.match(raw.replace(/\r\n /g, ' '), /^List-Unsubscribe: <https:\/\/mail\.example\/u\/1>\r$/m)
  assert.equal(await unsubscribeByMail(pool, { workspaceId, messageId: messageId! }), false)
  const gone = await queryInScope(pool, workspaceId, {
    text: 'select from unsubscribes where workspace_id = $1 and destination = $2',
    values: [workspaceId, destination],
  })
  assert.deepEqual(gone, [])
})

test('a refusal for good, and one for a while, stand in the timeline with the words of the server', async () => {
  const reply = (code: number, enhanced: string, text: string) => ({ code, enhanced, text, phase: 'rcpt' as const })
  transport.script = (to) => {
    if (to.startsWith('nobody')) return { outcome: 'refused', reply: reply(550, '5.1.1', 'no such user') }
    if (to.startsWith('later')) return { outcome: 'refused', reply: reply(451, '4.3.0', 'try again') }
    return undefined
  }
  const hello = (destination: string) => ({ destination, subject: 'Hello', text: 'Hello.' })
  const refused = await sent(hello('nobody@example.com'))
  assert.deepEqual([refused.status, refused.reason], ['failed', 'address_refused'])
  assert.match(refused.timeline.at(-1)!.reply!, /no such user/)
  const { id } = await sendEmail(deps, caller, hello('later@example.com'))
  await runDue()
  const deferred = await readEmail(deps, workspaceId, id)
  assert.deepEqual([deferred.status, types(deferred)], ['queued', ['created', 'attempt']])
  assert.match(deferred.timeline[1]!.reply!, /451 4\.3\.0 try again/)
  assert.ok(Date.parse(deferred.nextAttemptAt!) > Date.now())
  assert.match((await explainMessage(deps, workspaceId, id)).summary, /^Not sent yet: the last attempt ended with /)
  await takeSendJobs(pool)
  transport.script = () => undefined
})

test('a message whose domain is no longer verified when it is to go waits, and says so', async () => {
  const before = transport.sent.length
  await storeVerifiedDomain(pool, secrets, { workspaceId, domain: 'new.example' })
  const mail = { destination: 'ada@example.com', subject: 'x', text: 'x', fromEmail: 'me@new.example' }
  const { id } = await sendEmail(deps, caller, mail)
  await queryInScope(pool, workspaceId, {
    text: `update sending_domain_keys k set verified_at = null from sending_domains d
      where d.workspace_id = $1 and d.domain = 'new.example' and k.domain_id = d.id`,
    values: [workspaceId],
  })
  await runDue()
  const { status, nextAttemptAt } = await readEmail(deps, workspaceId, id)
  assert.equal(status, 'queued')
  assert.ok(Date.parse(nextAttemptAt!) > Date.now())
  assert.match((await explainMessage(deps, workspaceId, id)).summary, /me@new.example, and new.example is not verified/)
  assert.equal(transport.sent.length, before, 'nothing leaves unsigned')
})
