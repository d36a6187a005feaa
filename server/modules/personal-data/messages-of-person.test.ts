import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { rowsSpelling } from '../../../test/support/search-database.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { registerGroups } from '../../platform/outbox/consumer.ts'
import { createContact } from '../contacts/create-contact.ts'
import { type NewEmail, queueEmails } from '../emails/queue-emails.ts'
import { persistEvent } from '../events/persist-event.ts'
import { messagesWithIds } from '../feedback/queries.ts'
import { SINGLE } from '../sending/ledger/create-messages.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { planMessages } from '../sending/ledger/plan-messages.ts'
import { ORIGIN } from '../sending/message-source.ts'
import { openStream } from '../sending/streams.ts'
import type { Claim } from '../sending/turn/claim-messages.ts'
import { recordResults, type Verdict } from '../sending/turn/record-results.ts'
import { HIT_PARTITIONS } from '../tracking/hit-partitions.ts'
import { hitsToJudge } from '../tracking/hit-queries.ts'
import { eraseContact } from './erase-contact.ts'
import { erasePerson } from './erase-person.ts'
import { exportPerson } from './export-person.ts'
import { mergeContacts } from './merge-contacts.ts'

const { database, pool, workspaceId, caller } = await testWorkspace()
// Hits are told of an hour ago and of a day that is past, whichever month it is.
for (const at of [new Date('2026-11-21T10:00:00Z'), new Date(Date.now() - HOUR_MS)]) {
  await ensurePartitions(pool, HIT_PARTITIONS, at)
}
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
  await rows(
    `update emails set cc = jsonb_insert(cc::jsonb, '{0}', '{"address": "Gone@erased.example", "name": null}')::json,
       bcc = jsonb_insert(bcc::jsonb, '{0}', '"gone@erased.example"')::json,
       further_to = '[{"address": "gone@erased.example", "name": null}]' where message_id = $1`,
    [stays],
  )
  const totals = () => rows('select kind, sum(total)::int as total from message_totals group by 1 order by 1')
  const [waiting] = await totals()
  assert.deepEqual(waiting, { kind: 'pending', total: 1 })

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
  assert.deepEqual(await totals(), [
    { kind: 'pending', total: 0 },
    { kind: 'skipped:contact_gone', total: 1 },
  ])
  assert.equal((await rows('select from email_attachments')).length, 1)
  const [copies] = await rows('select cc, bcc, further_to as "furtherTo" from emails where message_id = $1', [stays])
  assert.deepEqual(
    [copies!.cc, copies!.bcc, copies!.furtherTo].map((json) => JSON.parse(json)),
    [[{ address: 'team@example.com', name: 'For stays@kept.example' }], ['stays@kept.example'], []],
  )
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

/** A worker has it in hand, at a server that is in no hurry: what it knows of the message, it knows from here. */
async function claimed(id: string): Promise<Claim> {
  const [message] = await rows(
    `with q as (update message_queue set slot = 0, turn = 1, handing_at = now() where message_id = $1 returning stream_id, message_id)
     select m.workspace_id as "workspaceId", m.id, m.created_at as "createdAt", ${ORIGIN}, m.contact_id as "contactId", m.destination,
       1 as attempt, q.stream_id as "streamId", 0 as slot, '1' as turn, '1' as "integrationId", 3600000 as "expiresInMs"
     from q join messages m on m.id = q.message_id`,
    [id],
  )
  return message as Claim
}

const ended = (claim: Claim, verdict: Verdict, reply: string) =>
  recordResults(pool, [
    { claim, verdict, provider: 'smtp', sendingDomain: 'shop.example', reply, clearsBackoff: false },
  ])
const ACCEPTED = { verdict: 'accepted', providerMessageId: null } as const
const BOUNCED = { verdict: 'failed', reason: 'address_refused', cause: 'address', bounce: 'permanent' } as const
const DEFERRED = { verdict: 'again', afterMs: 0, countsAttempt: true, log: 'deferred', cause: 'transient' } as const

test('mail to the address of somebody who is erased is waited for, whoever it was to, and tells nothing afterwards', async () => {
  const early = await mail(null, 'slow@erased.example')
  const { id } = await contact('slow@erased.example')
  const waiting = await mail(id, 'slow@erased.example')
  const claim = await claimed(early)
  await erasePerson(deps, caller, { id })
  assert.equal(await sweep(), 'later')
  const left = await rows('select q.message_id as id from message_queue q where q.message_id in ($1, $2)', [
    early,
    waiting,
  ])
  assert.deepEqual(left, [{ id: early }], 'what waits is taken back, so that no worker begins with it')
  const [taken] = await rows('select state, reason, destination from messages where id = $1', [waiting])
  assert.deepEqual(taken, { state: 'skipped', reason: 'contact_gone', destination: '' })
  // Put off for no time at all it waits again, and is taken back.
  await ended(claim, DEFERRED, '450 4.2.1 <slow@erased.example> try later')
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rowsSpelling(database.superuserUrl, ['slow@erased.example']), [])
})

