import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  SENDER,
  storeIntegration,
  storeVerifiedDomain,
  testSecrets,
  testSender,
} from '../../../test/support/sending-world.ts'
import { sendJobs, takeSendJobs } from '../../../test/support/turn-jobs.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { createCompiledCache } from '../templates/compiled-cache.ts'
import { createTemplate, deleteTemplate, updateTemplate } from '../templates/manage-templates.ts'
import { cancelEmail } from './cancel-email.ts'
import { listEmails, readEmail } from './read-emails.ts'
import { resolveEmail } from './resolve-email.ts'
import type { EmailBody } from './schemas.ts'
import { sendEmail, sendEmailBatch } from './send-emails.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const deps = {
  sql: pool,
  compiled: createCompiledCache(),
  sender: testSender(),
}
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
const hello = (destination: string): EmailBody => ({ destination, subject: 'Hello', text: 'Hello.' })
const send = (body: EmailBody) => sendEmail(deps, caller, body)
const list = (query: object = {}) => listEmails(deps, workspaceId, { limit: 25, ...query })
const inADay = new Date(Date.now() + 86_400_000).toISOString()

test('a message is queued for the contact with its address, and read with all that was given', async () => {
  const contact = await createContact(deps, caller, { email: 'ada@example.com' })
  const { id, ...queued } = await send({
    ...hello('ADA@example.com'),
    cc: ['Bob <bob@example.com>'],
    bcc: ['eve@example.com'],
    headers: [{ name: 'X-Order', value: '4711' }],
    attachments: [{ fileName: 'a.txt', contentType: 'text/plain', content: 'aGVsbG8=' }],
  })
  assert.deepEqual(queued, { status: 'queued', destination: 'ada@example.com' })
  const email = await readEmail(deps, workspaceId, id)
  assert.equal(email.contactId, contact.id)
  assert.deepEqual(email.cc, [{ address: 'bob@example.com', name: 'Bob' }])
  assert.deepEqual(email.bcc, ['eve@example.com'])
  assert.deepEqual(email.headers, [{ name: 'X-Order', value: '4711' }])
  assert.deepEqual(email.attachments, [{ fileName: 'a.txt', contentType: 'text/plain', contentId: null, sizeBytes: 5 }])
  assert.deepEqual([email.purpose, email.surface], ['transactional', 'transactional'])
  assert.ok(email.nextAttemptAt !== null)
  assert.deepEqual(
    email.timeline.map(({ type }) => type),
    ['created'],
  )
  assert.equal((await sendJobs(pool)).length, 1)
})

test('who is suppressed is not mailed, who unsubscribed from marketing mail is', async () => {
  await rows(`insert into suppressions (workspace_id, destination, reason) values ($1, 'no@example.com', 'bounce')`, [
    workspaceId,
  ])
  await rows(
    `insert into unsubscribes (workspace_id, destination, sending_source) values ($1, 'yes@example.com', 'everything')`,
    [workspaceId],
  )
  assert.equal((await send(hello('yes@example.com'))).status, 'queued')
  const { id, status } = await send(hello('no@example.com'))
  assert.equal(status, 'suppressed')
  const email = await readEmail(deps, workspaceId, id)
  assert.deepEqual([email.status, email.reason, email.nextAttemptAt], ['suppressed', 'bounce', null])
  assert.deepEqual(
    email.timeline.map(({ type, reason }) => [type, reason]),
    [
      ['created', null],
      ['suppressed', 'bounce'],
    ],
  )
})

test('a sender must be of one of the sending domains of the workspace', async () => {
  const from = { ...hello('ada@example.com'), fromEmail: 'shop@shop.example' }
  await assert.rejects(send(from), { code: 'unprocessable', detail: /^\/fromEmail / })
  await rows(`insert into sending_domains (workspace_id, domain, next_check_at) values ($1, 'shop.example', now())`, [
    workspaceId,
  ])
  assert.equal((await send(from)).status, 'queued')
})

