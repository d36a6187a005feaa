import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Answer, send } from '../support/http-client.ts'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { siteCaller } from '../support/site-caller.ts'
import { takeAsLong } from '../support/take-as-long.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { describedApi } from './described-api.ts'
import {
  bodyOf,
  callWorld,
  type Ids,
  idsIn,
  kindsIn,
  pathWith,
  put,
  referencesIn,
  rowsOf,
  type Seeding,
  seed,
  type World,
  worldIn,
} from './isolation-seeds.ts'

/*
 * Every operation that takes an id, with the id of another workspace in each place, for every kind of caller: the answer
 * is the one to an id that exists nowhere. Made from the routes that are declared; one whose ids or references nobody
 * knows how to make fails here.
 */

const UNKNOWN = '900000001'
/** Ways that belong to no workspace: an invitation is opened by its secret. */
const OPEN = ['/site/invitations/{token}']
/** Operations that answer 404 for what a new one lacks: a second factor, a change of its type, past triggers that come in. */
const LACKING = ['Members_resetSecondFactor', 'CustomFields_getRetype', 'Automations_revokeBackfill']
/** Ids of a person's own, and of the installation's. */
const OF_NO_WORKSPACE = ['/site/auth/', '/site/system/']

let instance: TestedInstance
let seeding: Seeding
let mine: World
let theirs: World
let routes: DeclaredRoute[]
/** One of each kind of each path in each world, for requests that are refused: nothing changes them. */
const kept = new Map<string, Promise<Ids>>()
type Actor = { name: string; headers: Record<string, string>; token?: string }
let actors: Record<'api' | 'site', Actor[]>

before(async () => {
  instance = await startTestedInstance()
  routes = (await declaredRoutes()).filter(({ path }) => !OPEN.includes(path))
  const site = siteCaller(instance)
  seeding = { instance, routes }
  ;[mine, theirs] = [await worldIn(instance, 'mine'), await worldIn(instance, 'theirs')]
  const third = await worldIn(instance, 'third')
  const token = async (change: string) => {
    const made = await instance.makeToken(undefined, mine.workspaceId)
    await instance.sql(`update api_tokens set ${change} where id = (select max(id) from api_tokens)`)
    return made
  }
  const viewer = await site.person('viewer-of-mine', 'viewer', mine.workspaceId)
  const cookie = (value: string) => ({ cookie: value, origin: instance.baseUrl })
  actors = {
    api: [
      { name: 'every scope', headers: {}, token: mine.token },
      { name: 'another scope', headers: {}, token: await instance.makeToken(['mcp:send'], mine.workspaceId) },
      { name: 'a third workspace', headers: {}, token: third.token },
      { name: 'revoked', headers: {}, token: await token('revoked_at = now()') },
      { name: 'expired', headers: {}, token: await token(`expires_at = now() - interval '1 day'`) },
      { name: 'nobody', headers: {} },
    ],
    site: [
      { name: 'owner', headers: cookie(mine.cookie) },
      { name: 'viewer', headers: cookie(viewer.cookie) },
      { name: 'no member', headers: cookie(third.cookie) },
      { name: 'nobody', headers: { origin: instance.baseUrl } },
      { name: 'another site', headers: { cookie: mine.cookie, origin: 'https://evil.example' } },
    ],
  }
})
after(() => instance.close())

const workspaceRoutes = () => routes.filter(({ path }) => !OF_NO_WORKSPACE.some((base) => path.startsWith(base)))
const withIds = () => workspaceRoutes().filter(({ path }) => kindsIn(path).length > 0)

function keptIdsIn(world: World, { path }: DeclaredRoute): Promise<Ids> {
  const key = `${world.name} ${path.replace(/^\/site\/workspaces\/\{slug\}\//, '/api/')}`
  const found = kept.get(key) ?? idsIn(seeding, world, path)
  kept.set(key, found)
  return found
}

function as(actor: Actor, route: DeclaredRoute, path: string, json = bodyOf(route)): Promise<Answer> {
  const { headers, token } = actor
  return send(route.method, instance.baseUrl + path, {
    headers: { ...headers, 'x-request-id': 'the-same' },
    ...(token ? { token } : {}),
    ...(json ? { json } : {}),
  })
}

