import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureAllPartitions } from '../../../test/support/partitions.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { createPool } from '../../platform/db/pool.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { Secret } from '../../platform/telemetry/secret.ts'
import { guardSurfaces } from '../auth/guard.ts'
import { NO_LIMITS } from '../auth/limit-requests.ts'
import { bootstrap } from '../workspaces/bootstrap.ts'
import { eventsApi } from './api.ts'
import { createIntakeWriter } from './event-intakes.ts'
import { EVENTS_PER_REQUEST_MAX } from './schemas.ts'

const TOKEN = 'preset token of the operator, 32+'

let database: TestDatabase
let sql: ReturnType<typeof createPool>
let app: HttpApp
let commits = 0

before(async () => {
  database = await createTestDatabase()
  sql = createPool({ name: 'sql', url: database.url, max: 5 })
  await bootstrap(
    { sql },
    { email: undefined, password: undefined, token: new Secret(TOKEN), workspaceName: undefined },
  )
  await ensureAllPartitions(sql)
  app = quietServer({ trustProxy: false, https: false })
  guardSurfaces(app, { sql, appUrl: undefined, baseUrl: new URL('http://localhost'), limits: NO_LIMITS })
  eventsApi(app, { intake: createIntakeWriter({ sql, onCommitted: () => commits++ }) })
})
after(async () => {
  await app.close()
  await sql.end()
  await database.drop()
})

const post = (payload: object, url = '/api/events/batch') =>
  app.inject({ method: 'POST', url, headers: { authorization: `Bearer ${TOKEN}` }, payload })

async function recorded(): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>('delete from outbox returning name, position')
  return rows.map((row) => row.name)
}

const good = (action: string) => ({ action, subjectId: 'ada' })

test('items that are events are recorded in one commit, each of the others is answered with its fault', async () => {
  commits = 0
  const answer = await post({
    events: [
      good('first'),
      { action: 'nobody' },
      { ...good('huge'), properties: { text: 'x'.repeat(32 * 1024) } },
      good('contact.created'),
      { ...good('typo'), propertys: {} },
      good(''),
      { ...good('later'), occurredAt: 'tomorrow' },
      { ...good('epoch'), occurredAt: 1_764_503_200 },
      { ...good('last'), properties: { nested: { n: 1 } } },
    ],
  })
  assert.equal(answer.statusCode, 200)
  const failed = (index: number, error: string) => ({ index, status: 'failed', error })
  assert.deepEqual(answer.json(), {
    results: [
      { index: 0, status: 'accepted' },
      failed(1, 'needs at least one of subjectId, email, phone'),
      failed(2, '/properties must have at most 32768 bytes as JSON'),
      failed(3, "/action must not begin with contact.: such names are the system's own"),
      failed(4, '/propertys is not a known field; did you mean properties?'),
      failed(5, '/action must not have fewer than 1 characters'),
      ...[6, 7].map((index) =>
        failed(
          index,
          '/occurredAt must be a time with its zone as RFC 3339 has them, as 2026-11-21T03:10:40Z, of a year from 2 to 9998',
        ),
      ),
      { index: 8, status: 'accepted' },
    ],
  })
  assert.equal(commits, 1)
  assert.deepEqual(await recorded(), ['first', 'last'])
})

test('whatever stands in the place of an event fails alone', async () => {
  const strange = [null, 17, 'text', [], {}, [good('in a list')], 12345678901234567890n]
  const body = `{"events":[${strange.map((item) => (typeof item === 'bigint' ? item : JSON.stringify(item))).join()}, ${JSON.stringify(good('real'))}]}`
  const answer = await app.inject({
    method: 'POST',
    url: '/events/batch',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    payload: body,
  })
  assert.equal(answer.statusCode, 200)
  const { results } = answer.json<{ results: { status: string; error?: string }[] }>()
  assert.deepEqual(
    results.map((result) => result.status),
    [...strange.map(() => 'failed'), 'accepted'],
  )
  assert.ok(results.slice(0, -1).every((result) => result.error))
  assert.deepEqual(await recorded(), ['real'])
})

test('a request in which nothing is an event writes nothing', async () => {
  commits = 0
  const answer = await post({ events: [{ action: 'nobody' }] })
  assert.equal(answer.json().results[0].status, 'failed')
  assert.equal(commits, 0)
})

test('an item repeated under its id is accepted and recorded once', async () => {
  const event = { ...good('once'), id: 'order-1' }
  for (const events of [[event, event], [event]]) {
    const { results } = (await post({ events })).json()
    assert.ok(results.every((result: { status: string }) => result.status === 'accepted'))
  }
  assert.deepEqual(await recorded(), ['once'])
})

test('the request itself is held to its form', async () => {
  const tooMany = Array.from({ length: EVENTS_PER_REQUEST_MAX + 1 }, () => good('many'))
  for (const body of [{}, { events: [] }, { events: 'all' }, { events: tooMany }, { events: [good('a')], more: 1 }]) {
    assert.equal((await post(body)).statusCode, 400)
  }
  assert.deepEqual(await recorded(), [])
})
