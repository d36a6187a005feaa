import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type DnsAuthority, startDnsAuthority } from '../support/dns-authority.ts'
import { send } from '../support/http-client.ts'
import { until } from '../support/instance.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Sending domain. */
const FIELDS = [
  'id',
  'domain',
  'dkimSelector',
  'verified',
  'dkimRecord',
  'spfRecord',
  'dmarcRecord',
  'lastCheckedAt',
  'verifiedAt',
  'createdAt',
  'updatedAt',
]
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const CHECKED_WITHIN_MS = 60_000

let instance: TestedInstance
let api: DescribedApi
let authority: DnsAuthority

before(async () => {
  authority = await startDnsAuthority()
  instance = await startTestedInstance({ DNS_SERVERS: authority.server })
  api = await describedApi(instance)
})
after(async () => {
  await instance.close()
  await authority.close()
})

const create = (json: object) => api.call('POST', '/api/sending-domains', { json })
const change = (id: string, json: object, headers = {}) =>
  api.call('PATCH', `/api/sending-domains/${id}`, { json, headers })
const read = async (id: string) => (await api.call('GET', `/api/sending-domains/${id}`)).json
const checks = async (id: string) => (await api.call('GET', `/api/sending-domains/${id}/checks`)).json
const publish = ({ host, value }: { host: string; value: string }) => authority.set(host, { txt: [value] })

/** Asks for a check and waits until it is done. */
async function verify(id: string) {
  const before = (await checks(id)).spf.checkedAt
  const { status, json } = await api.call('POST', `/api/sending-domains/${id}/verify`)
  assert.equal(status, 202)
  await until('the check', async () => (await checks(id)).spf.checkedAt !== before, CHECKED_WITHIN_MS)
  return json
}

test('a sending domain has exactly the specified fields, and three records to publish', async () => {
  const { status, json, headers } = await create({ domain: 'Example.COM.' })
  assert.equal(status, 201)
  assert.ok(headers.etag)
  assert.deepEqual(Object.keys(json), FIELDS)
  const { id, createdAt, updatedAt, dkimRecord, ...rest } = json
  assert.match(id, /^[0-9]+$/)
  assert.match(createdAt, UTC)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, {
    domain: 'example.com',
    dkimSelector: 'postroom',
    verified: false,
    spfRecord: { type: 'TXT', host: 'example.com', value: 'v=spf1 a mx ~all' },
    dmarcRecord: {
      type: 'TXT',
      host: '_dmarc.example.com',
      value: 'v=DMARC1; p=none; rua=mailto:dmarc-reports@example.com',
    },
    lastCheckedAt: null,
    verifiedAt: null,
  })
  assert.deepEqual([dkimRecord.type, dkimRecord.host], ['TXT', 'postroom._domainkey.example.com'])
  const [, key] = /^v=DKIM1; k=rsa; p=([A-Za-z0-9+/]+=*)$/.exec(dkimRecord.value) ?? assert.fail(dkimRecord.value)
  const publicKey = createPublicKey({ key: Buffer.from(key!, 'base64'), format: 'der', type: 'spki' })
  assert.deepEqual([publicKey.asymmetricKeyType, publicKey.asymmetricKeyDetails?.modulusLength], ['rsa', 2_048])
  assert.deepEqual(await read(id), json)
  const { text } = await api.call('GET', '/api/sending-domains')
  assert.doesNotMatch(text, /private/i)
})

test('domain and selector are normalised, and what is none is a 422 that names it', async () => {
  const { json } = await create({ domain: ' Bücher.Example ', dkimSelector: 'News.S1' })
  assert.deepEqual([json.domain, json.dkimSelector], ['xn--bcher-kva.example', 'news.s1'])
  assert.equal(json.dkimRecord.host, 'news.s1._domainkey.xn--bcher-kva.example')
  for (const domain of ['', 'localhost', 'ada@example.com', '192.0.2.1', 'https://example.com', 'a..b.example']) {
    const { status, json: problem } = await create({ domain })
    assert.equal(status, 422, domain)
    assert.equal(problem.errors[0].pointer, '/domain')
  }
  for (const dkimSelector of ['', '_a', 'a..b', 'a b', 'x'.repeat(64)]) {
    for (const answer of [
      await create({ domain: 'selector.example', dkimSelector }),
      await change(json.id, { dkimSelector }),
    ]) {
      assert.equal(answer.status, 422, dkimSelector)
      assert.equal(answer.json.errors[0].pointer, '/dkimSelector')
    }
  }
  for (const body of [{}, { domain: 42 }, { domain: null }]) assert.equal((await create(body)).status, 400)
})

