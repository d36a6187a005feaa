import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const FIXTURES = path.join(import.meta.dirname, '..', 'support', 'exports')
const BASE = '/api/contacts/imports'
const AS_TEXT = { format: 'text', isSure: true, readings: {} }
const FIELDS = [
  ...['id', 'state', 'fileName', 'bytes', 'encoding', 'delimiter', 'columns', 'suggestedMapping', 'mapping', 'tags'],
  ...['topicIds', 'consent', 'mode', 'formats', 'rows', 'failure', 'createdAt', 'startedAt', 'endedAt', 'updatedAt'],
]

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

type Given = { query?: string; type?: string; headers?: Record<string, string> }
const upload = (body: string | Buffer, { query = '', headers = {} }: Given = {}) =>
  api.call('POST', `${BASE}${query}`, { body, headers: { 'content-type': 'text/csv', ...headers } })
const read = async (id: string) => (await api.call('GET', `${BASE}/${id}`)).json
const errorsOf = async (id: string) => (await api.call('GET', `${BASE}/${id}/errors`)).json.items
const contact = async (email: string) =>
  (await api.call('GET', `/api/contacts?email=${encodeURIComponent(email)}`)).json.items[0]

async function tagsOf(id: string): Promise<string[]> {
  const rows = await instance.sql<{ name: string }>(
    `select name from contact_tags join tags on tags.id = tag_id where contact_id = $1 order by name collate "C"`,
    [id],
  )
  return rows.map((row) => row.name)
}

async function ended(id: string) {
  await eventually('the import has ended', async () => !['uploaded', 'running'].includes((await read(id)).state))
  return await read(id)
}

async function imported(body: string | Buffer, given: Given & { start?: object } = {}) {
  const { status, json } = await upload(body, given)
  assert.equal(status, 201, JSON.stringify(json))
  const started = await api.call('POST', `${BASE}/${json.id}/start`, { json: given.start ?? {} })
  assert.equal(started.status, 202, started.text)
  return await ended(json.id)
}

test('an upload is looked at, and nothing is imported until it is started', async () => {
  const csv = 'E-Mail;Vorname;Plan;Plan\r\nada@example.com;Ada;"pro; yearly";x\r\n\r\neve@example.com;Eve;free;\r\n'
  const { status, json, headers } = await upload(csv, { query: '?fileName=people.csv' })
  assert.equal(status, 201)
  assert.ok(headers.etag)
  assert.deepEqual(Object.keys(json), FIELDS)
  const { id, createdAt, updatedAt, ...rest } = json
  assert.ok(id && createdAt && updatedAt)
  assert.deepEqual(rest, {
    state: 'uploaded',
    fileName: 'people.csv',
    bytes: csv.length,
    encoding: 'utf-8',
    delimiter: ';',
    columns: [
      { name: 'E-Mail', samples: ['ada@example.com', 'eve@example.com'], ...AS_TEXT },
      { name: 'Vorname', samples: ['Ada', 'Eve'], ...AS_TEXT },
      { name: 'Plan', samples: ['pro; yearly', 'free'], ...AS_TEXT },
      { name: 'Plan (2)', samples: ['x'], ...AS_TEXT },
    ],
    suggestedMapping: {
      'E-Mail': 'email',
      Vorname: 'firstName',
      Plan: 'custom:plan',
      'Plan (2)': 'custom:plan_2',
    },
    mapping: null,
    tags: [],
    topicIds: [],
    consent: null,
    mode: null,
    formats: null,
    rows: { total: 3, read: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0 },
    failure: null,
    startedAt: null,
    endedAt: null,
  })
  assert.deepEqual(await read(id), json)
  assert.equal(await contact('ada@example.com'), undefined)
  const { json: list } = await api.call('GET', BASE)
  assert.deepEqual(list.items.at(-1), json)
})

