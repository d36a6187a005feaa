import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

const BASE = '/api/suppressions'
const FIELDS = ['id', 'destination', 'reason', 'detail', 'messageId', 'createdAt']
const CSV = { 'content-type': 'text/csv' }

let instance: TestedInstance
let api: DescribedApi

before(async () => {
  instance = await startTestedInstance()
  api = await describedApi(instance)
})
after(() => instance.close())

type As = { token?: string }
async function newWorkspace(slug: string): Promise<As> {
  return { token: await instance.makeToken(undefined, await instance.makeWorkspace(slug)) }
}
const suppress = (json: object, as: As = {}) => api.call('POST', BASE, { ...as, json })
const upload = (body: string | Buffer, as: As, query = '') =>
  api.call('POST', `${BASE}/import${query}`, { ...as, headers: CSV, body })
const listed = async (query: string, as: As) => {
  const { status, json } = await api.call('GET', `${BASE}?${query}`, as)
  assert.equal(status, 200, query)
  return json as { items: { id: string; destination: string; reason: string; detail: string | null }[] } & Record<
    string,
    number
  >
}
const reasonsOf = async (as: As) =>
  Object.fromEntries(
    (await listed('pageSize=1000', as)).items.map(({ destination, reason, detail }) => [destination, [reason, detail]]),
  )

test('a letter of one character and of two is one address, whichever of them was suppressed', async () => {
  const as = await newWorkspace('composed')
  const [composed, apart] = ['zo\u00eb@example.com', 'zoe\u0308@example.com']
  const first = await api.call('PUT', '/api/contacts', { ...as, json: { email: apart } })
  const second = await api.call('PUT', '/api/contacts', { ...as, json: { email: composed } })
  assert.deepEqual([second.json.id, second.json.email], [first.json.id, composed])
  await suppress({ destination: composed }, as)
  const mail = { destination: apart, subject: 'Hello', text: 'Hello' }
  const { status, json } = await api.call('POST', '/api/emails', { ...as, json: mail })
  assert.deepEqual([status, json.status, json.destination], [202, 'suppressed', composed])
  const segment = {
    definition: JSON.stringify({ rules: [{ field: 'email', operator: 'contains', value: 'oe\u0308@' }] }),
  }
  assert.equal((await api.call('POST', '/api/segments/preview', { ...as, json: segment })).json.count, 1)
})

test('an address is suppressed by hand, once, whatever its letter case', async () => {
  const as = await newWorkspace('by-hand')
  const { status, json, headers } = await suppress({ destination: ' Gone@EXAMPLE.com ' }, as)
  assert.equal(status, 201)
  assert.deepEqual(Object.keys(json), FIELDS)
  assert.deepEqual(
    [json.destination, json.reason, json.detail, json.messageId],
    ['gone@example.com', 'manual', null, null],
  )
  const again = await suppress({ destination: 'gone@example.com', reason: 'complaint' }, as)
  assert.deepEqual([again.status, again.json], [201, json])
  const read = await api.call('GET', `${BASE}/${json.id}`, as)
  assert.deepEqual([read.status, read.json, read.headers.etag], [200, json, headers.etag])
  for (const wrong of [
    {},
    { destination: 'nobody' },
    { destination: '*@example.com' },
    { destination: 'a@b.example', reason: 'mood' },
    { email: 'a@b.example' },
  ]) {
    assert.equal((await suppress(wrong, as)).status, 400, JSON.stringify(wrong))
  }
})

test('lifting takes an address off the list, heeds If-Match, and does so once', async () => {
  const as = await newWorkspace('lifting')
  const { json } = await suppress({ destination: 'back@example.com' }, as)
  const path = `${BASE}/${json.id}`
  const stale = await api.call('DELETE', path, { ...as, headers: { 'if-match': '"older"' } })
  assert.equal(stale.status, 412)
  assert.equal((await api.call('DELETE', path, as)).status, 204)
  for (const method of ['DELETE', 'GET']) assert.equal((await api.call(method, path, as)).status, 404)
  assert.equal((await listed('', as)).totalItems, 0)
})

test('the list is paged with exact totals and narrowed by address, reason and time', async () => {
  const as = await newWorkspace('narrowed')
  const before = new Date(Date.now() - 60_000).toISOString()
  for (const [destination, reason] of [
    ['one@example.com', 'bounce'],
    ['two@example.com', 'manual'],
    ['three@example.com', 'bounce'],
  ]) {
    await suppress({ destination, reason }, as)
  }
  const page = await listed('page=2&pageSize=2', as)
  assert.deepEqual([page.page, page.pageSize, page.totalItems, page.totalPages], [2, 2, 3, 2])
  assert.deepEqual(
    page.items.map(({ destination }) => destination),
    ['three@example.com'],
  )
  const count = async (query: string) => {
    const { items, totalItems } = await listed(query, as)
    assert.equal(items.length, totalItems)
    return totalItems
  }
  assert.equal(await count('reason=bounce'), 2)
  assert.equal(await count('destination=TWO@example.com'), 1)
  assert.equal(await count('destination=TWO@example.com&reason=bounce'), 0)
  assert.equal(await count('destination=nonsense'), 0)
  assert.equal(await count(`createdSince=${before}`), 3)
  assert.equal(await count('createdSince=2100-01-01T00:00:00Z'), 0)
})