test('the result of a message whose address is gone by then tells nobody, and keeps no reply', async () => {
  for (const verdict of [ACCEPTED, { ...DEFERRED }, BOUNCED]) {
    const id = await mail(null, 'gone-meanwhile@erased.example')
    const claim = await claimed(id)
    await inTx((tx) => forgetMessages(tx, workspaceId, [id]))
    assert.equal((await ended(claim, verdict, '550 5.1.1 <gone-meanwhile@erased.example> who?')).length, 1)
    const [row] = await rows('select reply, provider_message_id as named from messages where id = $1', [id])
    assert.deepEqual(row, { reply: null, named: null }, verdict.verdict)
    assert.deepEqual(await rows('select from message_attempts where message_id = $1 and reply is not null', [id]), [])
  }
  assert.deepEqual(await rows(`select from outbox where email = 'gone-meanwhile@erased.example'`), [])
})

test('the result of a message to a contact that was merged meanwhile is told of the survivor', async () => {
  const [survivor, other] = [await contact('stays@inflight.example'), await contact('goes@inflight.example')]
  const claim = await claimed(await mail(other.id, 'goes@inflight.example'))
  await mergeContacts(deps, caller, { id: survivor.id, otherId: other.id })
  await ended(claim, ACCEPTED, '250 ok')
  const told = await rows(`select contact_id as "contactId", data ->> 'contactId' as data from outbox
    where type = 'email.sent' and email = 'goes@inflight.example'`)
  assert.deepEqual(told, [{ contactId: survivor.id, data: survivor.id }])
  assert.equal(await sweep(), 'done')
})

test('an erasure comes before whoever tells of a message, or after', async () => {
  const { id } = await contact('read@erased.example')
  const message = await mail(id, 'read@erased.example')
  await rows(
    `insert into message_hits (workspace_id, message_id, at, kind, signals) values ($1, $2, now() - interval '1 hour', 'open', '{}')`,
    [workspaceId, message],
  )
  const looks: ((tx: Transaction) => Promise<{ destination: string | null }[]>)[] = [
    (tx) => hitsToJudge(tx, workspaceId, 10),
    (tx) => messagesWithIds(tx, workspaceId, [message]),
  ]
  await erasePerson(deps, caller, { id })
  const waits = `select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`
  for (const look of looks) {
    let sweeping: Promise<string> | undefined
    await inTx(async (tx) => {
      assert.equal((await look(tx))[0]?.destination, 'read@erased.example')
      sweeping = sweep()
      await eventually('the sweep waits', async () => (await pool.query(waits)).rowCount !== 0)
      // It leaves the row alone, as one does that is cut off.
      throw new Error('undone')
    }).catch((error: Error) => assert.equal(error.message, 'undone'))
    await sweeping!.catch(() => undefined)
    await rows(`update messages set destination = 'read@erased.example' where id = $1`, [message])
    await rows(`update erasures set state = 'pending', finished_at = null, aliases = '{}' where contact_id = $1`, [id])
    await rows(
      `insert into message_hits (workspace_id, message_id, at, kind, signals) values ($1, $2, now() - interval '1 hour', 'open', '{}')`,
      [workspaceId, message],
    )
  }
  assert.equal(await sweep(), 'done')
  assert.deepEqual(await rowsSpelling(database.superuserUrl, ['read@erased.example']), [])
})

test('mail to an address that a merge dropped goes with the person, though nobody has the address in the clear', async () => {
  const [survivor, other] = [await contact('new@dropped.example'), await contact('old@dropped.example')]
  const [first, stays] = [await mail(null, 'old@dropped.example'), await mail(null, 'older@dropped.example')]
  await mergeContacts(deps, caller, { id: survivor.id, otherId: other.id })
  await erasePerson(deps, caller, { id: survivor.id })
  assert.equal(await sweep(), 'done')
  const left = await rows(`select id, destination from messages where id in ($1, $2) order by id`, [first, stays])
  assert.deepEqual(left, [
    { id: first, destination: '' },
    { id: stays, destination: 'older@dropped.example' },
  ])
  assert.deepEqual(await rowsSpelling(database.superuserUrl, [' old@dropped.example']), [])
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