test('rows become contacts by the mapping, and each that does not fit says why', async () => {
  const csv = [
    'mail,first,plan,labels,nothing',
    'one@example.com,One,pro,"red; blue",x',
    'ONE@example.com,Uno,free,green,x',
    'not an address,Two,pro,,x',
    'three@example.com,Three,pro',
    ',,,,',
    '"four@example.com","Fo""ur","two\nlines",,x',
    '"five@example.com',
  ].join('\n')
  const mapping = { mail: 'email', first: 'firstName', plan: 'custom:plan', labels: 'tags' }
  const done = await imported(csv, { start: { mapping, tags: ['Imported'] } })
  assert.equal(done.state, 'done')
  assert.deepEqual(done.rows, { total: 7, read: 7, created: 2, updated: 1, unchanged: 0, failed: 3, skipped: 1 })
  assert.deepEqual([done.mapping, done.tags, done.consent], [mapping, ['Imported'], 'unconfirmed'])
  const one = await contact('one@example.com')
  assert.deepEqual([one.firstName, one.customFields], ['One', { plan: 'free' }])
  const tags = await tagsOf(one.id)
  assert.deepEqual(tags, ['Imported', 'blue', 'green', 'red'])
  const four = await contact('four@example.com')
  assert.deepEqual([four.firstName, four.customFields], ['Fo"ur', { plan: 'two\nlines' }])
  assert.deepEqual(await errorsOf(done.id), [
    { line: 4, error: 'email must be an email address', values: ['not an address', 'Two', 'pro', '', 'x'] },
    { line: 5, error: 'has 3 values where the header names 5', values: ['three@example.com', 'Three', 'pro'] },
    { line: 9, error: 'opens a quote that is not closed', values: ['"five@example.com'] },
  ])
  const { text, headers } = await api.call('GET', `${BASE}/${done.id}/errors.csv`)
  assert.match(String(headers['content-disposition']), /^attachment; filename="import-\d+-errors\.csv"$/)
  assert.equal(
    text,
    [
      'line,error,mail,first,plan,labels,nothing',
      '4,email must be an email address,not an address,Two,pro,,x',
      '5,has 3 values where the header names 5,three@example.com,Three,pro',
      '9,opens a quote that is not closed,"""five@example.com"',
      '',
    ].join('\n'),
  )
})

test('a file in another encoding, compressed or in JSON says the same', async () => {
  const csv = 'email,city\nencoded@example.com,Zürich\n'
  const cases: [body: Buffer, encoding: string, headers: Record<string, string>][] = [
    [Buffer.from(`\ufeff${csv}`), 'utf-8', {}],
    [Buffer.from(`\ufeff${csv}`, 'utf16le'), 'utf-16le', {}],
    [Buffer.from(csv, 'latin1'), 'windows-1252', {}],
    [gzipSync(csv), 'utf-8', { 'content-encoding': 'gzip' }],
  ]
  for (const [body, encoding, headers] of cases) {
    const { status, json } = await upload(body, { headers })
    assert.deepEqual([status, json.encoding, json.columns[1].samples], [201, encoding, ['Zürich']])
  }
  const { json } = await api.call('POST', BASE, { json: { csv, fileName: 'small.csv' } })
  assert.deepEqual([json.fileName, json.columns[1].samples], ['small.csv', ['Zürich']])
})

test('what is no table of named columns is a 422, what is no gzip a 400, and another type a 415', async () => {
  for (const csv of ['', '\n\n', 'ada@example.com,Ada\neve@example.com,Eve\n']) {
    const { status, json } = await upload(csv)
    assert.equal(status, 422, csv)
    assert.match(json.detail, /has no header row/)
  }
  assert.equal((await upload('email\n', { headers: { 'content-encoding': 'br' } })).status, 415)
  assert.equal((await upload('email\n', { headers: { 'content-encoding': 'gzip' } })).status, 400)
  for (const type of ['application/vnd.ms-excel', 'text/plain']) {
    const { status, json } = await upload('email\n', { headers: { 'content-type': type } })
    assert.deepEqual(
      [status, json.detail],
      [415, 'The body must be application/json or text/csv or multipart/form-data.'],
      type,
    )
  }
  const elsewhere = await send('POST', `${instance.baseUrl}/api/contacts`, {
    token: instance.token,
    body: 'email\n',
    headers: { 'content-type': 'text/csv' },
  })
  assert.equal(elsewhere.status, 415)
  const [left] = await instance.sql<{ files: string }>(
    `select count(*) as files from stored_files f where not exists (select from imports i where i.file_id = f.id)`,
  )
  assert.equal(left?.files, '0', 'what was refused is not kept')
})

