import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inOneMinute } from '../../../test/support/in-one-minute.ts'
import { quietServer } from '../../../test/support/quiet-server.ts'
import { testWorkspace } from '../../../test/support/workspace.ts'
import { queryInScope } from '../../platform/db/transaction.ts'
import { nothing } from '../../platform/http/answers.ts'
import type { HttpApp } from '../../platform/http/http-app.ts'
import { FreeForm } from '../../platform/schema/schemas.ts'
import { COLLECT_DOOR, routesOf } from '../door.ts'
import { createTrackerFinder } from './find-tracker.ts'
import { collectRoutes, guardCollect, trackerOf } from './guard-collect.ts'
import { createTracker, deleteTracker, rotateTrackerKey, updateTracker } from './manage-trackers.ts'
import { makeTrackerKey } from './tracker-key.ts'

const { pool: sql, workspaceId, caller } = await testWorkspace()
const deps = { sql }
const LIMITS = { tracker: 40, address: 10 }

/** A route of its own behind the guard, which says whose key it was. */
async function served(limits = { tracker: 0, address: 0 }): Promise<HttpApp> {
  const app = quietServer({ trustProxy: true, https: false })
  guardCollect(app, { sql, find: createTrackerFinder(sql), limits, tally: { noteRefusal: () => undefined } })
  collectRoutes(app, (scope) => {
    const routes = routesOf(scope, COLLECT_DOOR, { path: '/things', family: 'Things' })
    routes.post('', 'create', {
      needs: 'tracker',
      summary: 'Record a thing',
      body: FreeForm,
      answers: { 204: nothing() },
      handle: async (request, reply) => {
        reply.header('x-tracker', trackerOf(request).id)
      },
    })
  })
  await app.ready()
  after(() => app.close())
  return app
}

const app = await served()
const post = (payload: object | string, headers: Record<string, string> = {}, to = app) =>
  to.inject({ method: 'POST', url: '/collect/things', payload, headers })
const text = { 'content-type': 'text/plain;charset=UTF-8' }

test('a key is good in a header and in the body, as JSON and as text, and any other is a 401', async () => {
  const { id, key } = await createTracker(deps, caller, { name: 'Shop' })
  for (const answer of [
    await post({}, { 'x-collect-key': key }),
    await post({ key }),
    await post(JSON.stringify({ key }), text),
  ]) {
    assert.deepEqual([answer.statusCode, answer.headers['x-tracker']], [204, id])
  }
  for (const answer of [
    await post({}),
    await post('', text),
    await post({ key: 7 }),
    await post({ key: 'prc_nonsense' }),
    await post({ key: makeTrackerKey() }),
    await post({ key }, { 'x-collect-key': makeTrackerKey() }),
  ]) {
    assert.deepEqual([answer.statusCode, answer.json().code], [401, 'invalid-collect-key'])
  }
  assert.equal((await post('{', text)).json().code, 'invalid-json')
  assert.equal((await post('key=1', { 'content-type': 'application/x-www-form-urlencoded' })).statusCode, 415)
  const large = { key, fill: 'x'.repeat(512 * 1024) }
  assert.equal((await post(large)).statusCode, 413)
})

test('a page of an allowed origin can read the answer, faults too; one of another is refused and cannot', async () => {
  const { key } = await createTracker(deps, caller, { name: 'Shop', allowedOrigins: ['https://shop.example'] })
  const origin = 'https://shop.example'
  for (const [answer, status] of [
    [await post({ key }, { origin }), 204],
    [await post({ key: 'prc_nonsense' }, { origin }), 401],
    [await post('{', { ...text, origin }), 400],
  ] as const) {
    assert.equal(answer.statusCode, status)
    assert.equal(answer.headers['access-control-allow-origin'], origin)
    assert.equal(answer.headers['access-control-expose-headers'], 'Retry-After, X-Request-Id')
    assert.equal(answer.headers.vary, 'Origin')
    assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  }
  const nothing = await app.inject({
    method: 'POST',
    url: '/collect/nothing?a=1',
    payload: { key },
    headers: { origin },
  })
  assert.deepEqual([nothing.statusCode, nothing.headers['access-control-allow-origin']], [404, origin])
  const elsewhere = await app.inject({ method: 'POST', url: '/nothing', payload: { key }, headers: { origin } })
  assert.deepEqual([elsewhere.statusCode, elsewhere.headers['access-control-allow-origin']], [404, undefined])
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, {}] as Record<string, string>[]) {
    const refused = await post({ key }, headers)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'origin-not-allowed'])
    assert.equal(refused.headers['access-control-allow-origin'], undefined)
  }
})

