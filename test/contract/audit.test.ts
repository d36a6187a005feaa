import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { send } from '../support/http-client.ts'
import { startInstance, until } from '../support/instance.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { type DescribedApi, describedApi } from './described-api.ts'

/** Interface specification, Audit entry. */
const FIELDS = ['id', 'occurredAt', 'actor', 'action', 'target', 'diff', 'requestId', 'ip', 'userAgent']
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const SEALED_WITHIN_MS = 60_000

const ENCRYPTION_KEY = randomBytes(32).toString('base64')
let instance: TestedInstance
let api: DescribedApi

type Entry = {
  id: string
  occurredAt: string
  actor: { kind: string; id: string | null; name: string | null }
  action: string
  target: { type: string; id: string | null; name: string | null }
  diff: Record<string, unknown>
  requestId: string | null
  ip: string | null
  userAgent: string | null
}

before(async () => {
  instance = await startTestedInstance({ ENCRYPTION_KEY, TRUST_PROXY: 'true' })
  api = await describedApi(instance)
})
after(() => instance.close())

async function entries(query: Record<string, string> = {}): Promise<Entry[]> {
  const { status, json } = await api.call(
    'GET',
    `/api/audit-entries?${new URLSearchParams({ limit: '100', ...query })}`,
  )
  assert.equal(status, 200)
  return json.items
}

/** A change made under a request id, from an address, with a program's name. */
async function act(requestId: string, method: string, path: string, json?: object) {
  const headers = {
    'x-request-id': requestId,
    'x-forwarded-for': '203.0.113.7',
    'user-agent': 'audit-test/1',
    'content-type': 'application/json',
  }
  return api.call(method, path, { headers, ...(json ? { json } : {}) })
}

test('the first start has recorded what it made, as the work of the system', async () => {
  const found = (await entries({ actorKind: 'system' })).map(({ action, target }) => [action, target.type])
  assert.ok(found.some(([action]) => action === 'workspace.create'))
  assert.ok(found.some(([action]) => action === 'api_token.create'))
})

test('every change is recorded with who, what, whence and under which request', async () => {
  const { json: endpoint } = await act('audit-1', 'POST', '/api/webhooks', { url: 'http://127.0.0.1:8099/h?key=hush' })
  await act('audit-2', 'PATCH', `/api/webhooks/${endpoint.id}`, { enabled: false, eventTypes: ['a'] })
  await act('audit-3', 'POST', `/api/webhooks/${endpoint.id}/rotate-secret`)
  await act('audit-4', 'POST', `/api/webhooks/${endpoint.id}/test`)
  await act('audit-5', 'POST', `/api/webhooks/${endpoint.id}/recover`, { since: '2026-01-01T00:00:00Z' })
  await act('audit-6', 'DELETE', `/api/webhooks/${endpoint.id}`)
  const { json: contact } = await act('audit-7', 'POST', '/api/contacts', { subjectId: 's', email: 'hush@example.com' })
  await act('audit-8', 'PATCH', `/api/contacts/${contact.id}`, { firstName: 'Hush' })
  const { json: made } = await act('audit-9', 'POST', '/api/auth/tokens', { name: 'ci', scopes: ['audit:read'] })
  await act('audit-10', 'DELETE', `/api/auth/tokens/${made.tokenInfo.id}`)
  const { json: me } = await api.call('GET', '/api/auth/me')

  const expected: [action: string, type: string, id: string][] = [
    ['webhook_endpoint.create', 'webhook_endpoint', endpoint.id],
    ['webhook_endpoint.update', 'webhook_endpoint', endpoint.id],
    ['webhook_endpoint.rotate_secret', 'webhook_endpoint', endpoint.id],
    ['webhook_endpoint.test', 'webhook_endpoint', endpoint.id],
    ['webhook_endpoint.recover', 'webhook_endpoint', endpoint.id],
    ['webhook_endpoint.delete', 'webhook_endpoint', endpoint.id],
    ['contact.create', 'contact', contact.id],
    ['contact.update', 'contact', contact.id],
    ['api_token.create', 'api_token', made.tokenInfo.id],
    ['api_token.revoke', 'api_token', made.tokenInfo.id],
  ]
  const found = (await entries({ ip: '203.0.113.7' })).reverse()
  assert.deepEqual(
    found.map(({ action, target }) => [action, target.type, target.id]),
    expected,
  )
  const ofEndpoint = found.filter(({ target }) => target.type === 'webhook_endpoint')
  for (const { action, target } of ofEndpoint) assert.equal(target.name, 'http://127.0.0.1:8099/h', action)
  for (const [index, entry] of found.entries()) {
    assert.deepEqual(Object.keys(entry), FIELDS)
    assert.match(entry.occurredAt, UTC)
    assert.deepEqual(entry.actor, { kind: 'api_token', id: me.id, name: me.name })
    assert.deepEqual([entry.requestId, entry.userAgent], [`audit-${index + 1}`, 'audit-test/1'])
  }
  assert.deepEqual(found[1]?.diff, { enabled: { from: true, to: false }, eventTypes: { from: [], to: ['a'] } })
  assert.deepEqual(found[2]?.diff, { secret: 'changed' })
  assert.deepEqual(found[7]?.diff, { firstName: 'changed' })
  assert.doesNotMatch(JSON.stringify(found), /hush|whsec_|prt_/i, 'no personal value and no secret')
})