test('the lists of other services are imported as they are, and rows that do not fit fail by themselves', async () => {
  const as = await newWorkspace('others')
  const postmark =
    'EmailAddress,SuppressionReason,Origin\na@example.com,HardBounce,Recipient\nB@example.com,SpamComplaint,x\n'
  assert.deepEqual((await upload(postmark, as)).json, { added: 2, known: 0, failed: 0, errors: [] })
  const sendgrid =
    'status,reason,email,created\n5.1.1,"550 5.1.1, no such user",c@example.com,1\n,,nobody,2\n,,a@example.com,3\n'
  assert.deepEqual((await upload(sendgrid, as, '?reason=bounce')).json, {
    added: 1,
    known: 1,
    failed: 1,
    errors: [{ line: 3, detail: 'email is not an email address' }],
  })
  assert.equal((await upload('d@example.com\r\n', as)).json.added, 1)
  const german = 'Name;E-Mail-Adresse;Grund\nGina;g@example.com;Beschwerde\n'
  assert.equal((await upload(german, as)).json.added, 1, 'a header in any language')
  const wild = (await upload('email\n*@example.com\n', as)).json.errors
  assert.deepEqual(wild, [{ line: 2, detail: 'email is not one address: a whole domain cannot be listed' }])
  const inJson = await api.call('POST', `${BASE}/import`, { ...as, json: { csv: 'e@example.com' } })
  assert.equal(inJson.json.added, 1)
  assert.equal((await upload(gzipSync('Recipient;Type\nf@example.com;abuse\n'), { ...as }, '')).status, 400)
  assert.deepEqual(await reasonsOf(as), {
    'a@example.com': ['bounce', null],
    'b@example.com': ['complaint', null],
    'c@example.com': ['bounce', '550 5.1.1, no such user'],
    'd@example.com': ['manual', null],
    'e@example.com': ['manual', null],
    'g@example.com': ['manual', null],
  })
})

test('a compressed file of tens of thousands is imported in slices, and again changes nothing', async () => {
  const as = await newWorkspace('many')
  const file = `email,reason\n${Array.from({ length: 23_000 }, (_, n) => `p${n}@example.com,bounce`).join('\n')}`
  const send = () =>
    api.call('POST', `${BASE}/import`, { ...as, headers: { ...CSV, 'content-encoding': 'gzip' }, body: gzipSync(file) })
  assert.deepEqual((await send()).json, { added: 23_000, known: 0, failed: 0, errors: [] })
  assert.deepEqual((await send()).json, { added: 0, known: 23_000, failed: 0, errors: [] })
  const { totalItems, items } = await listed('reason=bounce&page=23000&pageSize=1', as)
  assert.deepEqual([totalItems, items[0]?.destination], [23_000, 'p22999@example.com'])
})

test('what is no list of addresses is refused', async () => {
  const as = await newWorkspace('no-lists')
  for (const body of ['', 'name,city\nAda,London\n', '\u001f\u008b\u0000']) {
    const { status, json } = await upload(body, as)
    assert.deepEqual([status, json.code], [400, 'invalid-request'], JSON.stringify(body))
  }
  const other = { ...as, headers: { 'content-type': 'text/plain' }, body: 'a@example.com' }
  assert.equal((await api.call('POST', `${BASE}/import`, other)).status, 415)
})

test('the export is the whole list, harmless to spreadsheets, and imports back', async () => {
  const as = await newWorkspace('exported')
  await upload('email,reason,detail\n=cmd@example.com,bounce,"=HYPERLINK(1)"\nx@example.com,complaint,\n', as)
  const { status, text, headers } = await api.call('GET', `${BASE}/export`, as)
  assert.equal(status, 200)
  assert.match(String(headers['content-disposition']), /suppressions\.csv/)
  const rows: Record<string, string>[] = parse(text, { columns: true })
  assert.deepEqual(Object.keys(rows[0]!), ['email', 'reason', 'detail', 'createdAt'])
  for (const value of rows.flatMap((row) => Object.values(row))) assert.doesNotMatch(value, /^[=+\-@\t\r]/)
  const into = await newWorkspace('imported-back')
  assert.equal((await upload(text, into)).json.added, 2)
  assert.deepEqual(await reasonsOf(into), await reasonsOf(as))
})

test('a large file that is refused at its beginning or on the way is answered, not waited for', async () => {
  const as = { token: await instance.makeToken() }
  const rows = 'nobody@example.com,x\n'.repeat(200_000)
  for (const [what, body] of [
    ['no column of addresses', `name,city\n${rows.replaceAll('@', ' ')}`],
    // As good as random, so that it is not refused for how much it grows.
    ['a line without an end', `email\n${randomBytes(2_000_000).toString('hex')}`],
  ] as const) {
    for (const headers of [CSV, { ...CSV, 'content-encoding': 'gzip' }]) {
      const sent = 'content-encoding' in headers ? gzipSync(body) : body
      const answer = await api.call('POST', `${BASE}/import`, { ...as, headers, body: sent })
      assert.equal(answer.status, 400, what)
    }
  }
})
