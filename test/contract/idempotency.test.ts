import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type Answer, type Call, send } from '../support/http-client.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { siteCaller } from '../support/site-caller.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'

const ENCRYPTION_KEY = randomBytes(32).toString('base64')

let instance: TestedInstance
/** A second process on the same database. */
let other: Instance

before(async () => {
  instance = await startTestedInstance({ ENCRYPTION_KEY })
  other = await sibling()
})
after(async () => {
  await other.stop()
  await instance.close()
})

/** Another process on the instance's database, which dies at a crash point when one is given. */
function sibling(crashPoint?: string): Promise<Instance> {
  return startInstance({
    env: {
      DATABASE_URL: instance.database.url,
      ENCRYPTION_KEY,
      WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
      BOOTSTRAP_TOKEN: instance.token,
      ...(crashPoint === undefined ? {} : { POSTROOM_CRASH_POINT: crashPoint }),
    },
  })
}

type Post = Call & { key: string; at?: Instance }

function post(path: string, { key, at = instance, ...call }: Post): Promise<Answer> {
  const headers = { 'idempotency-key': key, ...call.headers }
  return send('POST', at.baseUrl + path, { token: instance.token, ...call, headers })
}

const newSubject = () => ({ subjectId: `s-${randomUUID()}` })
const contactsNamed = async ({ subjectId }: { subjectId: string }) =>
  (await instance.sql('select id from contacts where subject_id = $1', [subjectId])).length
const endLeases = () => instance.sql('update idempotency_keys set leased_until = now() where status is null')

test('a repeat is answered word for word as the first request, and marked', async () => {
  const json = newSubject()
  const call = { key: 'create-1', json }
  const first = await post('/api/contacts', call)
  assert.equal(first.status, 201)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  for (const [path, at] of [
    ['/api/contacts', instance],
    ['/contacts', instance],
    ['/api/contacts', other],
  ] as const) {
    const again = await post(path, { ...call, at })
    assert.equal(again.status, 201)
    assert.equal(again.text, first.text)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    for (const name of ['content-type', 'etag']) assert.equal(again.headers[name], first.headers[name], name)
    assert.notEqual(again.headers['x-request-id'], first.headers['x-request-id'])
  }
  assert.equal(await contactsNamed(json), 1)
})

test('of many requests with one key at once, on two processes, one is carried out', async () => {
  const seen = new Set<number>()
  for (let round = 0; round < 10; round++) {
    const call = { key: `burst-${round}`, json: newSubject() }
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => post('/api/contacts', { ...call, at: index % 2 ? other : instance })),
    )
    const made = answers.filter((answer) => answer.status === 201)
    assert.equal(new Set(made.map((answer) => answer.json.id)).size, 1)
    assert.equal(made.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1)
    for (const answer of answers) {
      seen.add(answer.status)
      if (answer.status === 201) continue
      assert.equal(answer.json.code, 'request-in-flight')
      assert.ok(Number(answer.headers['retry-after']) >= 1)
    }
    assert.equal(await contactsNamed(call.json), 1)
  }
  assert.ok(seen.has(201))
})

test('a key belongs to one request: another body, path or query is refused', async () => {
  const call = { key: 'one-request', json: newSubject() }
  assert.equal((await post('/api/contacts', call)).status, 201)
  for (const [path, json] of [
    ['/api/contacts', newSubject()],
    ['/api/contacts', { ...call.json, firstName: 'Ada' }],
    ['/api/webhooks', { url: 'http://127.0.0.1:8099/hook' }],
    ['/api/contacts?page=2', call.json],
  ] as const) {
    const answer = await post(path, { key: call.key, json })
    assert.equal(answer.status, 422, path)
    assert.equal(answer.json.code, 'idempotency-key-reused')
  }
})

test('a key belongs to its token and its workspace', async () => {
  const json = newSubject()
  const [second, stranger] = [
    await instance.makeToken(),
    await instance.makeToken(undefined, await instance.makeWorkspace('neighbour')),
  ]
  const key = 'shared'
  assert.equal((await post('/api/contacts', { key, json })).status, 201)
  assert.equal((await post('/api/contacts', { key, json, token: second })).json.code, 'conflict')
  const theirs = await post('/api/contacts', { key, json, token: stranger })
  assert.equal(theirs.status, 201)
  assert.equal(theirs.headers['idempotent-replayed'], undefined)
})

test('a key is 1 to 255 visible ASCII characters', async () => {
  for (const key of [' ', 'a b', 'x'.repeat(256), 'é']) {
    const answer = await post('/api/contacts', { key, json: newSubject() })
    assert.equal(answer.status, 400, JSON.stringify(key))
    assert.deepEqual(answer.json.errors[0].pointer, '/Idempotency-Key')
  }
  for (const key of ['x', 'x'.repeat(255), '!"#$%&\'()*+,-./~']) {
    assert.equal((await post('/api/contacts', { key, json: newSubject() })).status, 201, key)
  }
})

