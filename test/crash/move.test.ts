import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { BREVO_KEY, startBrevo } from '../support/brevo-peer.ts'
import { eventually } from '../support/eventually.ts'
import { type Instance, startInstance } from '../support/instance.ts'
import { mailchimpArchive } from '../support/mailchimp-archive.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { siteCaller } from '../support/site-caller.ts'
import { behindTheBack } from '../support/tested-instance.ts'

const PEOPLE = 1_500
/** A job of a dead process is given back within 20 s. */
const TAKEN_UP_WITHIN_MS = 60_000
/** The places where a process is killed: a page it has read, and a file whose import it has started, are not known as done. */
const KILLS = ['move_page_before_commit:3', 'move_people_before_commit']
const MOVES = '/site/workspaces/default/moves'

const database = await createTestDatabase()
const brevo = await startBrevo({ more: PEOPLE })
const env = {
  DATABASE_URL: database.url,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
}
let instance: Instance
after(async () => {
  await instance?.stop()
  await brevo.close()
  await database.drop()
})
const back = behindTheBack(database)
const browser = () => siteCaller({ baseUrl: instance.baseUrl, ...back })
const source = { source: 'brevo', address: `${brevo.url}/v3` }

async function count(text: string): Promise<number> {
  const [row] = await back.sql<{ n: number }>(`select count(*)::int as n from ${text}`)
  return row!.n
}

test('a move whose process is killed while it reads and while it brings in has everything once, and forgets its key', async () => {
  instance = await startInstance({ env: { ...env, POSTROOM_CRASH_POINT: KILLS[0]! } })
  const { cookie } = await browser().person('Owner', 'owner')
  const call = (method: string, path: string, given = {}) =>
    browser().call(method, `${MOVES}${path}`, { cookie, ...given })
  const begun = await call('POST', '', { json: { ...source, key: BREVO_KEY } })
  assert.equal(begun.status, 201, begun.text)
  assert.ok(!begun.text.includes(BREVO_KEY))
  const { id } = begun.json
  await instance.ended
  const [kept] = await back.sql<{ key: string }>('select sealed_key as key from moves')
  assert.ok(kept!.key.length > 0 && !kept!.key.includes('hush'), 'the key is sealed')

  instance = await startInstance({ env: { ...env, POSTROOM_CRASH_POINT: KILLS[1]! } })
  const read = async () => (await call('GET', `/${id}`)).json
  await eventually('it is read', async () => (await read()).state === 'read', TAKEN_UP_WITHIN_MS)
  const { foreseen, canStart, failure } = await read()
  assert.deepEqual([canStart, failure], [true, null])
  assert.deepEqual(foreseen.people, { total: PEOPLE + 7, withConsent: 3, withoutConsent: PEOPLE + 3 })
  assert.deepEqual(foreseen.templates, ['Receipt'])
  assert.equal(await count('contacts'), 0, 'nothing has come yet')
  assert.equal(await count(`moves where sealed_key is not null`), 0, 'the key is forgotten')
  assert.equal((await call('POST', `/${id}/start`)).status, 202)
  await instance.ended

  instance = await startInstance({ env })
  await eventually('it has come', async () => (await read()).state === 'done', TAKEN_UP_WITHIN_MS)
  const { moved } = await read()
  assert.deepEqual(
    moved.people.map(({ created, failed }: { created: number; failed: number }) => [created, failed]),
    [[PEOPLE + 6, 1]],
  )
  assert.deepEqual(
    [moved.optOuts.added + moved.optOuts.known, moved.templates.created, moved.broadcasts.created],
    [6, 1, 2],
  )
  assert.deepEqual(
    [await count('contacts'), await count('imports'), await count('suppressions'), await count('unsubscribes')],
    [PEOPLE + 6, 1, 3, 3],
  )
  assert.deepEqual(
    (await back.sql<{ action: string }>(`select action from audit_entries where action like 'move.%' order by id`)).map(
      ({ action }) => action,
    ),
    ['move.create', 'move.start', 'move.end'],
  )
  await eventually('what was read is gone', async () => (await count('file_chunks')) === 0, TAKEN_UP_WITHIN_MS)
})

