import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { eventually } from '../../../test/support/eventually.ts'
import { NO_FORMS } from '../../../test/support/no-forms.ts'
import { readAll, watched } from '../../../test/support/outbox-rows.ts'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { rowsSpelling } from '../../../test/support/search-database.ts'
import { secondProcess, testWorkspace } from '../../../test/support/workspace.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { commitJobs } from '../../platform/jobs/testing.ts'
import { registerGroups } from '../../platform/outbox/consumer.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { enrollAutomations } from '../automations/entry/enroll-automations.ts'
import { createBulkAct, readBulkAct } from '../bulk-acts/bulk-acts.ts'
import { runBulkAct } from '../bulk-acts/run-bulk-act.ts'
import { createContact } from '../contacts/create-contact.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { appendBrowserEventsStatement } from '../events/append-browser-events.ts'
import { persistEvent } from '../events/persist-event.ts'
import { appendRecordedEventsStatement } from '../events/queries.ts'
import { readEvent } from '../events/recorded-event.ts'
import { pruneJournal } from '../restoration/journal-entries.ts'
import { updateSuppression } from '../suppression/update-suppression.ts'
import { eraseAgain } from './erase-again.ts'
import { enqueueSweep, eraseContact } from './erase-contact.ts'
import { createEraseSome } from './erase-people.ts'
import { erasePerson } from './erase-person.ts'
import { STAGES } from './sweep-queries.ts'

const { database, pool, workspaceId, caller } = await testWorkspace()
await ensureAllPartitions(pool)
await migrateJobs(pool, ['default'])
const groups = [persistEvent, enrollAutomations, updateSuppression]
await registerGroups(pool, groups)

const deps = { sql: pool, forms: NO_FORMS, enqueueSweep: async () => undefined }
const never = new AbortController().signal
const sweep = (signal = never) => eraseContact({ pool }, workspaceId, signal, 0)
const handle = (group: ConsumerGroup) => readAll(watched(pool), group, { rowsMax: 5_000, attempts: 0 })
const handleAll = async () => void (await Promise.all(groups.map(handle)))
const scoped = (text: string, values: unknown[] = []) => queryInScope(pool, workspaceId, { text, values })

let n = 0
async function person() {
  const email = `sweep-${++n}@erased.example`
  const contact = await createContact(deps, caller, { email, subjectId: `sweep-subject-${n}` })
  return { email, subjectId: `sweep-subject-${n}`, id: contact.id }
}

function recorded(email: string, count = 1, action = 'visit') {
  const read = readEvent({ email, action })
  assert.ok('event' in read)
  return appendRecordedEventsStatement([{ workspaceId, events: Array.from({ length: count }, () => read.event) }])
}
const record = (email: string, count?: number) => queryInScope(pool, ALL_WORKSPACES, recorded(email, count))
const spelling = (texts: readonly string[]) => rowsSpelling(database.superuserUrl, texts)

test('an event whose writer had found the contact before it was erased does not bring the person back', async () => {
  const { id, email } = await person()
  await handleAll()
  const late = await secondProcess(database, { connections: 1 }).connect()
  try {
    // The steps of a statement, microseconds apart: it locks its tables, then takes its snapshot, then writes.
    await late.query(`begin isolation level repeatable read; set local postroom.workspace = '*'`)
    await late.query('lock table outbox in row exclusive mode')
    await late.query('select from contacts limit 1')
    await erasePerson(deps, caller, { id })
    await handleAll()
    assert.equal((await sweep()).end, 'later', 'the writer has yet to write')
    await late.query(recorded(email))
    await late.query('commit')
  } finally {
    late.release()
  }
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([email]), [])
  assert.deepEqual(await scoped('select from events where contact_id = $1 and type <> $2', [id, 'contact.erased']), [])
})

test('an erasure takes three turns with the database, as every event waits for its end', async (t) => {
  const { id } = await person()
  let [turns, unanswered] = [0, 0]
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  t.mock.method(pool, 'connect', async () => {
    const client = await connect()
    const query = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>
    t.mock.method(client, 'query', (...asked: unknown[]) => {
      if (unanswered++ === 0) turns++
      return query(...asked).finally(() => unanswered--)
    })
    return client
  })
  await erasePerson({ ...deps, enqueueSweep }, caller, { id })
  t.mock.reset()
  assert.equal(turns, 3, 'to find, to write, to commit')
  await pool.query('delete from jobs.job')
})

test('a sweep waits for every group, so that none writes an effect behind it', async () => {
  const { id, email, subjectId } = await person()
  await record(email, 3)
  await erasePerson(deps, caller, { id })
  for (const group of groups) {
    assert.equal((await sweep()).end, 'later', group.group)
    await handle(group)
  }
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([email, subjectId]), [])
})