test('a refusal by a rule is repeated, one for its form is not recorded', async () => {
  const json = newSubject()
  await post('/api/contacts', { key: 'taken', json })
  const clash = await post('/api/contacts', { key: 'clash', json })
  assert.equal(clash.json.code, 'conflict')
  await instance.sql('delete from contacts where subject_id = $1', [json.subjectId])
  const again = await post('/api/contacts', { key: 'clash', json })
  assert.equal(again.text, clash.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')

  for (const bad of [{ nonsense: true }, {}, { email: 'no address' }]) {
    assert.equal((await post('/api/contacts', { key: 'mended', json: bad })).status, 400)
  }
  assert.equal((await post('/api/contacts', { key: 'mended', json: newSubject() })).status, 201)
})

test('events of a repeated request are recorded once, with and without ids of their own', async () => {
  const action = `seen.${randomUUID()}`
  const json = {
    events: [
      { action, subjectId: 'a' },
      { action, subjectId: 'a' },
      { action, subjectId: 'a', id: action },
    ],
  }
  const recorded = async () => (await instance.sql('select from outbox where name = $1', [action])).length
  const call = { key: `events-${action}`, json }
  const first = await post('/api/events', call)
  assert.equal(first.status, 204)
  const again = await post('/api/events', call)
  assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [204, '', 'true'])
  assert.equal(await recorded(), 3)
  // As if the process had died before it could record the answer.
  await instance.sql('update idempotency_keys set status = null, answer = null, leased_until = now()')
  const repeated = await post('/api/events', call)
  assert.deepEqual([repeated.status, repeated.headers['idempotent-replayed']], [204, undefined])
  assert.equal(await recorded(), 3)
  const batch = await post('/api/events/batch', { key: `batch-${action}`, json })
  assert.deepEqual(
    batch.json.results.map((result: { status: string }) => result.status),
    Array(3).fill('accepted'),
  )
  assert.equal(await recorded(), 5)
  assert.equal((await send('POST', `${instance.baseUrl}/api/events`, { token: instance.token, json })).status, 204)
  assert.equal(await recorded(), 7)
})

test('killed before anything was done, a request is carried out by its repeat', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  const dying = await sibling('key_claimed')
  await assert.rejects(post('/api/contacts', { ...call, at: dying }))
  await dying.ended
  const early = await post('/api/contacts', call)
  assert.equal(early.json.code, 'request-in-flight')
  assert.ok(Number(early.headers['retry-after']) > 1)
  await endLeases()
  assert.equal((await post('/api/contacts', call)).status, 201)
  assert.equal(await contactsNamed(call.json), 1)
})

test('killed between effect and answer, a request is never carried out again', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  const dying = await sibling('key_before_answer')
  await assert.rejects(post('/api/contacts', { ...call, at: dying }))
  await dying.ended
  assert.equal((await post('/api/contacts', call)).json.code, 'request-in-flight')
  await endLeases()
  for (const at of [instance, other]) {
    const answer = await post('/api/contacts', { ...call, at })
    assert.equal(answer.status, 409)
    assert.equal(answer.json.code, 'idempotent-answer-lost')
    const [row] = await instance.sql<{ id: string }>('select id from contacts where subject_id = $1', [
      call.json.subjectId,
    ])
    assert.match(answer.json.detail, new RegExp(`contact ${row!.id}\\b`))
  }
  assert.equal(await contactsNamed(call.json), 1)
})

test('killed after its answer was recorded, a request is answered with it', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  const dying = await sibling('key_after_answer')
  await assert.rejects(post('/api/contacts', { ...call, at: dying }))
  await dying.ended
  const answer = await post('/api/contacts', call)
  assert.equal(answer.status, 201)
  assert.equal(answer.json.subjectId, call.json.subjectId)
  assert.equal(answer.headers['idempotent-replayed'], 'true')
})

test('after 24 hours a key is as new, and a job forgets it', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  assert.equal((await post('/api/contacts', call)).status, 201)
  const [kept] = await instance.sql<{ hours: number }>(
    'select round(extract(epoch from max(expires_at) - now()) / 3600)::int as hours from idempotency_keys',
  )
  assert.equal(kept!.hours, 24)
  await instance.sql('update idempotency_keys set expires_at = now()')
  assert.equal((await post('/api/contacts', call)).json.code, 'conflict')
  assert.equal((await post('/api/contacts', { ...call, json: newSubject() })).status, 422)
})

test('answers are kept encrypted', async () => {
  const call = { key: 'an-endpoint', json: { url: 'https://example.com/kept-encrypted' } }
  const answer = await post('/api/webhooks', call)
  assert.deepEqual((await post('/api/webhooks', call)).json, answer.json)
  const dump = JSON.stringify(await instance.sql('select answer, target_id from idempotency_keys'))
  assert.ok(!dump.includes('kept-encrypted'))
})