/** All that a caller can tell answers apart by, without what differs between any two requests. */
function seen(answer: Answer): object {
  const { date: _, ...headers } = answer.headers
  for (const name of Object.keys(headers)) if (name.startsWith('ratelimit')) delete headers[name]
  return { status: answer.status, headers, text: answer.text }
}

test('the routes are those of the description, and each takes ids that somebody can make', async () => {
  const { operations } = await describedApi(instance)
  const described = operations.map(({ method, path }) => `${method} ${path}`).sort()
  assert.deepEqual(
    [...new Set(described)],
    [
      ...new Set(routes.filter(({ surface }) => surface === 'api').map(({ method, path }) => `${method} ${path}`)),
    ].sort(),
  )
  assert.ok(withIds().length > 30)
  for (const route of withIds()) {
    const ids = await keptIdsIn(mine, route)
    assert.ok(Object.values(ids).every(Boolean), route.operationId)
  }
})

test('an id of another workspace, in any place and for any caller, answers as one that is not there', async () => {
  for (const route of withIds()) await keptIdsIn(theirs, route)
  // Events of the seeds are still on their way to their tables.
  await eventually('every group has read the log', async () => {
    const [row] = await instance.sql<{ read: boolean }>(`select not exists (
      select from outbox o join outbox_cursors c on (o.tx, o.position) > (c.tx, c.position)) as read`)
    return row!.read
  })
  const before = await rowsOf(instance, theirs.workspaceId)
  let compared = 0
  for (const route of withIds()) {
    const [own, others] = [await keptIdsIn(mine, route), await keptIdsIn(theirs, route)]
    for (const { kind } of kindsIn(route.path)) {
      const foreign = pathWith(route, mine.slug, { ...own, [kind]: others[kind]! })
      const unknown = pathWith(route, mine.slug, { ...own, [kind]: UNKNOWN })
      const body = bodyOf(route)
      for (const actor of actors[route.surface]) {
        const what = `${route.method} ${foreign} as ${actor.name}`
        const [first, second] = [await as(actor, route, foreign, body), await as(actor, route, unknown, body)]
        assert.deepEqual(seen(first), seen(second), what)
        // An idempotent operation may also say that nothing is left to do.
        assert.ok(
          first.status >= 400 || (route.method === 'DELETE' && first.status === 204),
          `${what}: ${first.status}`,
        )
        assert.ok(first.status < 500, `${what}: ${first.text}`)
        compared++
      }
    }
  }
  assert.deepEqual(await rowsOf(instance, theirs.workspaceId), before, 'nothing of theirs has changed')
  assert.ok(compared > 150, `${compared} pairs`)
})

test('a workspace that one is no member of answers as one that is not there, whatever is asked of it', async () => {
  for (const route of workspaceRoutes().filter(({ path }) => path.includes('{slug}'))) {
    const ids = await keptIdsIn(mine, route)
    for (const actor of actors.site.filter(({ name }) => ['no member', 'nobody', 'another site'].includes(name))) {
      const body = bodyOf(route)
      const there = await as(actor, route, pathWith(route, mine.slug, ids), body)
      const nowhere = await as(actor, route, pathWith(route, 'no-such-workspace', ids), body)
      if (actor.name === 'another site' && route.method === 'GET') continue
      assert.deepEqual(seen(there), seen(nowhere), `${route.operationId} as ${actor.name}`)
      assert.ok(there.status >= 400, route.operationId)
    }
  }
})