test('nobody sets what a check finds', async () => {
  const { json } = await create({ domain: 'fixed.example' })
  for (const field of FIELDS.filter((one) => one !== 'domain' && one !== 'dkimSelector')) {
    for (const answer of [
      await create({ domain: 'other.example', [field]: true }),
      await change(json.id, { [field]: true }),
      await api.call('POST', `/api/sending-domains/${json.id}/verify`, { json: { [field]: true } }),
    ]) {
      assert.equal(answer.status, 400, field)
      assert.deepEqual(answer.json.errors, [{ pointer: `/${field}`, detail: 'is not a known field' }])
    }
  }
  assert.equal((await change(json.id, { domain: 'other.example' })).status, 400, 'a domain stays what it is')
  assert.deepEqual(await read(json.id), json)
})

test('a domain that the workspace has already is a 409, also of many at once; another workspace may have it', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => create({ domain: 'Taken.example' })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
  const refused = answers.find(({ status }) => status === 409)
  assert.deepEqual([refused?.json.code, refused?.json.errors[0].pointer], ['conflict', '/domain'])
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('neighbour'))
  const json = { domain: 'taken.example' }
  assert.equal((await api.call('POST', '/api/sending-domains', { token, json })).status, 201)
})

test('a workspace has a limit of domains', async () => {
  const workspaceId = await instance.makeWorkspace('full')
  const token = await instance.makeToken(undefined, workspaceId)
  const count = 'insert into row_counts (workspace_id, relation, shard, total) values ($1, $2, 0, 1000)'
  await instance.sql(count, [workspaceId, 'sending_domains'])
  const { status, json } = await api.call('POST', '/api/sending-domains', { token, json: { domain: 'one.example' } })
  assert.equal(status, 422)
  assert.equal(json.detail, 'a workspace may have 1000 sending domains')
})

test('verify answers with the domain as it stands, and the outcome is there later', async () => {
  const { json: made } = await create({ domain: 'verified.example' })
  const { verified, lastCheckedAt } = await verify(made.id)
  assert.deepEqual([verified, lastCheckedAt], [false, null])
  const missing = await read(made.id)
  assert.equal(missing.verified, false)
  assert.match(missing.lastCheckedAt, UTC)
  for (const record of [made.dkimRecord, made.spfRecord, made.dmarcRecord]) publish(record)
  await verify(made.id)
  const right = await read(made.id)
  assert.equal(right.verified, true)
  assert.match(right.verifiedAt, UTC)
  const report = await checks(made.id)
  assert.deepEqual([report.dkim[0].state, report.spf.state, report.dmarc.state], ['ok', 'ok', 'ok'])
  authority.set(made.dkimRecord.host, { failure: 'SERVFAIL' })
  await verify(made.id)
  const failed = await read(made.id)
  assert.deepEqual({ ...failed, lastCheckedAt: null }, { ...right, lastCheckedAt: null })
  assert.ok(failed.lastCheckedAt > right.lastCheckedAt)
  const [shown] = (await checks(made.id)).dkim
  assert.deepEqual([shown.state, shown.verified, shown.signing], ['unknown', true, true])
  assert.match(shown.detail, /SERVFAIL/)
  authority.set(made.dkimRecord.host, {})
  await verify(made.id)
  assert.deepEqual([(await read(made.id)).verified, (await read(made.id)).verifiedAt], [false, null])
})