test('an archive comes in the same way, and once more it changes nothing', async () => {
  const { cookie } = await browser().person('Second', 'owner')
  const call = (method: string, path: string, given = {}) =>
    browser().call(method, `${MOVES}${path}`, { cookie, ...given })
  const settled = async (id: string, state: string) => {
    const read = async () => (await call('GET', `/${id}`)).json
    await eventually(
      `it is ${state}`,
      async () => !['reading', 'running'].includes((await read()).state),
      TAKEN_UP_WITHIN_MS,
    )
    const move = await read()
    assert.equal(move.state, state, JSON.stringify(move))
    return move
  }
  const uploaded = (body: Buffer) =>
    call('POST', '/files?source=mailchimp-archive', { body, headers: { 'content-type': 'application/zip' } })
  for (const [created, known] of [
    [7, 0],
    [0, 3],
  ]) {
    const { json, status, text } = await uploaded(mailchimpArchive())
    assert.equal(status, 201, text)
    assert.equal((await settled(json.id, 'read')).foreseen.people.total, 8)
    assert.equal((await call('POST', `/${json.id}/start`)).status, 202)
    const { moved } = await settled(json.id, 'done')
    const people = moved.people.reduce((sum: number, one: { created: number }) => sum + one.created, 0)
    // The same file is the same import, whose counts are shown again.
    assert.deepEqual([people, moved.optOuts.known], [7, known], String(created))
  }
  assert.equal(await count(`contacts where email like '%@move.example'`), 7)
  const broken = await uploaded(Buffer.from('no archive'))
  assert.match((await settled(broken.json.id, 'failed')).failure, /it is no ZIP archive/)
})

test('an address that is not public, a wrong key, a second move and a role that may not are refused', async () => {
  const { cookie } = await browser().person('Third', 'owner')
  const call = (method: string, path: string, given = {}) =>
    browser().call(method, `${MOVES}${path}`, { cookie, ...given })
  const begin = (body: object) => call('POST', '', { json: body })
  const inside = await begin({ source: 'keila', address: 'http://10.0.0.7:3000', key: 'k' })
  assert.deepEqual([inside.status, inside.json.errors[0].pointer], [422, '/address'])
  const nowhere = await begin({ source: 'listmonk', key: 'k' })
  assert.deepEqual([nowhere.status, nowhere.json.errors[0].pointer], [422, '/address'])
  const none = await begin({ source: 'mailchimp', key: 'none' })
  assert.deepEqual([none.status, none.json.errors[0].pointer], [422, '/key'])

  const wrong = await begin({ ...source, key: 'wrong-and-secret' })
  const read = async () => (await call('GET', `/${wrong.json.id}`)).json
  await eventually('it has failed', async () => (await read()).state === 'failed', TAKEN_UP_WITHIN_MS)
  assert.match((await read()).failure, /refuses the login/)
  assert.equal((await call('POST', `/${wrong.json.id}/start`)).status, 409)
  for (const line of [JSON.stringify(await read()), instance.output()]) assert.ok(!line.includes('wrong-and-secret'))

  const first = await begin({ ...source, key: BREVO_KEY })
  const second = await begin({ ...source, key: BREVO_KEY })
  assert.deepEqual([first.status, second.status, second.json.code], [201, 409, 'limit-reached'])
  assert.equal((await call('POST', `/${first.json.id}/cancel`)).json.state, 'canceled')
  const { cookie: viewer } = await browser().person('Viewer', 'viewer')
  assert.equal((await call('GET', '', { cookie: viewer })).status, 200)
  assert.equal((await call('POST', '', { cookie: viewer, json: { ...source, key: 'k' } })).status, 403)
})