test('a sweep that is stopped after any step goes on from there', async () => {
  const { id, email, subjectId } = await person()
  await record(email, 2_500)
  await handleAll()
  await erasePerson(deps, caller, { id })
  await handleAll()
  const stages: string[] = []
  for (let runs = 0; ; runs++) {
    assert.ok(runs < 100, stages.join())
    // Lets one step happen, as a process does that is asked to stop meanwhile.
    let asked = 0
    const stopping = Object.defineProperty({}, 'aborted', { get: () => asked++ > 0 }) as AbortSignal
    const { end } = await sweep(stopping)
    const [row] = await scoped('select stage from personal_data_sweeps')
    if (row) stages.push(row.stage)
    if (end === 'done') break
  }
  assert.deepEqual([...new Set(stages)], [...STAGES])
  assert.ok(stages.filter((stage) => stage === 'events').length >= 1)
  assert.deepEqual(await spelling([email, subjectId]), [])
})

test('many persons are swept in one pass, and nobody else loses a thing', async () => {
  const erased = await Promise.all(Array.from({ length: 20 }, person))
  const stays = await person()
  for (const { email } of [...erased, stays]) await record(email, 5)
  await handleAll()
  await Promise.all(erased.map(({ id }) => erasePerson(deps, caller, { id })))
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling(erased.flatMap(({ email, subjectId }) => [`${email}`, `"${subjectId}"`])), [])
  const [left] = await scoped(`select count(*) as events from events where contact_id = $1`, [stays.id])
  assert.equal(left!.events, '6')
})

test('what is parked about a person goes, whatever it could not be handled for', async () => {
  const { id, email } = await person()
  await record(email)
  await handleAll()
  await inTransaction(pool, ALL_WORKSPACES, (tx) =>
    tx.query(
      `insert into outbox_parked (consumer_group, tx, position, recorded_at, workspace_id, error, attempts)
       select 'persist', tx, position, recorded_at, workspace_id, 'cannot store ' || email, 5 from outbox where email = $1`,
      [email],
    ),
  )
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([email]), [])
})

test('jobs that name a person go and errors that quote it are wiped; others stay', async () => {
  const { id, email } = await person()
  const job = (payload: Record<string, unknown>) => ({ queue: 'default', kind: 'test', payload, delayMs: 3_600_000 })
  await commitJobs(pool, [
    job({ workspaceId, contactId: id }),
    job({ workspaceId, send: { to: [{ destination: email }] } }),
    job({ workspaceId, contactId: `${id}0`, note: 'stays' }),
    job({ workspaceId: `${workspaceId}0`, contactId: id, note: 'another workspace' }),
  ])
  await pool.query(`update jobs.job_common set output = $1 where data -> 'payload' ->> 'note' = 'stays'`, [
    JSON.stringify({ error: `no such ${email}` }),
  ])
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  const { rows } = await pool.query<{ note: string; output: string | null }>(
    `select data -> 'payload' ->> 'note' as note, output from jobs.job_common order by 1`,
  )
  assert.deepEqual(rows, [
    { note: 'another workspace', output: null },
    { note: 'stays', output: null },
  ])
})

test('the journal keeps hashes that recognise the person, and no alias in the clear', async () => {
  const { id, email } = await person()
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  const rows = await scoped(
    `select state, aliases, contact_ids::text[] as ids, alias_hash($1, 'email', $2) = any (alias_hashes) as known, actor_kind
     from erasures where contact_id = $3`,
    [workspaceId, email, id],
  )
  assert.deepEqual(rows, [{ state: 'done', aliases: null, ids: [id], known: true, actor_kind: 'api_token' }])
})

test('a sweep that somebody keeps waiting lets the log go on', async () => {
  const { id, email } = await person()
  await scoped(
    `insert into webhook_endpoints (workspace_id, url, secret) values ($1, 'https://example.com/', 'sealed')`,
    [workspaceId],
  )
  await record(email, 20)
  await handleAll()
  await erasePerson(deps, caller, { id })
  await handleAll()
  const locker = await secondProcess(database, { connections: 1 }).connect()
  let sweeping: Promise<{ end: string }>
  try {
    // Without an id of its own the transaction of the locker holds nothing back itself.
    await locker.query('begin; lock table deliveries in share mode')
    sweeping = sweep()
    const isWaiting = `select from pg_locks where relation = 'deliveries'::regclass and not granted`
    await eventually('the sweep waits', async () => (await pool.query(isWaiting)).rowCount === 1)
    const other = await person()
    await record(other.email)
    const stored = () => scoped('select from events where email = $1 and type = $2', [other.email, 'event.recorded'])
    const isRead = async () => {
      await handleAll()
      return (await stored()).length === 1
    }
    await eventually('an event that came later is stored', isRead)
    assert.equal((await locker.query('select txid_current_if_assigned() as id')).rows[0].id, null)
    await locker.query('rollback')
  } finally {
    locker.release()
  }
  assert.equal((await sweeping).end, 'done')
  assert.deepEqual(await spelling([email]), [])
})