test('asked ten times at once, a domain is checked by one job and one that follows it at most', async () => {
  const { json } = await create({ domain: 'often.example' })
  authority.set(json.dkimRecord.host, { txt: ['x'], delayMs: 2_000 })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => api.call('POST', `/api/sending-domains/${json.id}/verify`)),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
  await until('the check', async () => (await read(json.id)).lastCheckedAt !== null, CHECKED_WITHIN_MS)
  await until(
    'no job to be left',
    async () => (await instance.sql(`select from jobs.job_common where data->>'kind' = 'verify_domain'`)).length === 0,
    CHECKED_WITHIN_MS,
  )
  const asked = authority.queries.filter(({ name }) => name === json.dkimRecord.host)
  assert.ok(new Set(asked.map(({ id }) => id)).size <= 2)
})

test('another selector shows a new record to publish, under If-Match', async () => {
  const { json } = await create({ domain: 'moves.example' })
  const { headers } = await api.call('GET', `/api/sending-domains/${json.id}`)
  const moved = await change(json.id, { dkimSelector: 'S2' }, { 'if-match': headers.etag })
  assert.equal(moved.status, 200)
  assert.deepEqual([moved.json.dkimSelector, moved.json.verified], ['s2', false])
  assert.equal(moved.json.dkimRecord.host, 's2._domainkey.moves.example')
  assert.notEqual(moved.json.dkimRecord.value, json.dkimRecord.value)
  assert.ok(moved.json.updatedAt > json.updatedAt)
  const late = await change(json.id, { dkimSelector: 's3' }, { 'if-match': headers.etag })
  assert.deepEqual([late.status, late.json.code], [412, 'precondition-failed'])
  assert.deepEqual((await change(json.id, {})).json, moved.json, 'a change of nothing changes nothing')
  assert.deepEqual((await change(json.id, { dkimSelector: 's2' })).json, moved.json)
})

test('a key rotates without a gap', async () => {
  const { json } = await create({ domain: 'rotates.example' })
  publish(json.dkimRecord)
  await verify(json.id)
  const { status, json: began } = await api.call('POST', `/api/sending-domains/${json.id}/rotate-key`)
  assert.equal(status, 202)
  const [current, next] = began.dkim
  assert.deepEqual([current.role, current.signing, next.role, next.signing], ['current', true, 'next', false])
  assert.equal(next.record.host, 'postroom2._domainkey.rotates.example')
  publish(next.record)
  await verify(json.id)
  const after = await read(json.id)
  assert.deepEqual([after.dkimSelector, after.verified, after.dkimRecord], ['postroom2', true, next.record])
  const [, old] = (await checks(json.id)).dkim
  assert.deepEqual([old.selector, old.role], ['postroom', 'retiring'])
  assert.match(old.retiresAt, UTC)
})

test('the list is in the order of ids with exact totals, and filters narrow it', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('list'))
  const at = async (query: string) => (await api.call('GET', `/api/sending-domains?${query}`, { token })).json
  const made = []
  for (const domain of ['b.example', 'a.example', 'shop.example', 'c.test']) {
    made.push((await api.call('POST', '/api/sending-domains', { token, json: { domain } })).json)
  }
  assert.deepEqual((await at('pageSize=3')).items, made.slice(0, 3))
  assert.deepEqual([(await at('pageSize=3')).totalItems, (await at('pageSize=3')).totalPages], [4, 2])
  const found = async (query: string) => {
    const { items, totalItems } = await at(query)
    assert.equal(totalItems, items.length)
    return items.map(({ domain }: { domain: string }) => domain)
  }
  assert.deepEqual(await found('search=Example'), ['b.example', 'a.example', 'shop.example'])
  assert.deepEqual(await found('search=%25'), [], 'no wildcards')
  assert.deepEqual(await found('verified=true'), [])
  assert.equal((await found('verified=false&search=test')).length, 1)
  assert.equal((await api.call('GET', '/api/sending-domains?verified=maybe', { token })).status, 400)
})

test('a deleted domain is gone with its keys, and can be made anew with others', async () => {
  const { json } = await create({ domain: 'deleted.example' })
  const path = `/api/sending-domains/${json.id}`
  assert.equal((await api.call('DELETE', path, { headers: { 'if-match': '"old"' } })).status, 412)
  assert.equal((await api.call('DELETE', path)).status, 204)
  assert.equal((await api.call('GET', path)).status, 404)
  const { json: again } = await create({ domain: 'deleted.example' })
  assert.notEqual(again.dkimRecord.value, json.dkimRecord.value)
})

