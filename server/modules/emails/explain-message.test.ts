import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  SENDER,
  storeIntegration,
  storeVerifiedDomain,
  testSecrets,
  testSender,
} from '../../../test/support/sending-world.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { createContact } from '../contacts/create-contact.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { planMessages } from '../sending/ledger/plan-messages.ts'
import { openStream } from '../sending/streams.ts'
import { explainMessage } from './explain-message.ts'
import { listMessages } from './list-messages.ts'
import { queueEmails } from './queue-emails.ts'

const { pool, workspaceId, caller } = await testWorkspace()
const secrets = testSecrets()
const deps = { sql: pool, sender: testSender(secrets) }
await storeIntegration(pool, workspaceId, { port: 1 })
await storeVerifiedDomain(pool, secrets, { workspaceId })
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
const explain = (id: string) => explainMessage(deps, workspaceId, id)

const content = {
  contactId: null,
  destinationName: null,
  template: null,
  subject: 'Hello',
  html: null,
  text: 'Hello.',
  variables: null,
  fromEmail: null,
  fromName: null,
  furtherTo: [],
  metadata: null,
  cc: [],
  bcc: [],
  replyTo: [],
  headers: [],
  attachments: [],
  oneClickUrl: null,
  trackOpens: false,
  trackClicks: false,
  scheduledAt: null,
}

async function single(destination: string, scheduledAt: string | null = null): Promise<string> {
  const emails = [{ ...content, destination, scheduledAt }]
  const [message] = await inTransaction(pool, workspaceId, (tx) =>
    queueEmails(tx, { workspaceId, origin: SINGLE.email, emails }),
  )
  return message!.id
}

let broadcasts = 0
/** A message of a broadcast to a new contact with this address. */
async function recipient(email: string | null): Promise<string> {
  const contact = await createContact(deps, caller, { email, subjectId: `s-${++broadcasts}` })
  const source = { kind: 'broadcast', id: String(broadcasts) } as const
  await inTransaction(pool, workspaceId, async (tx) => {
    const { streamId } = await openStream(tx, workspaceId, source)
    const createdAt = new Date().toISOString()
    await planMessages(tx, { workspaceId, source, purpose: 'marketing', createdAt, streamId }, [
      { contactId: contact.id, dueAt: null },
    ])
  })
  const [message] = await rows('select id from messages where source_kind = $1 and source_id = $2', [
    source.kind,
    source.id,
  ])
  return message!.id
}

const suppress = (email: string) =>
  rows(`insert into suppressions (workspace_id, destination, reason) values ($1, $2, 'bounce')`, [workspaceId, email])
const unsubscribe = (email: string) =>
  rows(`insert into unsubscribes (workspace_id, destination, sending_source) values ($1, $2, 'broadcasts')`, [
    workspaceId,
    email,
  ])
const settle = (id: string, state: string, reason: string | null, reply: string | null = null) =>
  rows(
    `with gone as (delete from message_queue where message_id = $1)
     update messages set state = $2, reason = $3, reply = $4, provider = 'smtp', settled_at = now() where id = $1`,
    [id, state, reason, reply],
  )

test('who was not to be mailed is told with the reason', async () => {
  await suppress('bounced@a.example')
  await unsubscribe('out@a.example')
  const cases: [string, RegExp][] = [
    [await recipient('bounced@a.example'), /^Not sent: the address must not be mailed \(bounce\)\.$/],
    [await recipient('out@a.example'), /^Not sent: the person has unsubscribed from broadcasts\.$/],
    [await recipient(null), /^Not sent: the contact had no email address\.$/],
  ]
  for (const [id, summary] of cases) assert.match((await explain(id)).summary, summary)
  const { findings } = await explain(cases[1]![0])
  assert.deepEqual(
    findings.filter(({ subject }) => subject === 'purpose').map(({ detail }) => detail),
    ['marketing mail, which heeds suppressions, unsubscribes, topics, erasure, proof, consent'],
  )
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'stops').map(({ detail }) => detail),
    ['the address has unsubscribed from broadcasts'],
  )
})

test('a message that waits is told with what it waits for, the weightiest first', async () => {
  const id = await recipient('waits@b.example')
  const summary = async () => (await explain(id)).summary
  assert.match(await summary(), /due and waits for its turn/)
  await rows(`update message_queue set due_at = now() + interval '1 hour' where message_id = $1`, [id])
  assert.match(await summary(), /it is due at 2/)
  await rows(
    `insert into message_attempts (workspace_id, message_id, attempt, outcome, cause, reply)
     values ($1, $2, 1, 'deferred', 'mailbox_full', '452 4.2.2 full')`,
    [workspaceId, id],
  )
  assert.match(await summary(), /the last attempt ended with mailbox_full; the next is at 2/)
  const stream = (change: string) =>
    rows(`update send_streams set ${change} where id = (select stream_id from message_queue where message_id = $1)`, [
      id,
    ])
  await stream(`hold_reason = 'unverified_domain'`)
  assert.match(await summary(), /the domain of its sender is not verified/)
  await stream(`state = 'paused'`)
  assert.match(await summary(), /its broadcast is paused/)
  await unsubscribe('waits@b.example')
  assert.match(await summary(), /^It will not be sent: the person has unsubscribed from broadcasts\.$/)
  await rows('update message_queue set slot = 0, turn = 1 where message_id = $1', [id])
  assert.match(await summary(), /^A worker has it/)
  await rows('update message_queue set handing_at = now() where message_id = $1', [id])
  assert.match(await summary(), /being handed to the mail server right now/)
})