test('what is refused or changes nothing leaves no entry', async () => {
  const before = await entries()
  await act('audit-none', 'POST', '/api/contacts', {})
  await act('audit-none', 'POST', '/api/contacts', { subjectId: 's' })
  await act('audit-none', 'PATCH', '/api/contacts/900000000', { firstName: 'x' })
  await act('audit-none', 'POST', '/api/webhooks', { url: 'http://10.0.0.1/' })
  assert.deepEqual(await entries(), before)
})

test('each of the nine filters narrows the log, and they combine', async () => {
  const all = await entries()
  const agrees = async (query: Record<string, string>, keeps: (entry: Entry) => boolean) => {
    const expected = all.filter(keeps)
    assert.ok(expected.length > 0 && expected.length < all.length, JSON.stringify(query))
    assert.deepEqual(await entries(query), expected, JSON.stringify(query))
  }
  const middle = all[Math.floor(all.length / 2)]!
  const actor = all.find((entry) => entry.actor.kind === 'api_token')!.actor
  await agrees({ from: middle.occurredAt }, (entry) => entry.occurredAt >= middle.occurredAt)
  await agrees({ to: middle.occurredAt }, (entry) => entry.occurredAt < middle.occurredAt)
  await agrees({ actorKind: 'api_token' }, (entry) => entry.actor.kind === 'api_token')
  await agrees({ actorId: actor.id! }, (entry) => entry.actor.id === actor.id)
  await agrees({ action: 'contact.create' }, (entry) => entry.action === 'contact.create')
  await agrees({ targetType: 'webhook_endpoint' }, (entry) => entry.target.type === 'webhook_endpoint')
  await agrees({ targetId: middle.target.id! }, (entry) => entry.target.id === middle.target.id)
  await agrees({ ip: '203.0.113.7' }, (entry) => entry.ip === '203.0.113.7')
  await agrees({ requestId: 'audit-3' }, (entry) => entry.requestId === 'audit-3')
  await agrees(
    { targetType: 'contact', action: 'contact.update', ip: '203.0.113.7' },
    (entry) => entry.action === 'contact.update',
  )
  const offset = middle.occurredAt.replace('Z', '+00:00')
  assert.deepEqual(await entries({ from: offset }), await entries({ from: middle.occurredAt }))
  for (const none of [{ action: 'contact' }, { requestId: 'audit-none' }, { ip: '203.0.113' }, { actorKind: 'user' }]) {
    assert.deepEqual(await entries(none as Record<string, string>), [])
  }
})

test("an actor's id is ignored when the kind is operator", async () => {
  await instance.sql(
    `insert into audit_entries (workspace_id, actor_kind, actor_name, action, target_type)
     values (1, 'operator', 'root', 'user.create', 'user')`,
  )
  const found = await entries({ actorKind: 'operator', actorId: '12345' })
  assert.deepEqual(
    found.map(({ action, actor }) => [action, actor]),
    [['user.create', { kind: 'operator', id: null, name: 'root' }]],
  )
})

