import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTransaction, somebodyWaits } from '../../../test/support/open-transaction.ts'
import { seededRandom, seedFrom } from '../../../test/support/seeded-random.ts'
import { callerOf, createWorkspace, testWorkspace } from '../../../test/support/workspace.ts'
import { QUEUES } from '../../catalogue/queues.ts'
import { inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { etagOf } from '../../platform/etag.ts'
import { migrateJobs } from '../../platform/jobs/schema.ts'
import { createTopic } from '../topics/manage-topics.ts'
import { createUnsubscribe } from '../unsubscribes/manage-unsubscribes.ts'
import { unsubscribe } from '../unsubscribes/unsubscribe.ts'
import { createImport } from './create-import.ts'
import { deleteImport } from './delete-import.ts'
import { cancelImport } from './end-import.ts'
import { discardFiles, type ErrorKey, eraseImportErrors } from './erase-from-files.ts'
import { contactsToExportStatement, type ExportedRow } from './export-queries.ts'
import { importContacts, noteFailedRun, SLICE_ROWS } from './import-contacts.ts'
import { importForChange } from './queries.ts'
import { importOf, readErrors, readImport } from './read-imports.ts'
import { beginImport, startImport } from './start-import.ts'
import { CHUNK_BYTES, clearFiles, type Quota } from './stored-files.ts'

const { pool } = await testWorkspace()
await migrateJobs(pool, QUEUES)
const deps = { sql: pool, pool }
const seed = seedFrom('IMPORT_SEED')
console.log(`IMPORT_SEED=${seed}`)
const random = seededRandom(seed)
const below = (count: number) => Math.floor(random() * count)

/** A file in pieces of any size. */
async function* pieces(text: string, bytesMax = 100_000): AsyncGenerator<Buffer> {
  const file = Buffer.from(text)
  for (let at = 0; at < file.length; ) {
    const bytes = 1 + below(bytesMax)
    yield file.subarray(at, at + bytes)
    at += bytes
  }
}

async function uploaded(csv: string) {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const row = await createImport(deps, caller, { content: pieces(csv), fileName: null, start: false })
  return { workspaceId, caller, id: row.id }
}

async function count(workspaceId: string, table: string): Promise<number> {
  const text = `select count(*) from ${table} where workspace_id = $1`
  const [row] = await queryInScope<{ count: string }>(pool, workspaceId, { text, values: [workspaceId] })
  return Number(row!.count)
}

const run = (workspaceId: string, shouldYield = () => false) => importContacts({ ...deps, shouldYield }, workspaceId)

/** A file of several pieces, with what makes it hard to cut: quotes, line ends in values, letters of several bytes. */
function longFile(): { csv: string; emails: string[]; faults: number[] } {
  const lines = ['email,"first name",note']
  const emails: string[] = []
  const faults: number[] = []
  let line = 2
  for (let bytes = 0; bytes < 1.2 * CHUNK_BYTES || emails.length < 2 * SLICE_ROWS + 100; ) {
    const email = below(50) === 0 ? 'nobody' : `p${emails.length}-${below(10)}@example.com`
    const note = ['', 'plain', '"a ""quoted"" word"', '"two\nlines"', '"Zürich 👩‍💻 東京"'][below(5)]!
    const text = `${email},Ada,${note}${'x'.repeat(note.endsWith('"') ? 0 : below(400))}`
    if (email === 'nobody') faults.push(line)
    else emails.push(email)
    line += text.split('\n').length
    bytes += Buffer.byteLength(text) + 1
    lines.push(text)
  }
  return { csv: `${lines.join('\n')}\n`, emails, faults }
}

test('however often an import is interrupted, every row is imported once, and faults know their lines', async () => {
  const { csv, emails, faults } = longFile()
  const { workspaceId, caller, id } = await uploaded(csv)
  await startImport(deps, caller, { id, body: {} })
  let turns = 0
  // Each turn ends after one slice, as a process that is stopped.
  while ((await run(workspaceId, () => true)) === 'more') turns++
  assert.ok(turns >= emails.length / SLICE_ROWS - 1, `seed ${seed}`)
  const row = await readImport(pool, workspaceId, id)
  const counts = [row.state, row.rowsCreated, row.rowsFailed, row.rowsTotal, row.fileId]
  assert.deepEqual(counts, [
    'done',
    String(emails.length),
    String(faults.length),
    String(emails.length + faults.length),
    null,
  ])
  const stored = await queryInScope<{ email: string }>(pool, workspaceId, {
    text: 'select email from contacts where workspace_id = $1 order by id',
    values: [workspaceId],
  })
  assert.deepEqual(
    stored.map(({ email }) => email),
    emails,
    `seed ${seed}`,
  )
  const { items } = await readErrors(pool, workspaceId, { id, query: { page: 1, pageSize: 1_000 } })
  assert.deepEqual(
    items.map(({ line }) => line),
    faults,
    `seed ${seed}`,
  )
})

test('values that JSON in the database cannot hold fail their rows only', async () => {
  const rest = `${'x'.repeat(99)}😀`
  const { workspaceId, caller, id } = await uploaded(
    `email,note\na@example.com,a\0b\nb@example.com,${rest}\nc@example.com,c\n`,
  )
  await startImport(deps, caller, { id, body: {} })
  assert.equal(await run(workspaceId), 'done')
  const row = await readImport(pool, workspaceId, id)
  assert.deepEqual([row.state, row.rowsCreated, row.rowsFailed], ['done', '2', '1'])
  const waiting = await createImport(deps, caller, {
    content: pieces(`email,note\na@example.com,a\0b\nb@example.com,${rest}\n`),
    fileName: null,
    start: false,
  })
  assert.equal((await cancelImport(deps, caller, waiting.id)).state, 'canceled')
})

test('two runs of one import at once do each slice once', async () => {
  const { csv, emails } = longFile()
  const { workspaceId, caller, id } = await uploaded(csv)
  await startImport(deps, caller, { id, body: {} })
  await Promise.all([run(workspaceId), run(workspaceId), run(workspaceId)])
  const row = await readImport(pool, workspaceId, id)
  assert.deepEqual([row.state, row.rowsCreated, row.rowsUpdated], ['done', String(emails.length), '0'])
  assert.equal(await count(workspaceId, 'contacts'), emails.length)
})

test('a canceled import stops between two slices and keeps what it has', async () => {
  const { csv, emails } = longFile()
  const { workspaceId, caller, id } = await uploaded(csv)
  await startImport(deps, caller, { id, body: {} })
  assert.equal(await run(workspaceId, () => true), 'more')
  await cancelImport(deps, caller, id)
  assert.equal(await run(workspaceId), 'done')
  const row = await readImport(pool, workspaceId, id)
  assert.equal(row.state, 'canceled')
  const made = await count(workspaceId, 'contacts')
  assert.ok(made > 0 && made < emails.length)
  assert.equal(await count(workspaceId, 'file_chunks'), 0)
})

test('a file that breaks off or is too large leaves nothing behind', async () => {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const broken = async function* () {
    yield* pieces('email\n'.repeat(500_000))
    throw new Error('the sender went away')
  }
  const given = { fileName: null, start: false }
  await assert.rejects(createImport(deps, caller, { ...given, content: broken() }), /went away/)
  const large = createImport(deps, caller, { ...given, content: pieces('email\n'.repeat(500)), bytesMax: 2_999 })
  await assert.rejects(large, (error: { statusCode?: number }) => error.statusCode === 413)
  for (const table of ['stored_files', 'file_chunks', 'imports'])
    assert.equal(await count(workspaceId, table), 0, table)
})

test('a workspace has room for so many uploads and so many bytes of them, and gets it back', async () => {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const upload = (bytes: number, quota: Quota) => {
    const content = pieces('email\n'.padEnd(bytes, 'a@example.com\n'))
    return createImport(deps, caller, { fileName: null, start: false, content, quota })
  }
  const isFull = (error: { code?: string }) => error.code === 'limit-reached'
  const roomy = { files: 9, bytes: 10 * CHUNK_BYTES }
  const first = await upload(CHUNK_BYTES, roomy)
  await upload(100, { files: 2, bytes: roomy.bytes })
  await assert.rejects(upload(100, { files: 2, bytes: roomy.bytes }), isFull)
  await assert.rejects(upload(3 * CHUNK_BYTES, { files: 9, bytes: 3 * CHUNK_BYTES }), isFull)
  assert.equal(await count(workspaceId, 'stored_files'), 2, 'what was refused is not kept')
  await deleteImport(deps, caller, { id: first.id })
  await upload(100, { files: 2, bytes: CHUNK_BYTES })
  const atOnce = await Promise.allSettled(
    Array.from({ length: 8 }, () => upload(100, { files: 5, bytes: roomy.bytes })),
  )
  assert.equal(atOnce.filter(({ status }) => status === 'fulfilled').length, 3)
})

test('a deleted import is gone with its file and its failed rows, but not while it runs', async () => {
  const { workspaceId, caller, id } = await uploaded('email\nbad address\nada@example.com\n')
  await startImport(deps, caller, { id, body: {} })
  const deleted = () => deleteImport(deps, caller, { id })
  await assert.rejects(deleted(), /is running/)
  await run(workspaceId)
  assert.equal(await count(workspaceId, 'import_errors'), 1)
  await deleted()
  for (const table of ['imports', 'import_errors', 'stored_files', 'file_chunks']) {
    assert.equal(await count(workspaceId, table), 0, table)
  }
  assert.equal(await count(workspaceId, 'contacts'), 1, 'imported contacts stay')
  await assert.rejects(deleted(), (error: { statusCode?: number }) => error.statusCode === 404)
})

test('an import that another changes first is not deleted as the one that was read', async () => {
  const { workspaceId, caller, id } = await uploaded('email\nada@example.com\n')
  const ifMatch = etagOf(importOf(await readImport(pool, workspaceId, id)))
  const text = `update imports set state = 'canceled', ended_at = now(), updated_at = now() where id = $1`
  const canceling = await openTransaction(pool, (tx) => tx.query(text, [id]), workspaceId)
  const refused = assert.rejects(deleteImport(deps, caller, { id, ifMatch }), { statusCode: 412 })
  refused.catch(() => undefined)
  await somebodyWaits(pool)
  await canceling.commit()
  await refused
  assert.equal(await count(workspaceId, 'imports'), 1)
})

test('a person is erased from files that wait and from rows that failed', async () => {
  const csv = 'email,phone\nbad address,+1\n Someone@Example.com ,"long'
  const { workspaceId, caller, id } = await uploaded(csv)
  await startImport(deps, caller, { id, body: { mapping: { email: 'email' } } })
  await run(workspaceId)
  const waiting = await createImport(deps, caller, {
    content: pieces('email\nx@example.com\n'),
    fileName: null,
    start: false,
  })
  const errors = async () =>
    (await readErrors(pool, workspaceId, { id, query: { page: 1, pageSize: 10 } })).items.length
  assert.equal(await errors(), 2)
  await inTransaction(pool, workspaceId, async (tx) => {
    await discardFiles(tx, workspaceId, null)
    const given = { aliases: ['+1', 'x@example.com'], rowsMax: 1 }
    let after: ErrorKey | undefined = { importId: '0', line: '0' }
    while (after) after = await eraseImportErrors(tx, workspaceId, { ...given, after })
  })
  await clearFiles(pool, workspaceId)
  assert.equal(await errors(), 1)
  for (const table of ['stored_files', 'file_chunks']) assert.equal(await count(workspaceId, table), 0, table)
  const row = await readImport(pool, workspaceId, waiting.id)
  assert.doesNotMatch(row.columns, /x@example/)
  await assert.rejects(startImport(deps, caller, { id: waiting.id, body: {} }), /expired/)
})

test('an import that fails again and again is given up, and one more slice begins the count anew', async () => {
  const { csv } = longFile()
  const { workspaceId, caller, id } = await uploaded(csv)
  await startImport(deps, caller, { id, body: {} })
  const fail = async (times: number) => {
    for (let run = 0; run < times; run++) await noteFailedRun(pool, workspaceId)
    return (await readImport(pool, workspaceId, id)).state
  }
  assert.equal(await fail(11), 'running')
  await run(workspaceId, () => true)
  assert.equal(await fail(11), 'running')
  assert.equal(await fail(1), 'failed')
  const { failure, rowsCreated } = await readImport(pool, workspaceId, id)
  assert.match(failure ?? '', /again and again/)
  assert.equal(await count(workspaceId, 'contacts'), Number(rowsCreated))
})

test('an import that overwrites replaces what its rows state, and empty values say nothing', async () => {
  const { workspaceId, caller, id } = await uploaded('email,first name,last name\na@example.com,Ada,King\n')
  await startImport(deps, caller, { id, body: {} })
  await run(workspaceId)
  const csv = 'email,first name,last name\na@example.com,Bea,\n'
  const names = async () => {
    const text = `select first_name as first, last_name as last from contacts where workspace_id = $1`
    return queryInScope(pool, workspaceId, { text, values: [workspaceId] })
  }
  for (const [mode, first] of [
    ['fill', 'Ada'],
    ['overwrite', 'Bea'],
  ] as const) {
    const { id: next } = await createImport(deps, caller, { content: pieces(csv), fileName: null, start: false })
    await startImport(deps, caller, { id: next, body: { mode } })
    await run(workspaceId)
    assert.deepEqual(await names(), [{ first, last: 'King' }])
  }
})

test('fields that a file brings are named as its columns, where their key says the same', async () => {
  const { workspaceId, caller, id } = await uploaded(
    'email,Member since,Lieblingsfarbe,MMERGE4\na@x.de,31.01.2024,rot,12\n',
  )
  const mapping = {
    email: 'email',
    'Member since': 'custom:member_since',
    Lieblingsfarbe: 'custom:lieblingsfarbe',
    MMERGE4: 'custom:visits',
  }
  await startImport(deps, caller, { id, body: { mapping, consent: 'confirmed' } })
  const fields = () =>
    queryInScope<{ key: string; name: string; type: string }>(pool, workspaceId, {
      text: 'select key, name, type from custom_fields where workspace_id = $1 order by key',
      values: [workspaceId],
    })
  const named = [
    { key: 'lieblingsfarbe', name: 'Lieblingsfarbe', type: 'string' },
    { key: 'member_since', name: 'Member since', type: 'date' },
    { key: 'visits', name: 'visits', type: 'number' },
  ]
  assert.deepEqual(await fields(), named)
  await run(workspaceId)
  assert.deepEqual(await fields(), named)
})

test('an import subscribes who agreed, and brings back nobody who left', async () => {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const topicOf = (name: string, subscription: 'opt_in' | 'everyone') =>
    createTopic(deps, caller, { name, subscription })
  const [news, offers, everyone] = [
    await topicOf('News', 'opt_in'),
    await topicOf('Offers', 'opt_in'),
    await topicOf('All', 'everyone'),
  ]
  const gone: [string, string][] = [
    ['gone@example.com', 'everything'],
    ['letters@example.com', 'broadcasts'],
    ['offers@example.com', `topic:${offers.id}`],
  ]
  for (const [destination, sendingSource] of gone) await createUnsubscribe(deps, caller, { destination, sendingSource })
  const csv = [
    'email,status,Topics',
    'ada@example.com,subscribed,"News, offers"',
    'bob@example.com,unconfirmed,News',
    'cid@example.com,unsubscribed,News',
    ...gone.map(([email]) => `${email},subscribed,"News; Offers; All"`),
    'eve@example.com,subscribed,Gossip',
  ].join('\n')
  const row = await createImport(deps, caller, { content: pieces(csv), fileName: null, start: false })
  assert.equal(JSON.parse(row.suggestedMapping).Topics, 'topics')
  const mapping = { email: 'email', status: 'consent:status', Topics: 'topics' }
  const wrong = startImport(deps, caller, { id: row.id, body: { mapping, topicIds: [news.id, '900000000'] } })
  await assert.rejects(wrong, { code: 'unprocessable' })
  await startImport(deps, caller, { id: row.id, body: { mapping, topicIds: [everyone.id] } })
  assert.equal(await run(workspaceId), 'done')
  const yeses = await queryInScope<{ email: string; name: string }>(pool, workspaceId, {
    text: `select c.email, t.name from topic_subscriptions s join contacts c on c.id = s.contact_id
      join topics t on t.id = s.topic_id where s.workspace_id = $1 and s.by_whom = 'workspace' order by c.email, t.id`,
    values: [workspaceId],
  })
  assert.deepEqual(
    yeses.map(({ email, name }) => `${email} ${name}`),
    [
      'ada@example.com News',
      'ada@example.com Offers',
      'ada@example.com All',
      'offers@example.com News',
      'offers@example.com All',
    ],
  )
  const told = await queryInScope<{ n: string }>(pool, workspaceId, {
    text: `select count(*) as n from consent_changes h join topic_subscriptions s on s.workspace_id = h.workspace_id
      and s.contact_id = h.contact_id and h.sending_source = 'topic:' || s.topic_id
      where h.workspace_id = $1 and h.change = 'imported' and h.by_whom = 'workspace' and h.import_id = $2`,
    values: [workspaceId, row.id],
  })
  assert.equal(told[0]?.n, String(yeses.length), 'each yes stands in its history')
  assert.equal(await count(workspaceId, 'unsubscribes'), 4)
  const read = importOf(await readImport(pool, workspaceId, row.id))
  assert.deepEqual([read.topicIds, read.rows.failed], [[everyone.id], 1])
})

test('a no in a file is heeded as far as it goes: newsletters, all marketing mail, or all mail; and is exported so', async () => {
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  const csv = [
    'E-Mail;Newsletter',
    'ja@kunde.example;Ja',
    'nein@kunde.example;Nein',
    'weg@kunde.example;abgemeldet',
    'tot@kunde.example;gesperrt',
    'nein@kunde.example;nein',
  ].join('\n')
  const importIds: string[] = []
  for (let round = 0; round < 2; round++) {
    const row = await createImport(deps, caller, { content: pieces(csv), fileName: null, start: false })
    assert.equal(JSON.parse(row.suggestedMapping).Newsletter, 'consent:status')
    await startImport(deps, caller, { id: row.id, body: {} })
    importIds.push(row.id)
    assert.equal(await run(workspaceId), 'done')
  }
  const rows = <R extends object>(text: string) => queryInScope<R>(pool, workspaceId, { text, values: [workspaceId] })
  const noes = await rows(
    `select destination, sending_source as source from unsubscribes where workspace_id = $1
     union all select destination, 'suppressed ' || reason from suppressions where workspace_id = $1 order by 1`,
  )
  assert.deepEqual(noes, [
    { destination: 'nein@kunde.example', source: 'broadcasts' },
    { destination: 'tot@kunde.example', source: 'suppressed manual' },
    { destination: 'weg@kunde.example', source: 'everything' },
  ])
  const told = await rows<{ email: string; source: string; isOfContact: boolean }>(
    `select email, data ->> 'sendingSource' as source, contact_id is not null as "isOfContact" from outbox
     where workspace_id = $1 and type = 'email.unsubscribed' order by email`,
  )
  assert.deepEqual(told, [
    { email: 'nein@kunde.example', source: 'broadcasts', isOfContact: true },
    { email: 'weg@kunde.example', source: 'everything', isOfContact: true },
  ])
  const history = await rows(
    `select c.email, h.sending_source as source, h.by_whom as by, h.import_id as import from consent_changes h
     join contacts c on c.id = h.contact_id where h.workspace_id = $1 and h.change = 'unsubscribed' order by c.email`,
  )
  assert.deepEqual(history, [
    { email: 'nein@kunde.example', source: 'broadcasts', by: 'workspace', import: importIds[0] },
    { email: 'weg@kunde.example', source: null, by: 'workspace', import: importIds[0] },
  ])
  const everybody = contactsToExportStatement({ workspaceId, id: '1' }, { filtered: false, afterId: '0', limit: 10 })
  const exported = await queryInScope(pool, workspaceId, everybody)
  const statusOf = ({ contact }: ExportedRow) => {
    const { email, status } = JSON.parse(contact!)
    return `${email} ${status}`
  }
  assert.deepEqual(exported.map(statusOf), [
    'ja@kunde.example subscribed',
    'nein@kunde.example no',
    'weg@kunde.example unsubscribed',
    'tot@kunde.example suppressed',
  ])
})

test('whoever said no where a list comes from is not mailed, though everybody in its file is said to have agreed', async () => {
  const files = {
    klaviyo:
      'Email,Email Marketing Consent\nyes@k.example,SUBSCRIBED\nno@k.example,UNSUBSCRIBED\nnever@k.example,NEVER_SUBSCRIBED\n',
    hubspot:
      'Email,Unsubscribed from all email,Email hard bounce reason\nyes@h.example,No,\nno@h.example,Yes,\ngone@h.example,,UNKNOWN_USER\n',
    customerio: 'id,email,unsubscribed\n1,yes@c.example,false\n2,no@c.example,true\n',
    brevo: 'sep=;\nEMAIL;EMAIL_BLACKLISTED\nyes@b.example;0\nno@b.example;1\n',
  }
  const workspaceId = await createWorkspace(pool)
  const caller = callerOf(workspaceId)
  for (const csv of Object.values(files)) {
    const row = await createImport(deps, caller, { content: pieces(csv), fileName: null, start: false })
    await startImport(deps, caller, { id: row.id, body: { consent: 'confirmed' } })
    assert.equal(await run(workspaceId), 'done')
  }
  const everybody = contactsToExportStatement({ workspaceId, id: '1' }, { filtered: false, afterId: '0', limit: 20 })
  const exported = await queryInScope<ExportedRow>(pool, workspaceId, everybody)
  const statuses = exported.map(({ contact }) => JSON.parse(contact!)).map(({ email, status }) => `${email} ${status}`)
  assert.deepEqual(statuses, [
    'yes@k.example subscribed',
    'no@k.example unsubscribed',
    'never@k.example null',
    'yes@h.example subscribed',
    'no@h.example unsubscribed',
    'gone@h.example suppressed',
    'yes@c.example subscribed',
    'no@c.example unsubscribed',
    'yes@b.example subscribed',
    'no@b.example unsubscribed',
  ])
})

test('a no to newsletters of an address that an import makes a contact at that moment ends its yes, whichever comes first', async () => {
  const yeses = async (workspaceId: string) =>
    queryInScope(pool, workspaceId, {
      text: `select c.email from topic_subscriptions s join contacts c on c.id = s.contact_id where s.workspace_id = $1`,
      values: [workspaceId],
    })
  const started = async () => {
    const found = await uploaded('email,status\nada@example.com,subscribed\n')
    const { id: topicId } = await createTopic(deps, found.caller, { name: 'News' })
    const mapping = { email: 'email', status: 'consent:status' }
    await startImport(deps, found.caller, { id: found.id, body: { mapping, topicIds: [topicId] } })
    return { ...found, topicId }
  }
  const no = { destination: 'ada@example.com', sendingSource: 'broadcasts' } as const
  const told = { ...no, messageId: null, byWhom: 'person', ip: null } as const

  const first = await started()
  const saying = await openTransaction(pool, (tx) => unsubscribe(tx, first.workspaceId, told), first.workspaceId)
  const importing = run(first.workspaceId)
  await somebodyWaits(pool)
  await saying.commit()
  assert.equal(await importing, 'done')
  assert.deepEqual(await yeses(first.workspaceId), [])

  const second = await started()
  // The import stands before its yes.
  const keeping = await openTransaction(
    pool,
    (tx) => tx.query('select from topics where id = $1 for update', [second.topicId]),
    second.workspaceId,
  )
  const imported = run(second.workspaceId)
  await somebodyWaits(pool)
  const said = createUnsubscribe(deps, second.caller, no)
  await somebodyWaits(pool, 2)
  await keeping.commit()
  assert.equal(await imported, 'done')
  await said
  assert.deepEqual(await yeses(second.workspaceId), [])
})

test('an import that is started while files are taken away for an erasure keeps its file, and comes to its end', async () => {
  const { workspaceId, caller, id } = await uploaded('email\nada@example.com\n')
  const starting = await openTransaction(
    pool,
    async (tx) =>
      beginImport(tx, caller, { row: (await importForChange(tx, workspaceId, id))!, body: {}, goneTags: [] }),
    workspaceId,
  )
  const erasing = inTransaction(pool, workspaceId, (tx) => discardFiles(tx, workspaceId, null))
  await somebodyWaits(pool)
  await starting.commit()
  await erasing
  assert.equal(await importContacts({ pool, shouldYield: () => false }, workspaceId), 'done')
  const { state, failure } = await readImport(pool, workspaceId, id)
  assert.deepEqual({ state, failure }, { state: 'done', failure: null })
})

test('an import that is started in the last minutes of its file is not without it a while later', async () => {
  const { workspaceId, caller, id } = await uploaded('email\nada@example.com\n')
  const passes = (time: string) =>
    queryInScope(pool, workspaceId, {
      text: 'update stored_files set expires_at = expires_at - $2::interval where workspace_id = $1',
      values: [workspaceId, time],
    })
  await passes('6 days 23 hours 55 minutes')
  await startImport(deps, caller, { id, body: {} })
  await passes('1 hour')
  await clearFiles(pool, workspaceId)
  assert.equal(await importContacts({ pool, shouldYield: () => false }, workspaceId), 'done')
  const { state, failure } = await readImport(pool, workspaceId, id)
  assert.deepEqual({ state, failure }, { state: 'done', failure: null })
})

test('an import whose file is being removed is not started, and does not wait for that', async () => {
  const { workspaceId, caller, id } = await uploaded('email\nada@example.com\n')
  const leaving = await openTransaction(
    pool,
    (tx) => tx.query('select from stored_files where workspace_id = $1 for update', [workspaceId]),
    workspaceId,
  )
  await assert.rejects(startImport(deps, caller, { id, body: {} }), { statusCode: 422 })
  await leaving.commit()
})
