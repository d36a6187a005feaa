import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { rowsSpelling } from '../../../test/support/search-database.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { registerGroups } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { type NewEmail, queueEmails } from '../emails/queue-emails.ts'
import { persistEvent } from '../events/persist-event.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { planMessages } from '../sending/ledger/plan-messages.ts'
import { openStream } from '../sending/streams.ts'
import { eraseContact } from './erase-contact.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'
import { mergeContacts } from './merge-contacts.ts'

const { database, pool, workspaceId, caller } = await testWorkspace()
await migrateJobs(pool, ['default'])
await registerGroups(pool, [persistEvent])
const deps = {
  sql: pool,
  forms: NO_FORMS,
  enqueueSweep: async () => undefined,
}
const never = new AbortController().signal
const inTx = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
const rows = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })
const contact = (email: string) => createContact(deps, caller, { email })

async function sweep() {
  await readAll(watched(pool), persistEvent, { rowsMax: 5_000, attempts: 0 })
  return (await eraseContact({ pool }, workspaceId, never, 0)).end
}

async function mail(contactId: string | null, destination: string): Promise<string> {
  const email: NewEmail = {
    contactId,
    destination,
    destinationName: `Name of ${destination}`,
    template: null,
    subject: `Hello ${destination}`,
    html: `<p>${destination}</p>`,
    text: destination,
    variables: JSON.stringify({ email: destination }),
    fromEmail: null,
    fromName: null,
    furtherTo: [{ address: destination, name: null }],
    metadata: JSON.stringify({ order: destination }),
    cc: [{ address: 'team@example.com', name: `For ${destination}` }],
    bcc: [destination],
    replyTo: [],
    headers: [['X-To', destination]],
    attachments: [{ fileName: `${destination}.txt`, contentType: 'text/plain', content: Buffer.from(destination) }],
    oneClickUrl: null,
    trackOpens: false,
    trackClicks: false,
    scheduledAt: null,
  }
  const emails = [email]
  const [message] = await inTx((tx) => queueEmails(tx, { workspaceId, origin: SINGLE.email, emails }))
  return message!.id
}

async function broadcast(id: string, ...contactIds: string[]) {
  const source = { kind: 'broadcast', id } as const
  const startedAt = new Date().toISOString()
  await inTx(async (tx) => {
    const { streamId } = await openStream(tx, workspaceId, source)
    const recipients = contactIds.map((contactId) => ({ contactId, dueAt: null }))
    await planMessages(tx, { workspaceId, source, purpose: 'marketing', createdAt: startedAt, streamId }, recipients)
  })
}

/** Mail of automation 7, to all of them at one moment. */
async function automation(purpose: 'marketing' | 'service', ...contactIds: string[]) {
  const source = { kind: 'automation', id: '7' } as const
  const createdAt = new Date().toISOString()
  await inTx(async (tx) => {
    const { streamId } = await openStream(tx, workspaceId, source)
    const recipients = contactIds.map((contactId) => ({ contactId, dueAt: null }))
    await planMessages(tx, { workspaceId, source, purpose, createdAt, streamId }, recipients)
  })
}

/** A tried message, and a server's reply to it. */
const tried = (id: string, reply: string) =>
  rows(
    `with attempt as (
       insert into message_attempts (workspace_id, message_id, attempt, outcome, cause, reply)
       values ($1, $2, 1, 'deferred', 'transient', $3)
     ) update messages set reply = $3, provider_message_id = $3 where id = $2`,
    [workspaceId, id, reply],
  )