test('a hundred people with client ids and deliveries are swept, and nobody else loses a thing', async () => {
  const people: Awaited<ReturnType<typeof person>>[] = []
  while (people.length < 100) people.push(await person())
  const stays = await person()
  await scoped(
    `insert into event_client_ids (workspace_id, client_id)
     select $1, 'order of ' || email from unnest($2::text[]) email`,
    [workspaceId, [...people, stays].map(({ email }) => email)],
  )
  for (let n = 0; n < people.length; n++) if (n % 10 === 0) await record(people[n]!.email, 20)
  await record(stays.email)
  await handleAll()
  const deliver = `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body)
    select $1, e.id, v.id, v.name, v.email from webhook_endpoints e, events v where v.type = 'event.recorded'`
  await scoped(deliver, [workspaceId])
  for (const { id } of people) await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  const counts =
    await scoped(`select (select count(*) from event_client_ids) as ids, (select count(*) from deliveries) as told,
    (select count(*) from events where type = 'event.recorded') as events`)
  const others = await scoped(`select from events where type = 'event.recorded' and email <> all ($1)`, [
    people.map(({ email }) => email),
  ])
  assert.deepEqual(counts, [{ ids: '1', told: String(others.length), events: String(others.length) }])
})

test('deliveries about somebody new who has the address of an erased person keep their bytes, as long as nothing is taken out of them', async () => {
  const { id, email } = await person()
  await handleAll()
  await erasePerson(deps, caller, { id })
  const { id: newcomer } = await createContact(deps, caller, { email })
  await record(email)
  await handleAll()
  await scoped(
    `insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body)
      select $1, 78, id, name, 'as it was' from events where workspace_id = $1 and contact_id = $2`,
    [workspaceId, newcomer],
  )
  while ((await sweep()).end !== 'done') await handleAll()
  const told = await scoped('select body from deliveries where endpoint_id = 78')
  assert.deepEqual(told, [{ body: 'as it was' }, { body: 'as it was' }])
})

test('an address that somebody else had before is in nothing that is told of them, once its last owner is erased', async () => {
  const before = await person()
  const other = `other-${n}@erased.example`
  await updateContact(deps, caller, { id: before.id, body: { phone: '+4930123456' } })
  await updateContact(deps, caller, { id: before.id, body: { email: other } })
  const { id } = await createContact(deps, caller, { email: before.email })
  await handleAll()
  await erasePerson(deps, caller, { id })
  while ((await sweep()).end !== 'done') await handleAll()
  assert.deepEqual(await spelling([before.email]), [])
  const kept = await scoped(
    `select type, data ->> 'subjectId' as subject, data ->> 'phone' as phone from events where contact_id = $1 order by id`,
    [before.id],
  )
  assert.deepEqual(
    kept.map(({ type, subject }) => [type, subject]),
    [
      ['contact.created', before.subjectId],
      ['contact.updated', before.subjectId],
      ['contact.updated', before.subjectId],
    ],
  )
  assert.equal(kept[1]!.phone, '+4930123456')
})

test('filters of bulk acts name nobody who was erased, and none becomes everybody', async () => {
  const { id, email, subjectId } = await person()
  const eraseSome = createEraseSome(deps)
  const bulk = { sql: pool, pool, segmentFilter: async () => undefined, shouldYield: () => false, eraseSome }
  const start = (filter: Record<string, string>) => createBulkAct(bulk, caller, { act: 'tag', tag: 'found', filter })
  const [done, waiting, others] = [
    await start({ email: email.toUpperCase(), search: 'erased' }),
    await start({ search: subjectId }),
    await start({ search: 'nobody of this name' }),
  ]
  await runBulkAct(bulk, { workspaceId, id: done.id })
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  const read = async (act: string) => {
    const { state, filter, failure } = await readBulkAct(bulk, { workspaceId, id: act })
    return { state, filter: JSON.parse(filter), failure }
  }
  assert.deepEqual(await read(done.id), {
    state: 'done',
    filter: { email: '(erased)', search: 'erased' },
    failure: null,
  })
  assert.deepEqual(await read(waiting.id), {
    state: 'failed',
    filter: { search: '(erased)' },
    failure: 'Its filter named a person who was erased before it was applied.',
  })
  assert.equal((await read(others.id)).state, 'running')
  await runBulkAct(bulk, { workspaceId, id: waiting.id })
  assert.deepEqual(await scoped(`select from contact_tags`), [])
  assert.deepEqual(await spelling([email, subjectId]), [])
})