test('mail whose domain cannot sign it is refused at once, and taken where it stays on this machine', async () => {
  const at = callerOf(await createWorkspace(pool))
  const secrets = testSecrets()
  await storeIntegration(pool, at.workspaceId, { port: 1 })
  const judged = (sender: object = {}) => ({ ...deps, sender: { ...testSender(secrets), ...sender } })
  const unknown = {
    code: 'unprocessable',
    detail: new RegExp(`^/fromEmail is absent, and ${SENDER}, .* not of a sending domain`),
  }
  await assert.rejects(sendEmail(judged(), at, hello('ada@example.com')), unknown)
  await storeVerifiedDomain(pool, secrets, { workspaceId: at.workspaceId })
  assert.equal((await sendEmail(judged(), at, hello('ada@example.com'))).status, 'queued')
  await queryInScope(pool, at.workspaceId, { text: 'update sending_domain_keys set verified_at = null' })
  const unverified = { code: 'unprocessable', detail: /^\/fromEmail is of sender.example, which is not verified: / }
  await assert.rejects(sendEmail(judged(), at, { ...hello('ada@example.com'), fromEmail: SENDER }), unverified)
  const [failed] = await sendEmailBatch(judged(), at, [hello('ada@example.com')])
  assert.match((failed as { error: string }).error, /which is not verified/)
  assert.equal((await sendEmail(judged({ isCatcher: () => true }), at, hello('ada@example.com'))).status, 'queued')
  const copy = judged({ instead: async () => null })
  assert.equal((await sendEmail(copy, at, hello('ada@example.com'))).status, 'queued', 'a copy has its own way out')
})

test('a batch queues what is sound in one go and names what is not', async () => {
  const before = await list()
  const results = await sendEmailBatch(deps, caller, [
    hello('one@example.com'),
    { destination: 'nobody' },
    'nonsense',
    hello('no@example.com'),
    { ...hello('two@example.com'), fromEmail: 'me@elsewhere.example' },
    hello('three@example.com'),
  ])
  assert.deepEqual(
    results.map(({ index, status }) => [index, status]),
    [
      [0, 'queued'],
      [1, 'failed'],
      [2, 'failed'],
      [3, 'suppressed'],
      [4, 'failed'],
      [5, 'queued'],
    ],
  )
  assert.match((results[1] as { error: string }).error, /^\/destination must be an email address; \/subject is needed/)
  assert.match((results[4] as { error: string }).error, /^\/fromEmail /)
  const { items } = await list()
  assert.equal(items.length, before.items.length + 3)
  assert.equal(items[0]!.destination, 'three@example.com')
  const [entry] = await rows(`select diff from audit_entries where action = 'email.send_batch'`)
  assert.deepEqual(JSON.parse(entry!.diff).failed, { from: null, to: 3 })
})

test('a scheduled message waits and can be canceled, once', async () => {
  const { id } = await send({ ...hello('later@example.com'), scheduledAt: inADay })
  const waiting = await readEmail(deps, workspaceId, id)
  assert.equal(Date.parse(waiting.nextAttemptAt!), Date.parse(inADay))
  assert.equal(waiting.scheduledAt, waiting.nextAttemptAt)
  const canceled = await cancelEmail(deps, caller, id)
  assert.deepEqual([canceled.status, canceled.reason, canceled.nextAttemptAt], ['skipped', 'canceled', null])
  await assert.rejects(cancelEmail(deps, caller, id), { code: 'wrong-status', detail: /skipped/ })
})

test('a message that is being handed over is not canceled', async () => {
  const { id } = await send(hello('now@example.com'))
  await rows('update message_queue set slot = 0, turn = 1 where message_id = $1', [id])
  await assert.rejects(cancelEmail(deps, caller, id), { code: 'wrong-status', detail: /being sent/ })
  assert.equal((await readEmail(deps, workspaceId, id)).status, 'queued')
})

/** A message that a process had begun to hand over when it died. */
async function uncertain(destination: string): Promise<string> {
  const { id } = await send(hello(destination))
  await rows('delete from message_queue where message_id = $1', [id])
  await rows(`update messages set state = 'uncertain', reason = 'process_lost', settled_at = now() where id = $1`, [id])
  return id
}

test('an uncertain message is taken for sent and told of, once', async () => {
  const id = await uncertain('perhaps@example.com')
  const as = 'sent' as const
  const both = await Promise.allSettled([
    resolveEmail(deps, caller, { id, as }),
    resolveEmail(deps, caller, { id, as }),
  ])
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const { status, reason } = await readEmail(deps, workspaceId, id)
  assert.deepEqual([status, reason], ['sent', null])
  const told = await rows(`select email, data->>'provider' as provider from outbox where type = 'email.sent'`)
  assert.deepEqual(told, [{ email: 'perhaps@example.com', provider: null }])
  const [entry, ...more] = await rows(`select diff from audit_entries where action = 'email.resolve'`)
  assert.deepEqual([JSON.parse(entry!.diff), more], [{ status: { from: 'uncertain', to: 'sent' } }, []])
})

test('an uncertain message goes out again when that is decided, and nothing else does', async () => {
  const id = await uncertain('again@example.com')
  await takeSendJobs(pool)
  await rows(`update send_lanes set state = 'idle', job_id = null, wake_at = null`)
  const email = await resolveEmail(deps, caller, { id, as: 'retry' })
  assert.deepEqual([email.status, email.reason, (await sendJobs(pool)).length], ['queued', null, 1])
  assert.ok(email.nextAttemptAt !== null)
  await assert.rejects(resolveEmail(deps, caller, { id, as: 'retry' }), { code: 'wrong-status', detail: /queued/ })
  await assert.rejects(resolveEmail(deps, caller, { id: '900000000', as: 'sent' }), { code: 'not-found' })
})