test('a file that unpacks to more than a table does is refused while it unpacks', async () => {
  const headers = { 'content-encoding': 'gzip' }
  const bomb = gzipSync(Buffer.alloc(200_000_000, 'a'))
  const { status, json } = await upload(bomb, { headers })
  assert.deepEqual([status, json.detail], [413, 'It unpacks to more than 100 times its size.'])
  // A small one may: it is one row again and again.
  assert.equal((await upload(gzipSync(`email\n${'ada@example.com\n'.repeat(60_000)}`), { headers })).status, 201)
})

test('an answer reaches a client that is still sending, and one that goes away leaves nothing', async () => {
  const long = Buffer.alloc(20_000_000, 'someone@example.com\n')
  assert.equal((await upload(long, { headers: { 'content-encoding': 'br' } })).status, 415)
  const files = async () =>
    Number((await instance.sql<{ count: string }>('select count(*) from stored_files'))[0]!.count)
  const before = await files()
  const { hostname, port } = new URL(instance.baseUrl)
  const socket = net.connect(Number(port), hostname)
  const head = `POST ${BASE} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${instance.token}\r\ncontent-type: text/csv\r\n`
  socket.write(`${head}content-length: 90000000\r\n\r\n`)
  socket.write(long)
  await eventually('the upload is being stored', async () => (await files()) > before)
  socket.destroy()
  await eventually('what was stored of it is gone', async () => (await files()) === before)
})

test('the dashboard has the same operations', async () => {
  const { baseUrl, email, password } = instance
  const headers = { origin: baseUrl }
  const login = await send('POST', `${baseUrl}/site/auth/login`, { headers, json: { email, password } })
  const cookie = String(login.headers['set-cookie']).split(';', 1)[0]!
  const home = `${baseUrl}/site/workspaces/default/contacts`
  const body = 'email\ndashboard@example.com\n'
  const asOwner = { ...headers, cookie }
  const made = await send('POST', `${home}/imports?start=true`, {
    headers: { ...asOwner, 'content-type': 'text/csv' },
    body,
  })
  assert.equal(made.status, 201, made.text)
  assert.equal((await ended(made.json.id)).rows.created, 1)
  const { json } = await send('GET', `${home}/imports/${made.json.id}`, { headers: asOwner })
  assert.deepEqual(json, await read(made.json.id))
  const file = await send('POST', `${home}/exports`, {
    headers: asOwner,
    json: { filter: { email: 'dashboard@example.com' } },
  })
  assert.equal(file.status, 202, file.text)
  const contacts = [{ email: 'dashboard@example.com', firstName: 'Dash' }]
  const batch = await send('POST', `${home}/batch`, { headers: asOwner, json: { contacts } })
  assert.equal(batch.json.results[0].status, 'updated')
})

test('a mapping that does not fit the file is a 422 that points at it', async () => {
  const { json } = await upload('a,b/c,d\n1,2,3\n')
  const start = (mapping: object, more: object = {}) =>
    api.call('POST', `${BASE}/${json.id}/start`, { json: { mapping, ...more } })
  const wrong: [mapping: object, pointer: string][] = [
    [{}, '/mapping'],
    [{ a: 'firstName' }, '/mapping'],
    [{ a: 'email', x: 'phone' }, '/mapping/x'],
    [{ a: 'email', 'b/c': 'nonsense' }, '/mapping/b~1c'],
    [{ a: 'email', d: 'email' }, '/mapping/d'],
    [{ a: 'email', d: 'custom:' }, '/mapping/d'],
    [{ a: 'email', d: 'custom:__proto__' }, '/mapping/d'],
  ]
  for (const [mapping, pointer] of wrong) {
    const answer = await start(mapping)
    assert.deepEqual([answer.status, answer.json.errors[0].pointer], [422, pointer], answer.text)
  }
  assert.equal((await start({ a: 'email' }, { tags: [' '] })).json.errors[0].pointer, '/tags/0')
  assert.equal((await start({ a: 'email' }, { more: 1 })).status, 400)
  assert.equal((await read(json.id)).state, 'uploaded')
  const direct = await upload('a,b\n1,2\n', { query: '?start=true' })
  assert.equal(direct.status, 422)
})