test('a filter that does not fit is a 400 naming it', async () => {
  for (const query of [
    'from=yesterday',
    'to=2026-13-01T00:00:00Z',
    'actorKind=robot',
    'limit=0',
    'limit=101',
    'page=1',
  ]) {
    const { status, json } = await api.call('GET', `/api/audit-entries?${query}`)
    assert.equal(status, 400, query)
    assert.equal(json.errors[0].pointer, `/${query.split('=')[0]}`)
  }
})

test('pages are newest first and 25 long, and the last one has no cursor', async () => {
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      act('audit-page', 'POST', '/api/contacts', { subjectId: `page-${index}` }),
    ),
  )
  const { json: first } = await api.call('GET', '/api/audit-entries')
  assert.equal(first.items.length, 25)
  const all = await entries()
  const read: Entry[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const { json } = await api.call('GET', `/api/audit-entries?limit=7${cursor && `&cursor=${cursor}`}`)
    assert.ok(json.items.length === 7 || !('nextCursor' in json))
    read.push(...json.items)
    cursor = json.nextCursor
  }
  assert.deepEqual(read, all)
  // Zeros at the end of microseconds are left out, after which texts are in another order than the moments.
  const order = all.map(({ occurredAt }) =>
    occurredAt.replace(/(?:\.(\d+))?Z$/, (_, digits = '') => digits.padEnd(6, '0')),
  )
  assert.deepEqual(order, order.toSorted().reverse())
  for (const cursor of ['nonsense', 'W10', first.nextCursor.slice(1)]) {
    const { status, json } = await api.call('GET', `/api/audit-entries?cursor=${cursor}`)
    assert.deepEqual([status, json.code], [400, 'bad-cursor'], cursor)
  }
})

test('the chain over the log is intact, and a change behind its back shows', async () => {
  const verify = async () => (await api.call('GET', '/api/audit-entries/verify')).json
  await until('the log to be sealed', async () => (await verify()).unsealedEntries === 0, SEALED_WITHIN_MS)
  const { intact, brokenAt, sealedEntries } = await verify()
  assert.deepEqual([intact, brokenAt, sealedEntries], [true, null, (await entries()).length])
  const tamper = (action: string) =>
    instance.sql(`set session_replication_role = replica;
      update audit_entries set action = '${action}' where workspace_id = 1 and sequence = 3`)
  const [entry] = await instance.sql<{ action: string }>('select action from audit_entries where sequence = 3')
  await tamper('contact.forge')
  const broken = await verify()
  assert.deepEqual([broken.intact, broken.brokenAt], [false, 3])
  await tamper(entry!.action)
  assert.equal((await verify()).intact, true)
})

test('the community edition records the log and answers 402 for it', async () => {
  const community = await startInstance({
    env: {
      DATABASE_URL: instance.database.url,
      ENCRYPTION_KEY,
      BOOTSTRAP_TOKEN: instance.token,
      EDITION: 'community',
      ROLE: 'web',
    },
  })
  try {
    const there = await describedApi(community)
    for (const path of ['/api/audit-entries', '/api/audit-entries/verify', '/api/audit-entries/export']) {
      const { status, json } = await there.call('GET', path)
      assert.deepEqual([status, json.code], [402, 'not-in-edition'])
    }
    const headers = { 'x-request-id': 'audit-community' }
    const answer = await there.call('POST', '/api/contacts', { headers, json: { subjectId: 'community' } })
    assert.equal(answer.status, 201)
    assert.equal((await entries({ requestId: 'audit-community' })).length, 1)
  } finally {
    await community.stop()
  }
})

/** A request of the dashboard, as the owner of the workspace. */
async function asOwner() {
  const { email, password, baseUrl } = instance
  const headers = { origin: baseUrl, 'content-type': 'application/json' }
  const login = await send('POST', `${baseUrl}/site/auth/login`, { headers, json: { email, password } })
  const cookie = String(login.headers['set-cookie']).split(';', 1)[0]!
  return (method: string, path: string, json?: object) =>
    send(method, `${baseUrl}/site/workspaces/default${path}`, {
      headers: { ...headers, cookie },
      ...(json ? { json } : {}),
    })
}