test('the list is narrowed by address, contact and status, and goes on where it stopped', async () => {
  const all: string[] = []
  let cursor: string | undefined
  do {
    const { items, ...more }: Awaited<ReturnType<typeof list>> = await list({ limit: 3, cursor })
    all.push(...items.map(({ id }) => id))
    cursor = more.nextCursor
  } while (cursor)
  assert.deepEqual(
    all,
    [...all].sort((a, b) => Number(b) - Number(a)),
  )
  assert.equal(new Set(all).size, (await rows('select from emails')).length)
  const destinations = async (query: object) => (await list(query)).items.map(({ destination }) => destination)
  assert.deepEqual(await destinations({ destination: 'NO@example.com' }), ['no@example.com', 'no@example.com'])
  assert.deepEqual(await destinations({ status: 'suppressed' }), ['no@example.com', 'no@example.com'])
  assert.deepEqual(await destinations({ status: 'suppressed', limit: 1 }), ['no@example.com'])
  assert.ok((await list({ status: 'suppressed', limit: 1 })).nextCursor)
  const [contact] = await rows(`select id from contacts where email = 'ada@example.com'`)
  assert.deepEqual([...new Set(await destinations({ contactId: contact!.id }))], ['ada@example.com'])
  await assert.rejects(list({ cursor: 'nonsense' }), { code: 'bad-cursor' })
})

test("another workspace's message is not there", async () => {
  const other = callerOf(await createWorkspace(pool))
  const [first] = (await list()).items
  await assert.rejects(readEmail(deps, other.workspaceId, first!.id), { code: 'not-found' })
  await assert.rejects(cancelEmail(deps, other, first!.id), { code: 'not-found' })
  await assert.rejects(resolveEmail(deps, other, { id: first!.id, as: 'retry' }), { code: 'not-found' })
  assert.deepEqual((await listEmails(deps, other.workspaceId, { limit: 25 })).items, [])
})

test('a template is taken in the version of that moment; an unknown one is refused', async () => {
  const { id: templateId } = await createTemplate(deps, caller, { name: 'Receipt', subject: 'A', body: '<p>B</p>' })
  const { id } = await send({ destination: 'ada@example.com', templateId })
  const email = await readEmail(deps, workspaceId, id)
  assert.deepEqual([email.templateId, email.templateVersion, email.subject], [templateId, 1, null])
  await deleteTemplate(deps, caller, { id: templateId })
  await assert.rejects(send({ destination: 'ada@example.com', templateId }), {
    code: 'unprocessable',
    detail: '/templateId is no template of this workspace',
  })
})

test('a template is named by its key, which only one has, and which stays when it is renamed', async () => {
  const content = { subject: 'A', body: '<p>B</p>' }
  const { id } = await createTemplate(deps, caller, { name: 'Welcome', key: 'welcome', ...content })
  const taken = { code: 'conflict', detail: 'key is already taken' }
  await assert.rejects(createTemplate(deps, caller, { name: 'Other', key: 'welcome', ...content }), taken)
  const { key } = await updateTemplate(deps, caller, { id, change: { name: 'Hello' } })
  assert.equal(key, 'welcome')
  const sent = await send({ destination: 'ada@example.com', templateKey: 'welcome' })
  assert.equal((await readEmail(deps, workspaceId, sent.id)).templateId, id)
  const unknown = { code: 'unprocessable', detail: '/templateKey is no template of this workspace' }
  await assert.rejects(send({ destination: 'ada@example.com', templateKey: 'nothing' }), unknown)
})

test('a message goes to several at once, and its metadata comes back when it is read', async () => {
  const metadata = { orderId: '4711', lines: [1, 2] }
  const to = ['Ada <ada@example.com>', 'bob@example.com']
  const { id, destination } = await send({ ...hello('x'), destination: to, metadata })
  assert.equal(destination, 'ada@example.com')
  const email = await readEmail(deps, workspaceId, id)
  assert.deepEqual([email.destinationName, email.furtherTo], ['Ada', [{ address: 'bob@example.com', name: null }]])
  assert.deepEqual(email.metadata, metadata)
})

test('Liquid is checked only where it is to be applied, and its faults have their lines', async () => {
  const broken = { ...hello('ada@example.com'), html: '<p>\n{{ name | }}{% if %}</p>' }
  assert.equal((await send({ ...broken, liquid: false })).status, 'queued')
  await assert.rejects(send({ ...broken, variables: {} }), { code: 'unprocessable', detail: /^\/html line 2: / })
})