test('an import that was canceled or has ended is neither started nor canceled again', async () => {
  const { json } = await upload('email\ncanceled@example.com\n')
  const canceled = await api.call('POST', `${BASE}/${json.id}/cancel`)
  assert.deepEqual([canceled.status, canceled.json.state], [200, 'canceled'])
  for (const verb of ['cancel', 'start']) {
    const again = await api.call('POST', `${BASE}/${json.id}/${verb}`, verb === 'start' ? { json: {} } : {})
    assert.deepEqual([again.status, again.json.code], [422, 'unprocessable'])
  }
  assert.equal(await contact('canceled@example.com'), undefined)
  const [file] = await instance.sql<{ count: string }>(
    'select count(*) from imports where file_id is not null and id = $1',
    [json.id],
  )
  assert.equal(file?.count, '0')
})

test('Mailchimp’s three files import without editing, consent and opt-outs included', async () => {
  const file = (name: string) => readFile(path.join(FIXTURES, name))
  const results = []
  for (const name of ['mailchimp-subscribed.csv', 'mailchimp-unsubscribed.csv', 'mailchimp-cleaned.csv']) {
    const { status, json } = await upload(await file(name), { query: '?start=true' })
    assert.equal(status, 201)
    results.push(await ended(json.id))
  }
  assert.deepEqual(
    results.map(({ state, rows }) => [state, rows.created, rows.failed]),
    [
      ['done', 3, 0],
      ['done', 2, 0],
      ['done', 1, 0],
    ],
  )
  const ada = await contact('ada.lovelace@example.com')
  assert.deepEqual([ada.firstName, ada.lastName, ada.timeZone], ['Ada', 'Lovelace', 'Europe/London'])
  assert.equal(ada.customFields.member_rating, 4)
  const tags = await tagsOf(ada.id)
  assert.deepEqual(tags, ['Customer', 'London, UK'])
  const consents = await instance.sql<{ email: string; provenance: string; confirmed: Date; ip: string }>(
    `select email, provenance, confirmed_at as confirmed, host(confirm_ip) as ip from contact_consents
     join contacts on contacts.id = contact_id where email like '%lovelace%' or email like 'gone%'`,
  )
  assert.deepEqual(consents, [
    {
      email: 'ada.lovelace@example.com',
      provenance: 'imported',
      confirmed: new Date('2023-05-02T09:15:42Z'),
      ip: '203.0.113.7',
    },
  ])
  const suppressed = await instance.sql<{ destination: string; reason: string }>(
    'select destination, reason from suppressions order by destination',
  )
  assert.deepEqual(suppressed, [{ destination: 'bounced@example.com', reason: 'manual' }])
  const left = await instance.sql<{ destination: string; source: string }>(
    'select destination, sending_source as source from unsubscribes order by destination',
  )
  assert.deepEqual(left, [
    { destination: 'gone@example.com', source: 'everything' },
    { destination: 'left@example.com', source: 'everything' },
  ])
})

const GERMAN = readFile(path.join(FIXTURES, 'mailchimp-german.csv'), 'utf8')

