import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { ROLE_PERMISSIONS } from '../../server/modules/auth/roles.ts'
import { eventually } from '../support/eventually.ts'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { countOffered, pressAll, watchRequests } from './offered-acts.ts'
import { allRows, pathOf, type Row, shareOfRun } from './route-rows.ts'
import { openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * What a page offers to a role is what the role may do: each button is pressed, and what it asks for is held to the table
 * of permissions. Nothing that would change anything reaches the server. A page that offers less than its row says fails, so
 * that nobody takes a walk for proof that has found nothing to press.
 */

const skip = WITHOUT_BROWSER
/** `ROWS=segment` takes those whose name begins so, `ROLES_ALL=1` all rows in place of a run's share of one a route of these. */
const BY_DEFAULT = /^\/(approvals|audit|automations|tokens|forms|contacts\/(tags|topics|fields))\b/
const { ROWS: wanted, ROLES_ALL: isWhole } = process.env
const REFUSED = {
  responseCode: 422,
  responseHeaders: [{ name: 'content-type', value: 'application/problem+json' }],
  body: btoa('{"title":"Not in this test","status":422,"code":"validation-failed","requestId":"r-1"}'),
}

/** A long form takes its time. */
const TIMES = isWhole === '1' ? 4 : 1
/** In the order of a row's `offers`. */
const ROLES = ['owner', 'member', 'viewer'] as const
type Role = (typeof ROLES)[number]

type Visit = WatchedPage & { idle: () => Promise<void>; pressed: string; refused: string[] }

const all = await allRows()
const rows = wanted
  ? all.filter(({ name }) => name.startsWith(wanted))
  : isWhole === '1'
    ? all
    : shareOfRun(byDefault())
const routes = (await declaredRoutes()).map((route) => ({ ...route, pattern: patternOf(route.path) }))
const visits = new Map<Role, Visit>()
let world: World

before(async () => {
  if (skip) return
  world = await openWorld()
  for (const role of ROLES) visits.set(role, await openAs(role))
})
after(() => world?.close())

for (const row of rows) {
  test(`${row.name}: offers a member and a viewer what they may do`, { skip }, async (t) => {
    const path = await pathOf(row, world)
    await Promise.all(ROLES.map((role) => walk(role, row, path, t)))
    const refused = [...visits].flatMap(([role, visit]) => visit.refused.map((what) => `${role}: ${what}`))
    assert.deepEqual(refused, [], `offered at ${path}, and would be refused`)
  })
}

function byDefault(): Row[] {
  return all.filter((row) => BY_DEFAULT.test(row.route) && isFullest(row))
}

/** One role looks at a page, and presses what it offers. */
async function walk(role: Role, row: Row, path: string, t: TestContext): Promise<void> {
  const visit = visits.get(role)!
  const { page, idle } = visit
  Object.assign(visit, { pressed: 'nothing yet', refused: [] })
  // A draft that the presses on another page have begun would be offered here, in place of what the page offers.
  await page.goto('/healthz')
  await page.evaluate('localStorage.clear()')
  await page.goto(path)
  await settled(page)
  await idle()
  const fewest = row.offers[ROLES.indexOf(role)]!
  let found = 0
  await eventually(`${fewest} buttons for a ${role} at ${path}`, async () => {
    found = await countOffered(page)
    return found >= fewest
  })
  const tell = (what: string) => Object.assign(visit, { pressed: what })
  const walked = role === 'owner' ? undefined : await pressAll(page, idle, { tell, times: TIMES })
  assert.ok(walked?.presses !== 0 || fewest === 0, `the walk of a ${role} has pressed nothing`)
  const pressed = walked && `, ${walked.presses} pressed${walked.isAll ? '' : ', and not all'}`
  t.diagnostic(`${role}: ${found} found${pressed ?? ''}`)
}

/** The first row of a route that has something to show. */
function isFullest(row: Row): boolean {
  const same = all.filter(({ route }) => route === row.route)
  return row === (same.find(({ path }) => path !== undefined) ?? same[0])
}

async function openAs(role: Role): Promise<Visit> {
  const { cookie } = role === 'owner' ? world : await world.people.person(role, role)
  const opened = await world.open('/healthz', { cookie })
  const visit: Visit = { ...opened, idle: watchRequests(opened.page), pressed: '', refused: [] }
  await refuseChanges(opened, (method, url) => {
    const asked = routes.find((one) => one.method === method && one.pattern.test(new URL(url).pathname))
    if (!isAllowed(role, asked)) visit.refused.push(`"${visit.pressed}" asks for ${method} ${asked?.path ?? url}`)
  })
  return visit
}

/**
 * Refuses each request that would change something, and tells of it. Not by `page.route`, which keeps a browser from using what it has
 * loaded and compiled before: a visit loads its page again and again.
 */
async function refuseChanges(
  { page, context }: WatchedPage,
  tell: (method: string, url: string) => void,
): Promise<void> {
  const session = await context.newCDPSession(page)
  session.on('Fetch.requestPaused', ({ requestId, request: { method, url } }) => {
    if (method === 'GET') return void session.send('Fetch.continueRequest', { requestId }).catch(isGone)
    tell(method, url)
    void session.send('Fetch.fulfillRequest', { requestId, ...REFUSED }).catch(isGone)
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/site/*' }] })
}

/** A page that is left, or closed, waits for no answer. */
const isGone = () => undefined

/** What states no permission asks for a login alone. */
function isAllowed(role: Role, asked: DeclaredRoute | undefined): boolean {
  const { permission = 'any' } = asked?.config ?? {}
  return asked !== undefined && (permission === 'any' || ROLE_PERMISSIONS[role].has(permission))
}

function patternOf(path: string): RegExp {
  const segments = path.split('/').map((part) => (part.startsWith('{') ? '[^/]+' : part.replaceAll('.', '\\.')))
  return new RegExp(`^${segments.join('/')}$`)
}