test('a token is shown once: a repeat of the request that made it is told which one it made', async () => {
  const call = { key: 'a-token', json: { name: 'x', scopes: ['audit:read'] } }
  const made = await post('/api/auth/tokens', call)
  assert.equal(made.status, 201)
  const again = await post('/api/auth/tokens', call)
  assert.deepEqual([again.status, again.json.code], [409, 'idempotent-answer-lost'])
  assert.match(again.json.detail, new RegExp(`\\b${made.json.tokenInfo.id}\\b`))
  assert.ok(!JSON.stringify(again.json).includes(made.json.token))
})

test('what had no effect leaves its key to the next repeat when the database failed it', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  await instance.sql(`alter table contacts add constraint refuse_all check (subject_id <> '${call.json.subjectId}')`)
  const broken = await post('/api/contacts', call)
  assert.equal(broken.status, 500)
  await instance.sql('alter table contacts drop constraint refuse_all')
  assert.equal((await post('/api/contacts', call)).status, 201)
})

test('the answer about a contact is gone with the contact', async () => {
  const call = { key: randomUUID(), json: newSubject() }
  const { id } = (await post('/api/contacts', call)).json
  assert.equal((await send('DELETE', `${instance.baseUrl}/api/contacts/${id}`, { token: instance.token })).status, 204)
  const again = await post('/api/contacts', call)
  assert.equal(again.json.code, 'idempotent-answer-lost')
  assert.match(again.json.detail, new RegExp(`contact ${id}\\b`))
})

test('an upload that is read while it arrives is taken once', async () => {
  const upload = (csv: string) => ({ key: 'upload', body: csv, headers: { 'content-type': 'text/csv' } })
  const first = await post('/api/contacts/imports', upload('email\nada@example.com\n'))
  assert.equal(first.status, 201)
  const again = await post('/api/contacts/imports', upload('email\nada@example.com\n'))
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await post('/api/contacts/imports', upload('email\nother@example.com\n'))).status, 422)
  assert.equal((await instance.sql('select from imports')).length, 1)
})

test('the dashboard API heeds keys as the management API does, each person with keys of their own', async () => {
  const site = siteCaller(instance)
  const [ada, grace] = [await site.person('Ada', 'admin'), await site.person('Grace', 'admin')]
  const key = { 'idempotency-key': 'site-1' }
  const make = (who: typeof ada, json: object, path = 'contacts') =>
    site.call('POST', `/site/workspaces/default/${path}`, { cookie: who.cookie, json, headers: key })
  const json = newSubject()
  const first = await make(ada, json)
  assert.equal(first.status, 201)
  const again = await make(ada, json)
  assert.deepEqual([again.status, again.text], [201, first.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal((await make(ada, newSubject())).json.code, 'idempotency-key-reused')
  assert.equal((await make(grace, json)).json.code, 'conflict')
  assert.equal(await contactsNamed(json), 1)
})

test('a token of the dashboard is shown once as well, made once, and kept nowhere', async () => {
  const site = siteCaller(instance)
  const { cookie } = await site.person('Edith', 'admin')
  const call = { cookie, json: { name: 'shop', scopes: ['audit:read'] }, headers: { 'idempotency-key': 'site-token' } }
  const first = await site.call('POST', '/site/workspaces/default/tokens', call)
  assert.equal(first.status, 201)
  const again = await site.call('POST', '/site/workspaces/default/tokens', call)
  assert.deepEqual([again.status, again.json.code], [409, 'idempotent-answer-lost'])
  const { json } = await site.call('GET', '/site/workspaces/default/tokens', { cookie })
  assert.equal(json.items.filter((token: { name: string }) => token.name === 'shop').length, 1)
  const stored = JSON.stringify(await instance.sql('select * from idempotency_keys'))
  assert.ok(!stored.includes(first.json.token))
})

test('what only the dashboard API changes marks its key with the effect as well', async () => {
  const site = siteCaller(instance)
  const { cookie } = await site.person('Mary', 'owner')
  const base = '/site/workspaces/default'
  const calls: [path: string, json?: object][] = [
    ['invitations', { email: 'invited@example.com', role: 'viewer' }],
    ['feedback-hooks/rotate'],
    ['leave'],
  ]
  for (const [path, json] of calls) {
    await instance.sql('delete from idempotency_keys')
    const headers = { 'idempotency-key': `marks-${path}` }
    const call = { cookie, headers, ...(json === undefined ? {} : { json }) }
    const { status, text } = await site.call('POST', `${base}/${path}`, call)
    assert.ok(status < 300, `${path} ${status} ${text}`)
    const kept = await instance.sql<{ marked: boolean }>('select took_effect as marked from idempotency_keys')
    assert.deepEqual(kept, [{ marked: true }], path)
  }
})