test('a German Mailchimp file out of a spreadsheet imports without a hand on it, with a mark or in Windows-1252', async () => {
  for (const [encoding, bytes] of [
    ['utf-8', Buffer.from(`\ufeff${await GERMAN}`)],
    ['windows-1252', Buffer.from((await GERMAN).replaceAll('\n', '\r\n').replaceAll('@', '@w.'), 'latin1')],
  ] as const) {
    const { json } = await upload(bytes, { query: '?start=true' })
    const done = await ended(json.id)
    assert.deepEqual([done.encoding, done.state, done.rows.created, done.rows.failed], [encoding, 'done', 3, 0])
    const domain = encoding === 'utf-8' ? 'example.com' : 'w.example.com'
    const jürgen = await contact(`juergen.mueller@${domain}`)
    assert.deepEqual([jürgen.firstName, jürgen.lastName, jürgen.timeZone], ['Jürgen', 'Müller', 'Europe/Berlin'])
    assert.deepEqual(jürgen.tags, ['Newsletter', 'Stammkunden, Süd'])
    const at = (time: string) => `${time}.000000Z`
    const consent = { optedInAt: at('2023-05-02T09:15:00'), confirmedAt: at('2023-05-02T09:16:00') }
    assert.deepEqual(jürgen.consent, { provenance: 'imported', ...consent })
    const { birthday, kunde_seit, umsatz, stammkunde, telefonnummer, adresse } = jürgen.customFields
    assert.deepEqual(
      { birthday, kunde_seit, umsatz, stammkunde, telefonnummer, adresse },
      {
        ...{ birthday: '--12-24', kunde_seit: '2019-04-03', umsatz: 1234.5, stammkunde: true },
        ...{ telefonnummer: '0211 555010', adresse: 'Königsallee 12  Düsseldorf NW 40212 DE' },
      },
    )
    assert.equal((await contact(`soren@${domain}`)).lastName, 'Ærø')
  }
  const { json: fields } = await api.call('GET', '/api/custom-fields?pageSize=100')
  const types = Object.fromEntries(fields.items.map(({ key, type }: { key: string; type: string }) => [key, type]))
  assert.deepEqual(
    [types.birthday, types.kunde_seit, types.umsatz, types.stammkunde],
    ['date', 'date', 'number', 'boolean'],
  )
})

test('how values will be read is shown before they are, and can be chosen otherwise', async () => {
  const { json } = await upload('email,since\nchosen@example.com,03/04/2020\n')
  assert.deepEqual(json.columns[1], {
    name: 'since',
    samples: ['03/04/2020'],
    format: 'date_mdy',
    isSure: false,
    readings: { date_dmy: ['2020-04-03'], date_mdy: ['2020-03-04'] },
  })
  const start = (body: object) => api.call('POST', `${BASE}/${json.id}/start`, { json: body })
  const wrong = await start({ formats: { nowhere: 'text' } })
  assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [422, '/formats/nowhere'])
  await start({ formats: { since: 'date_dmy' } })
  const done = await ended(json.id)
  assert.deepEqual(done.formats, { since: 'date_dmy' })
  assert.deepEqual(done.columns[1], { name: 'since', samples: [], format: 'date_dmy', isSure: true, readings: {} })
  assert.equal((await contact('chosen@example.com')).customFields.since, '2020-04-03')
})

test('a field declared as text takes a date as it stands, one declared as a time as its first moment', async () => {
  await api.call('POST', '/api/custom-fields', { json: { key: 'as_text', type: 'string' } })
  await api.call('POST', '/api/custom-fields', { json: { key: 'as_time', type: 'datetime' } })
  const { json } = await upload('email;as text;as time\ndeclared@example.com;24.12.1980;24.12.1980\n', {
    query: '?start=true',
  })
  assert.equal((await ended(json.id)).rows.failed, 0)
  const { as_text, as_time } = (await contact('declared@example.com')).customFields
  assert.deepEqual([as_text, as_time], ['24.12.1980', '1980-12-24T00:00:00Z'])
})

const typesOf = async (...keys: string[]) => {
  const { json } = await api.call('GET', '/api/custom-fields?pageSize=500')
  const types = new Map(json.items.map(({ key, type }: { key: string; type: string }) => [key, type]))
  return keys.map((key) => types.get(key))
}

test('plain numbers are numbers, and a column follows the type of the field that it goes to', async () => {
  await imported('email,Spent,Crate,Shop zip\nfirst@spent.example,"1,234.50",5,10115\n')
  assert.deepEqual(await typesOf('spent', 'crate', 'shop_zip'), ['number', 'number', 'string'])
  const done = await imported('email,spent,crate,shop_zip\nnext@spent.example,888,x,70\nlast@spent.example,n/a,y,71\n')
  assert.deepEqual(done.formats, { spent: 'number_point', crate: 'number_point' })
  const next = (await contact('next@spent.example')).customFields
  assert.deepEqual(next, { spent: 888, crate: 'x', shop_zip: '70' }, 'of a guessed type, what does not fit stays text')
  await api.call('POST', '/api/custom-fields', { json: { key: 'spent_declared', type: 'number' } })
  const held = await imported('email,spent_declared\nheld@spent.example,n/a\nfits@spent.example,1000\n')
  assert.equal((await contact('fits@spent.example')).customFields.spent_declared, 1000)
  assert.deepEqual(
    (await errorsOf(held.id)).map(({ error }: { error: string }) => error),
    ['customFields/spent_declared must be a number'],
  )
})