test('a browser that asks before is told what it may send, for two hours', async () => {
  const asked = await app.inject({
    method: 'OPTIONS',
    url: '/collect/things',
    headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
  })
  assert.equal(asked.statusCode, 204)
  assert.equal(asked.headers['access-control-allow-origin'], 'https://shop.example')
  assert.equal(asked.headers['access-control-allow-methods'], 'GET, POST')
  const headers = 'content-type, x-collect-key, authorization, x-retry-count'
  assert.equal(asked.headers['access-control-allow-headers'], headers)
  assert.equal(asked.headers['access-control-max-age'], '7200')
})

test('a rotation leaves the old key for a week and ends the one before; a deleted tracker has none', async () => {
  const first = await createTracker(deps, caller, { name: 'Rotated' })
  const second = await rotateTrackerKey(deps, caller, first.id)
  const week = Date.parse(second.previousKeyUntil!) - Date.parse(second.updatedAt)
  assert.equal(week, 7 * 24 * 3_600_000)
  assert.equal(first.previousKeyUntil, null)
  assert.equal((await post({ key: first.key })).statusCode, 204)
  const third = await rotateTrackerKey(deps, caller, first.id)
  // Each with a memory of its own: an answer may be almost a second old.
  const statusOf = async (key: string) => (await post({ key }, {}, await served())).statusCode
  assert.deepEqual([await statusOf(first.key), await statusOf(second.key), await statusOf(third.key)], [401, 204, 204])
  const keysOf = async (key: string) => (await createTrackerFinder(sql)(key))!.keys
  assert.deepEqual([await keysOf(second.key), await keysOf(third.key)], Array(2).fill([third.key, second.key]))
  await queryInScope(sql, workspaceId, {
    text: `update trackers set previous_until = now() where workspace_id = $1 and id = $2`,
    values: [workspaceId, first.id],
  })
  assert.equal(await statusOf(second.key), 401)
  assert.deepEqual(await keysOf(third.key), [third.key])
  await deleteTracker(deps, caller, { id: first.id })
  assert.equal(await statusOf(third.key), 401)
})

test('origins and names are kept as they are compared, and what is none is refused by its place', async () => {
  const made = await createTracker(deps, caller, {
    name: ' Shop ',
    allowedOrigins: ['https://Shop.example/', 'https://shop.example'],
    serverOnlyActions: ['order.paid', 'order.paid'],
  })
  assert.deepEqual(
    [made.name, made.allowedOrigins, made.serverOnlyActions],
    ['Shop', ['https://shop.example'], ['order.paid']],
  )
  assert.deepEqual(
    [made.consentMode, made.identify, made.respectGpc, made.paused],
    ['required', 'unsigned', true, false],
  )
  const change = { name: '', allowedOrigins: ['https://a.example', 'a'], allowedActions: ['\u0007'] }
  await assert.rejects(
    updateTracker(deps, caller, { id: made.id, change }),
    (problem: { errors: { pointer: string }[] }) => {
      assert.deepEqual(
        problem.errors.map(({ pointer }) => pointer),
        ['/name', '/allowedOrigins/1', '/allowedActions/0'],
      )
      return true
    },
  )
})

test('a tracker has a minute of its own, and so has an address, whatever it shows', async () => {
  await inOneMinute(async () => {
    const limited = await served(LIMITS)
    const { key } = await createTracker(deps, caller, { name: 'Busy' })
    const passed: number[] = []
    for (let address = 0; address < 5; address++) {
      let count = 0
      for (let n = 0; n <= LIMITS.address; n++) {
        const headers = { 'x-forwarded-for': `192.0.2.${address}`, origin: 'https://a.example' }
        const answer = await post({ key }, headers, limited)
        if (answer.statusCode === 204) count++
        else {
          assert.equal(answer.statusCode, 429)
          assert.match(String(answer.headers['retry-after']), /^[0-9]+$/)
          assert.equal(answer.headers['access-control-allow-origin'], 'https://a.example')
        }
      }
      passed.push(count)
    }
    assert.deepEqual(passed, [10, 10, 10, 10, 0])
  })
})