test('a message that waits for its domain names it, before any turn has looked', async () => {
  const at = callerOf(await createWorkspace(pool))
  const [message] = await inTransaction(pool, at.workspaceId, (tx) =>
    queueEmails(tx, { ...at, origin: SINGLE.email, emails: [{ ...content, destination: 'ada@b.example' }] }),
  )
  const explained = () => explainMessage(deps, at.workspaceId, message!.id)
  assert.match((await explained()).summary, /^Not sent yet: there is no integration to send through/)
  await storeIntegration(pool, at.workspaceId, { port: 1 })
  const told = await explained()
  assert.match(
    told.summary,
    new RegExp(`^Not sent yet: its sender is ${SENDER}, and sender.example is no sending domain`),
  )
  assert.ok(told.findings.some(({ subject, verdict }) => subject === 'sender' && verdict === 'delays'))
})

test('how a message ended is told with what the server said', async () => {
  const id = await single('ada@c.example')
  await settle(id, 'accepted', null, '250 2.0.0 OK')
  const accepted = await explain(id)
  assert.match(accepted.summary, /^The mail server took it at 2/)
  assert.ok(accepted.findings.some(({ detail }) => detail === 'smtp answered: 250 2.0.0 OK'))
  await rows('update messages set opened_at = now() where id = $1', [id])
  assert.match((await explain(id)).summary, /^Delivered, and opened at/)
  await rows('update messages set bounced_at = now() where id = $1', [id])
  assert.match((await explain(id)).summary, /^Not delivered: the mail server took it, and it came back/)
  await settle(id, 'uncertain', 'process_lost')
  assert.match((await explain(id)).summary, /^Perhaps delivered: .*the process that sent it ended/)
  await settle(id, 'failed', 'address_refused', '550 5.1.1 no such user')
  assert.match((await explain(id)).summary, /^Not delivered: the receiving server says that the address does not exist/)
})

test('single messages heed suppressions alone', async () => {
  await unsubscribe('out@d.example')
  const id = await single('out@d.example', new Date(Date.now() + 3_600_000).toISOString())
  assert.match((await explain(id)).summary, /^Not sent yet: it is due at 2/)
  assert.ok((await explain(id)).findings.every(({ subject }) => subject !== 'unsubscribes' && subject !== 'consent'))
  await suppress('out@d.example')
  assert.match((await explain(id)).summary, /^It will not be sent: the address must not be mailed \(bounce\)\.$/)
})

test("another workspace's message is not there", async () => {
  const id = await single('ada@e.example')
  await assert.rejects(explainMessage(deps, await createWorkspace(pool), id), { code: 'not-found' })
})

test('messages are narrowed by status, way, template and time, and a page of few goes on where it stopped looking', async () => {
  const [first, second] = [await single('one@g.example'), await single('two@g.example')]
  await settle(first, 'failed', 'mailbox_full')
  const ids = async (query: object) =>
    (await listMessages(deps, workspaceId, { limit: 100, ...query })).items.map(({ id }) => id)
  assert.ok((await ids({ status: 'failed' })).includes(first))
  assert.ok(!(await ids({ status: 'failed' })).includes(second))
  assert.ok((await ids({ status: 'queued', surface: 'transactional' })).includes(second))
  assert.deepEqual(await ids({ status: 'failed', destination: 'two@g.example' }), [])
  assert.deepEqual(await ids({ status: 'failed', destination: 'one@g.example' }), [first])
  assert.deepEqual(await ids({ templateId: '999' }), [])
  assert.deepEqual(await ids({ to: '2020-01-01T00:00:00Z' }), [])
  assert.deepEqual(await ids({ from: '2036-01-01T00:00:00Z' }), [])
  const all = await ids({ surface: 'transactional' })
  const paged: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await listMessages(deps, workspaceId, { surface: 'transactional', limit: 3, cursor })
    paged.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor === undefined) break
  }
  assert.deepEqual(paged, all)
  await assert.rejects(listMessages(deps, workspaceId, { limit: 1, cursor: 'WyIxIl0' }), { code: 'bad-cursor' })
})

test('what was sent to somebody is listed, of broadcasts and single, and goes on where it stopped', async () => {
  const early = await single('ada@f.example')
  const ofBroadcast = await recipient('ada@f.example')
  const later = await single('ada@f.example')
  await single('other@f.example')
  const list = (limit: number, cursor?: string) =>
    listMessages(deps, workspaceId, { destination: 'ADA@f.example', limit, cursor })
  const { items, nextCursor } = await list(2)
  assert.deepEqual(
    items.map(({ id }) => id),
    [later, ofBroadcast],
  )
  const rest = await list(2, nextCursor)
  assert.deepEqual([rest.items.map(({ id }) => id), rest.nextCursor], [[early], undefined])
})