test('a new field has the type of its column’s format, whatever its first value is', async () => {
  const rows = Array.from({ length: 10 }, (_, n) => `visits${n}@example.com,${n === 0 ? 'n/a' : n}\n`)
  await imported(`email,Visits made\n${rows.join('')}`)
  assert.deepEqual(await typesOf('visits_made'), ['number'])
  assert.equal((await contact('visits3@example.com')).customFields.visits_made, 3)
})

test('the file of a form is taken as one that comes by itself', async () => {
  const form = (parts: string) => ({
    body: parts.replaceAll('\n', '\r\n'),
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
  const file =
    'Content-Disposition: form-data; name="file"; filename="leute.csv"\nContent-Type: text/csv\n\nemail\nform@example.com\n'
  const post = (parts: string) => api.call('POST', BASE, form(parts))
  const { status, json } = await post(
    `--x\nContent-Disposition: form-data; name="note"\n\nhello\n--x\n${file}\n--x--\n`,
  )
  assert.deepEqual([status, json.fileName, json.columns[0].samples], [201, 'leute.csv', ['form@example.com']])
  for (const parts of [`--x--\n`, `--x\n${file}`, 'email\n', '']) {
    assert.equal((await post(parts)).status, 400, parts)
  }
  const none = await api.call('POST', BASE, {
    body: 'x',
    headers: { 'content-type': 'multipart/form-data; charset=x' },
  })
  assert.equal(none.status, 400)
})

test('listmonk’s export imports without editing, attributes and status included', async () => {
  const { json } = await upload(await readFile(path.join(FIXTURES, 'listmonk.csv')), { query: '?start=true' })
  const done = await ended(json.id)
  assert.deepEqual([done.state, done.rows.created, done.rows.failed], ['done', 3, 0])
  const grace = await contact('grace.hopper@example.com')
  assert.deepEqual([grace.firstName, grace.lastName], ['Grace', 'Brewster Hopper'])
  assert.deepEqual(grace.customFields, {
    uuid: '0d3a7e58-1f2c-4b7e-9b0a-6a8f2f1f0a01',
    city: 'Arlington',
    rank: 7,
    projects: ['A-0', 'COBOL'],
  })
  const suppressed = await instance.sql<{ destination: string }>(
    `select destination from suppressions where destination like '%listmonk%'`,
  )
  assert.deepEqual(suppressed, [{ destination: 'blocked@listmonk.example.com' }])
})

test('who started an import and what came of it stands in the audit log, and new contacts emit events', async () => {
  const csv = 'email\naudited-1@example.com\naudited-2@example.com\n'
  const done = await imported(csv, { start: { tags: ['audited'] } })
  const { json } = await api.call('GET', `/api/audit-entries?targetType=contact_import&targetId=${done.id}`)
  const entries = json.items.map((entry: { action: string; actor: { kind: string } }) => [
    entry.action,
    entry.actor.kind,
  ])
  assert.deepEqual(entries, [
    ['contact.import', 'api_token'],
    ['contact_import.start', 'api_token'],
    ['contact_import.create', 'api_token'],
  ])
  assert.deepEqual(json.items[0].diff.created, { from: null, to: 2 })
  const events = await instance.sql<{ type: string; count: string }>(
    `select type, count(*) from outbox where email like 'audited-%' group by type order by type`,
  )
  assert.deepEqual(events, [
    { type: 'contact.created', count: '2' },
    { type: 'contact.tagged', count: '2' },
  ])
  const { json: tagged } = await api.call('GET', '/api/audit-entries?action=contact.tag')
  assert.deepEqual(tagged.items, [], 'a tag of a file has no entry of its own for each slice')
})