test('an erased person is in no message, content, attachment, reply or bounce any more, and the totals stay', async () => {
  const { id } = await contact('gone@erased.example')
  const before = await mail(null, 'gone@erased.example')
  const after = await mail(id, 'gone@erased.example')
  await tried(after, '450 4.2.2 <gone@erased.example> is full')
  await rows(
    `insert into message_hits (workspace_id, message_id, at, kind, link, url, ip, user_agent, signals)
     values ($1, $2, now(), 'click', 0, 'https://shop.example/?who=gone@erased.example', '203.0.113.81', 'Netscape Gone', '{}')`,
    [workspaceId, after],
  )
  await rows(
    `insert into consent_changes (workspace_id, contact_id, change, by_whom, ip)
     values ($1, $2, 'confirmed', 'person', '203.0.113.82')`,
    [workspaceId, id],
  )
  await rows(
    `insert into feedback_reports (workspace_id, key, source, kind, cause, destination, message_id, detail)
     values ($1, 'dsn gone@erased.example', 'mail', 'bounce', 'transient', 'other@erased.example', $2, '<gone@erased.example> is full'),
       ($1, 'sns gone@erased.example', 'ses', 'bounce', 'unsure', 'gone@erased.example', null, null)`,
    [workspaceId, after],
  )
  await broadcast('1', id)
  const stays = await mail(null, 'stays@kept.example')
  const totals = () => rows('select kind, sum(total) from message_totals group by 1 order by 1')
  const sums = await totals()

  await erasePerson(deps, caller, { id })
  assert.equal(await sweep(), 'done')
  const traces = ['gone@erased.example', '203.0.113.81', 'Netscape Gone', '203.0.113.82']
  assert.deepEqual(await rowsSpelling(database.superuserUrl, traces), [])
  const left = await rows('select id, destination from messages order by id')
  assert.deepEqual(
    left.filter(({ destination }) => destination !== '').map((row) => row.id),
    [stays],
  )
  assert.ok([before, after].every((one) => left.some((row) => row.id === one)))
  assert.deepEqual(await totals(), sums)
  assert.equal((await rows('select from email_attachments')).length, 1)
})

test('an erasure waits for a message to the person that is being handed over', async () => {
  const { id } = await contact('busy@erased.example')
  const message = await mail(id, 'busy@erased.example')
  await rows('update message_queue set slot = 0, turn = 1 where message_id = $1', [message])
  await erasePerson(deps, caller, { id })
  assert.equal(await sweep(), 'later')
  await rows('delete from message_queue where message_id = $1', [message])
  await rows(`update messages set state = 'accepted', settled_at = now() where id = $1`, [message])
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rowsSpelling(database.superuserUrl, ['busy@erased.example']), [])
})

test('a long history is erased in steps', async () => {
  const { id } = await contact('many@erased.example')
  await rows(
    `insert into messages (workspace_id, purpose, source_kind, contact_id, destination, state, settled_at)
     select $1, 'transactional', 'email', $2, 'many@erased.example', 'accepted', now() from generate_series(1, 2500)`,
    [workspaceId, id],
  )
  await erasePerson(deps, caller, { id })
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rows('select from messages where contact_id = $1 and destination <> $2', [id, '']), [])
})

test('messages of a merged contact become the survivor’s, but not a second one of the same broadcast', async () => {
  const [survivor, other] = [await contact('one@merged.example'), await contact('two@merged.example')]
  const single = await mail(other.id, 'two@merged.example')
  await broadcast('7', other.id)
  await broadcast('8', survivor.id, other.id)
  await mergeContacts(deps, caller, { id: survivor.id, otherId: other.id })
  await sweep()
  const ofContact = (id: string) =>
    rows('select id, source_id as broadcast from messages where contact_id = $1 order by id', [id])
  assert.deepEqual((await ofContact(survivor.id)).map(({ broadcast }) => broadcast).sort(), ['7', '8', null].sort())
  assert.ok((await ofContact(survivor.id)).some(({ id }) => id === single))
  const [left, ...more] = await ofContact(other.id)
  assert.deepEqual([left?.broadcast, more.length], ['8', 0])
})

test('mail that is still to be sent follows a merged contact at once, however much it has got before', async () => {
  const [survivor, other] = [await contact('one@long.example'), await contact('two@long.example')]
  await rows(
    `insert into messages (workspace_id, purpose, source_kind, contact_id, destination, state, settled_at)
     select $1, 'transactional', 'email', $2, 'two@long.example', 'accepted', now() from generate_series(1, 1001)`,
    [workspaceId, other.id],
  )
  await broadcast('10', other.id)
  await mergeContacts(deps, caller, { id: survivor.id, otherId: other.id })
  const waiting = await rows(
    `select contact_id as who from messages where source_kind = 'broadcast' and source_id = 10`,
  )
  assert.deepEqual(waiting, [{ who: survivor.id }])
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rows('select from messages where contact_id = $1', [other.id]), [])
})