test('an export holds what the list holds, as JSON Lines or CSV, and is recorded itself', async () => {
  await act('export-seed', 'POST', '/api/contacts', { subjectId: '=cmd()' })
  const download = (query: string) =>
    send('GET', `${instance.baseUrl}/api/audit-entries/export?${query}`, { token: instance.token })
  const listed = await entries({ actorKind: 'system' })
  const lines = await download('format=jsonl&actorKind=system')
  assert.equal(lines.status, 200)
  assert.equal(lines.headers['content-type'], 'application/x-ndjson; charset=utf-8')
  assert.deepEqual(
    lines.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    listed,
  )
  const { status, headers, text } = await api.call('GET', '/api/audit-entries/export?requestId=export-seed')
  assert.equal(status, 200)
  assert.equal(headers['content-disposition'], 'attachment; filename="audit-entries.csv"')
  const [heading, row, ...rest] = text.trimEnd().split('\n')
  assert.equal(
    heading,
    'id,occurredAt,actorKind,actorId,actorName,action,targetType,targetId,targetName,diff,requestId,ip,userAgent',
  )
  assert.match(row!, /,contact\.create,contact,\d+,,.*,export-seed,203\.0\.113\.7,audit-test\/1$/)
  assert.deepEqual(rest, [])
  const [latest] = await entries({ action: 'audit_log.export' })
  assert.deepEqual(latest?.diff, {
    format: { from: null, to: 'csv' },
    requestId: { from: null, to: 'export-seed' },
  })
  assert.equal((await api.call('GET', '/api/audit-entries/export?format=xml')).status, 400)
  assert.equal((await api.call('GET', '/api/audit-entries/export?limit=1')).status, 400)
})

test('an export of many pages misses and repeats nothing', async () => {
  const workspaceId = await instance.makeWorkspace('exports')
  const token = await instance.makeToken(undefined, workspaceId)
  await instance.sql(
    `insert into audit_entries (workspace_id, actor_kind, action, target_type, target_id, target_name)
     select $1, 'system', 'row.create', 'row', n, '=1+1' from generate_series(1, 2500) n`,
    [workspaceId],
  )
  const download = async (format: string) =>
    (await send('GET', `${instance.baseUrl}/api/audit-entries/export?format=${format}&targetType=row`, { token })).text
  const lines = (await download('jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).target.id)
  assert.deepEqual(new Set(lines).size, 2_500)
  assert.equal(lines.length, 2_500)
  const csv = (await download('csv')).trimEnd().split('\n')
  assert.equal(csv.length, 2_501)
  assert.ok(
    csv.slice(1).every((line) => line.includes(",'=1+1,")),
    'a formula is none any more',
  )
})

test('the dashboard lists, verifies and exports the same log', async () => {
  const site = await asOwner()
  const listed = await site('GET', '/audit-entries?limit=5&actorKind=system')
  assert.deepEqual(listed.json.items, (await entries({ actorKind: 'system' })).slice(0, 5))
  const { intact, fault } = (await site('GET', '/audit-entries/verify')).json
  assert.deepEqual([intact, fault], [true, null])
  const { status, text } = await site('GET', '/audit-entries/export?format=jsonl&action=workspace.create')
  assert.equal(status, 200)
  assert.equal(JSON.parse(text).action, 'workspace.create')
})

test('who runs a workspace sets how long its log is kept, and that is in the log', async () => {
  const site = await asOwner()
  assert.equal((await site('GET', '')).json.auditRetentionDays, null)
  for (const auditRetentionDays of [0, -1, 1.5, 36_501, '30']) {
    assert.equal((await site('PATCH', '', { auditRetentionDays })).status, 400, String(auditRetentionDays))
  }
  const { status, json } = await site('PATCH', '', { auditRetentionDays: 365 })
  assert.deepEqual([status, json.auditRetentionDays], [200, 365])
  const [entry] = await entries({ action: 'workspace.update' })
  assert.deepEqual(entry?.diff, { auditRetentionDays: { from: null, to: 365 } })
  assert.equal((await site('PATCH', '', { auditRetentionDays: null })).json.auditRetentionDays, null)
})