test('every change is in the audit log, and no key is', async () => {
  const headers = { 'x-request-id': 'domain-audit' }
  const { json } = await api.call('POST', '/api/sending-domains', { headers, json: { domain: 'audited.example' } })
  const path = `/api/sending-domains/${json.id}`
  await api.call('PATCH', path, { headers, json: { dkimSelector: 'other' } })
  await api.call('POST', `${path}/verify`, { headers })
  await api.call('POST', `${path}/rotate-key`, { headers })
  await api.call('DELETE', path, { headers })
  const { json: log, text } = await api.call('GET', '/api/audit-entries?requestId=domain-audit')
  const verbs = ['delete', 'rotate_key', 'verify', 'update', 'create'].map((verb) => `sending_domain.${verb}`)
  assert.deepEqual(
    log.items.map(({ action }: { action: string }) => action),
    verbs,
  )
  assert.doesNotMatch(text, /PRIVATE|MII/)
})

test('the dashboard has the same operations, for those whose role allows them', async () => {
  const headers = { origin: instance.baseUrl, 'content-type': 'application/json' }
  const { email, password, baseUrl } = instance
  const login = await send('POST', `${baseUrl}/site/auth/login`, { headers, json: { email, password } })
  const cookie = String(login.headers['set-cookie']).split(';', 1)[0]!
  const site = (method: string, path: string, json?: object) =>
    send(method, `${baseUrl}/site/workspaces/default/sending-domains${path}`, {
      headers: { ...headers, cookie },
      ...(json ? { json } : {}),
    })
  const made = await site('POST', '', { domain: 'site.example' })
  assert.equal(made.status, 201)
  assert.deepEqual((await site('GET', `/${made.json.id}`)).json, await read(made.json.id))
  assert.ok((await site('GET', '?search=site.example')).json.totalItems === 1)
  assert.equal((await site('PATCH', `/${made.json.id}`, { dkimSelector: 'site' })).status, 200)
  assert.equal((await site('POST', `/${made.json.id}/verify`)).status, 202)
  assert.equal((await site('POST', `/${made.json.id}/rotate-key`)).status, 202)
  assert.equal((await site('GET', `/${made.json.id}/checks`)).status, 200)
  assert.equal((await site('DELETE', `/${made.json.id}`)).status, 204)
})

test('SPF follows the provider that the workspace sends through', async () => {
  const token = await instance.makeToken(undefined, await instance.makeWorkspace('provider'))
  const as = { token }
  const { json } = await api.call('POST', '/api/sending-domains', { ...as, json: { domain: 'provider.example' } })
  const spf = async () => (await api.call('GET', `/api/sending-domains/${json.id}`, as)).json.spfRecord.value
  assert.equal(await spf(), 'v=spf1 a mx ~all')
  const use = async (config: object) => {
    const body = { name: 'Default', isDefault: true, config: { from: 'ada@provider.example', ...config } }
    const { status, text } = await api.call('POST', '/api/integrations', { ...as, json: body })
    assert.equal(status, 201, text)
  }
  await use({ kind: 'smtp', host: 'relay.example.net', port: 587 })
  assert.equal(await spf(), 'v=spf1 mx a:relay.example.net ~all')
  await use({ kind: 'ses', region: 'eu-west-1', accessKeyId: 'AKIAEXAMPLE00000000A', secretAccessKey: 'x'.repeat(40) })
  assert.equal(await spf(), 'v=spf1 include:amazonses.com ~all')
  authority.set('provider.example', { txt: ['v=spf1 mx ~all'] })
  const asked = async () => (await api.call('GET', `/api/sending-domains/${json.id}/checks`, as)).json.spf
  await api.call('POST', `/api/sending-domains/${json.id}/verify`, as)
  await until('the check', async () => (await asked()).checkedAt !== null, CHECKED_WITHIN_MS)
  assert.equal((await asked()).state, 'wrong')
  assert.match((await asked()).detail, /add include:amazonses\.com/)
})