test('mail of an automation follows a merged contact, all of it, and is erased with its person', async () => {
  const [survivor, other] = [await contact('one@flow.example'), await contact('two@flow.example')]
  await automation('marketing', survivor.id, other.id)
  await automation('service', other.id)
  await broadcast('7', survivor.id)
  await mergeContacts(deps, caller, { id: survivor.id, otherId: other.id })
  await sweep()
  const kinds = await rows(
    'select source_kind as kind, purpose from messages where contact_id = $1 and source_id = 7 order by 1, 2',
    [survivor.id],
  )
  assert.deepEqual(
    kinds.map(({ kind, purpose }) => `${kind} ${purpose}`),
    ['automation marketing', 'automation marketing', 'automation service', 'broadcast marketing'],
  )
  const document = await exportPerson(deps, caller, { id: survivor.id })
  assert.deepEqual(
    document.outboundMessages.map(({ kind, purpose, broadcastId, automationId }) => [
      kind,
      purpose,
      broadcastId,
      automationId,
    ]),
    [
      ['broadcast', 'marketing', '7', null],
      ['automation', 'service', null, '7'],
      ['automation', 'marketing', null, '7'],
      ['automation', 'marketing', null, '7'],
    ],
  )
  await erasePerson(deps, caller, { id: survivor.id })
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rows(`select from messages where destination like '%@flow.example'`), [])
})

test('the export of a person has messages, places in broadcasts and what the person wants no more of', async () => {
  const { id } = await contact('ada@exported.example')
  const early = await mail(null, 'ada@exported.example')
  const later = await mail(id, 'ada@exported.example')
  await broadcast('9', id)
  await rows(
    `insert into unsubscribes (workspace_id, destination, sending_source) values ($1, 'ada@exported.example', 'broadcasts')`,
    [workspaceId],
  )
  const document = await exportPerson(deps, caller, { id })
  assert.deepEqual(
    document.outboundMessages.map(({ kind, subject }) => [kind, subject]),
    [
      ['broadcast', null],
      ['transactional', 'Hello ada@exported.example'],
      ['transactional', 'Hello ada@exported.example'],
    ],
  )
  assert.deepEqual(
    document.outboundMessages.slice(1).map((message) => message.id),
    [later, early],
  )
  assert.deepEqual(
    document.broadcastRecipients.map(({ broadcastId, status }) => [broadcastId, status]),
    [['9', 'queued']],
  )
  assert.deepEqual(
    document.unsubscribes.map(({ sendingSource }) => sendingSource),
    ['broadcasts'],
  )
})

test('the export of a person has where they opened and clicked from, and how their consent changed', async () => {
  const { id } = await contact('eve@exported.example')
  const silent = await mail(id, 'eve@exported.example')
  const read = await mail(id, 'eve@exported.example')
  const others = await mail(null, 'other@exported.example')
  await rows(
    `insert into message_hits (workspace_id, message_id, at, kind, link, url, ip, user_agent, signals, verdict)
     values ($1, $2, '2026-11-21T10:00:02Z', 'click', 3, 'https://shop.example/', '2001:db8::7', 'Firefox', '{}', null),
       ($1, $2, '2026-11-21T10:00:01Z', 'open', null, null, '203.0.113.7', 'Thunderbird', '{}', 'human'),
       ($1, $3, '2026-11-21T10:00:01Z', 'open', null, null, '203.0.113.8', 'Outlook', '{}', 'human')`,
    [workspaceId, read, others],
  )
  await rows(
    `insert into consent_changes (workspace_id, contact_id, change, sending_source, by_whom, ip, message_id)
     values ($1, $2, 'confirmed', null, 'person', '203.0.113.7', $3),
       ($1, $2, 'unsubscribed', 'broadcasts', 'workspace', null, null)`,
    [workspaceId, id, read],
  )
  const { outboundMessages, consentChanges } = await exportPerson(deps, caller, { id })
  const open = { messageId: read, at: '2026-11-21T10:00:01Z', kind: 'open', link: null, url: null }
  assert.deepEqual(
    outboundMessages.map((message) => [message.id, message.hits]),
    [
      [
        read,
        [
          { ...open, ip: '203.0.113.7', userAgent: 'Thunderbird', verdict: 'human' },
          {
            ...{ messageId: read, at: '2026-11-21T10:00:02Z', kind: 'click', link: 3, url: 'https://shop.example/' },
            ...{ ip: '2001:db8::7', userAgent: 'Firefox', verdict: null },
          },
        ],
      ],
      [silent, []],
    ],
  )
  assert.deepEqual(
    consentChanges.map(({ change, sendingSource, byWhom, ip, messageId }) => [
      ...[change, sendingSource, byWhom, ip, messageId],
    ]),
    [
      ['unsubscribed', 'broadcasts', 'workspace', null, null],
      ['confirmed', null, 'person', '203.0.113.7', read],
    ],
  )
})