test('a reference to something of another workspace, in a body or a query, answers as one to nothing', async () => {
  let compared = 0
  for (const route of workspaceRoutes()) {
    const [full] = actors[route.surface]
    for (const { at, kind } of referencesIn(route.body)) {
      const [own, foreign] = [
        await idsIn(seeding, mine, route.path),
        await seed(seeding, theirs, { kind, parents: {} }),
      ]
      const path = pathWith(route, mine.slug, own)
      const body = bodyOf(route)!
      const [first, second] = [
        await as(full!, route, path, put(body, at, foreign)),
        await as(full!, route, path, put(body, at, UNKNOWN)),
      ]
      const masked = (answer: Answer, id: string) => [
        answer.status,
        answer.text.replaceAll(new RegExp(`(?<!\\d)${id}(?!\\d)`, 'g'), 'ID'),
      ]
      assert.deepEqual(masked(first, foreign), masked(second, UNKNOWN), `${route.operationId} ${at.join('.')}`)
      // A batch answers for each item by itself.
      const isRefused = first.status >= 400 || first.json.results?.[0]?.status === 'failed'
      assert.ok(isRefused, `${route.operationId} ${at.join('.')}: ${first.status}`)
      compared++
    }
    for (const { at, kind } of referencesIn(route.query)) {
      const foreign = await seed(seeding, theirs, { kind, parents: {} })
      const path = pathWith(route, mine.slug, await idsIn(seeding, mine, route.path))
      const [first, second] = [
        await as(full!, route, `${path}?${at[0]}=${foreign}`),
        await as(full!, route, `${path}?${at[0]}=${UNKNOWN}`),
      ]
      assert.deepEqual(seen(first), seen(second), `${route.operationId} ?${at[0]}`)
      compared++
    }
  }
  assert.ok(compared >= 2, `${compared} references`)
})

test('the same requests with ids of one’s own get further, so that it is the ids that were refused', async () => {
  const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const sorted = withIds()
    .filter(({ operationId }) => !LACKING.includes(operationId.replace(/^Site/, '')))
    .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
  for (const route of sorted) {
    const ids = await idsIn(seeding, mine, route.path)
    let body = bodyOf(route)
    for (const { at, kind } of referencesIn(route.body))
      body = put(body!, at, await seed(seeding, mine, { kind, parents: {} }))
    const asked: string[] = []
    for (const { at, kind } of referencesIn(route.query))
      asked.push(`${at[0]}=${await seed(seeding, mine, { kind, parents: {} })}`)
    const path = `${pathWith(route, mine.slug, ids)}${asked.length > 0 ? `?${asked.join('&')}` : ''}`
    const answer = await as(actors[route.surface][0]!, route, path, body)
    assert.ok(
      ![400, 401, 403, 404].includes(answer.status) && answer.status < 500,
      `${route.operationId}: ${answer.status} ${answer.text}`,
    )
  }
})

/** Of the installation, for those who run it; and what waits for a mail that nobody sends here. */
const NO_LISTS = ['SiteSystem_get', 'Mailbox_wait', 'SiteMailbox_wait']

test('no list shows anything of another workspace', async () => {
  const marker = 'belongs-to-theirs'
  for (const route of workspaceRoutes().filter(
    ({ method, path, surface }) => method === 'POST' && surface === 'api' && kindsIn(path).length === 0,
  )) {
    const body = bodyOf(route)
    if (!body) continue
    for (const field of ['name', 'subjectId'])
      if (typeof body[field] === 'string') body[field] = `${marker}-${body[field]}`
    await callWorld(instance, theirs, route.method, route.path, { json: body })
  }
  const shown = await callWorld(instance, theirs, 'GET', '/api/contacts?pageSize=1000')
  assert.match(shown.text, new RegExp(marker), 'it is there to be seen')
  const lists = workspaceRoutes().filter(({ method, path }) => method === 'GET' && kindsIn(path).length === 0)
  for (const route of lists.filter(({ operationId }) => !NO_LISTS.includes(operationId))) {
    const path = `${route.path.replace('{slug}', mine.slug)}${route.query?.properties?.pageSize ? '?pageSize=1000' : ''}`
    const { status, text } = await callWorld(instance, mine, 'GET', path)
    assert.equal(status, 200, `${route.operationId} ${text}`)
    assert.doesNotMatch(text, new RegExp(marker), route.operationId)
  }
})

test('how long the answer takes does not tell a foreign id from none', async () => {
  const [foreign] = [await seed(seeding, theirs, { kind: 'contacts', parents: {} })]
  const ask = (id: string) => callWorld(instance, mine, 'GET', `/api/contacts/${id}`)
  // Both find nothing at the same place of the same index: a difference beyond the machine's noise would be a branch.
  await takeAsLong(
    400,
    () => ask(foreign),
    () => ask(UNKNOWN),
  )
})