const hashOf = async (kind: string, alias: string) => {
  const [row] = await scoped(`select encode(alias_hash($1, $2, $3), 'hex') as hash`, [workspaceId, kind, alias])
  return row!.hash as string
}

test('what a journal knows of an erasure beyond the one that is there is added to it, and swept for', async () => {
  const { id, email } = await person()
  const lost = `lost-${email}`
  const message = async (destination: string) => {
    const [row] = await scoped(
      `insert into messages (workspace_id, purpose, source_kind, destination, state, settled_at)
       values ($1, 'transactional', 'email', $2, 'accepted', now()) returning id`,
      [workspaceId, destination],
    )
    return row!.id as string
  }
  const theirs = await message(lost)
  await record(lost)
  const contactIds = [id, String(BigInt(id) + 1_000_000n)]
  const aliasHashes = [await hashOf('email', email), await hashOf('email', lost)]
  assert.equal(await eraseAgain(deps, caller, { contactIds, aliasHashes }), true, 'the contact is there')
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  const known = `select contact_ids::text[] as ids, cardinality(alias_hashes) as hashes, state from erasures where contact_id = $1`
  assert.deepEqual(await scoped(known, [id]), [{ ids: contactIds, hashes: 3, state: 'done' }])
  assert.deepEqual(await scoped('select destination from messages where id = $1', [theirs]), [{ destination: '' }])
  assert.deepEqual(await spelling([email, lost]), [])

  assert.equal(await eraseAgain(deps, caller, { contactIds, aliasHashes }), false, 'all of it is erased')
  const later = `later-${email}`
  await message(later)
  const wider = { contactIds: [id], aliasHashes: [await hashOf('email', later)] }
  assert.equal(await eraseAgain(deps, caller, wider), true)
  assert.deepEqual(await scoped(known, [id]), [{ ids: contactIds, hashes: 4, state: 'pending' }])
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([later]), [])
})

test('old entries of the journal go in steps, however many they are', async () => {
  const many = 12_000
  await scoped(
    `insert into journal_entries (workspace_id, kind, row_id, gone, at)
     select $1, 'suppression', n, true, now() - interval '31 days' from generate_series(1, ${many}) n`,
    [workspaceId],
  )
  const before = await scoped('select count(*)::int as n from journal_entries')
  const steps: number[] = []
  while (steps.at(-1) !== 0) steps.push(await pruneJournal(pool, () => true))
  assert.ok(steps.length > 3 && steps.every((rows) => rows <= 5_000), steps.join())
  const left = await scoped('select count(*)::int as n from journal_entries')
  assert.equal(before[0]!.n - left[0]!.n, many)
})

test('what an agent asked to mail to a person is in no request any more', async () => {
  const { id, email } = await person()
  const plan = {
    name: 'Welcome',
    people: [email],
    preview: { subject: `Hello ${email}`, html: email, text: email },
    mails: [],
  }
  await scoped(
    `insert into approvals (workspace_id, act, template_id, contact_id, content_hash, recipients_count, plan, note, asked_by, expires_at)
     values ($1, 'email', 1, $2, sha256(''), 1, $3, $4, '{}', now() + interval '1 day')`,
    [workspaceId, id, JSON.stringify(plan), `${email} asked for it`],
  )
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([email]), [])
  const [left] = await scoped('select plan, note, status from approvals where contact_id = $1', [id])
  const shown = JSON.parse(left!.plan) as Record<string, unknown>
  assert.deepEqual([shown.name, shown.preview, left!.note, left!.status], ['Welcome', null, '', 'waiting'])
})

test('what a browser did before it was recognised is in no table any more, the log included, once its person is erased', async () => {
  const { id } = await person()
  const visitorId = 'before-it-was-recognised'
  const event = {
    ...{ action: 'page.view', properties: '{"url":"https://shop.example/secret-wish"}', visitorId },
    ...{
      occurredAt: new Date().toISOString(),
      idHash: Buffer.alloc(16, 7),
      day: new Date().toISOString().slice(0, 10),
    },
  }
  await queryInScope(pool, ALL_WORKSPACES, appendBrowserEventsStatement([{ workspaceId, events: [event] }]))
  await handleAll()
  await scoped(`update events set contact_id = $1 where visitor_id = $2`, [id, visitorId])
  await erasePerson(deps, caller, { id })
  await handleAll()
  assert.equal((await sweep()).end, 'done')
  assert.deepEqual(await spelling([visitorId, 'secret-wish']), [])
})
