import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TOKENS_SIGNAL } from '../../server/modules/auth/queries.ts'
import { OUTBOX_SIGNAL } from '../../server/platform/outbox/signal.ts'
import { type DeclaredRoute, declaredRoutes } from '../support/route-table.ts'
import { type ServedModules, serveModules } from '../support/served-modules.ts'
import { bodyOf, callWorld, idsIn, pathWith, type Seeding, type World, worldIn } from './isolation-seeds.ts'

/* Every operation, in a process whose groups and workers do not run: what it leaves to them it has also told them of. */

let served: ServedModules
let seeding: Seeding
let world: World
const heard = new Set<string>()

before(async () => {
  served = await serveModules()
  seeding = { instance: served.instance, routes: await declaredRoutes() }
  world = await worldIn(served.instance, 'signals')
  served.waker.onWake((signal) => heard.add(signal.split('/', 1)[0]!))
})
after(() => served?.stop())

/** Work that a look of the groups and workers would find by now: events, jobs that are due, by queue, and tokens that others know still. */
async function waiting(): Promise<Map<string, number>> {
  const rows = await served.instance.sql<{ name: string; count: string }>(
    `select $1 as name, count(*) from outbox
     union all select $2, count(*) from api_tokens where revoked_at is not null
     union all select name, count(*) from jobs.job where state = 'created' and start_after <= now() group by name`,
    [OUTBOX_SIGNAL, TOKENS_SIGNAL],
  )
  return new Map(rows.map(({ name, count }) => [name, Number(count)]))
}

async function run(route: DeclaredRoute): Promise<{ status: number; left: string[]; signals: string[] }> {
  const ids = await idsIn(seeding, world, route.path)
  const body = bodyOf(route)
  // A job of a kind of which one waits at most would be merged into it.
  await served.instance.sql('delete from jobs.job')
  const earlier = await waiting()
  heard.clear()
  const { status } = await callWorld(
    served.instance,
    world,
    route.method,
    pathWith(route, world.slug, ids),
    body ? { json: body } : {},
  )
  const signals = [...heard]
  const left = [...(await waiting())].filter(([name, count]) => count > (earlier.get(name) ?? 0)).map(([name]) => name)
  return { status, left, signals }
}

test('every operation that leaves an event or a job that is due signals whoever waits for it, and no other does', async () => {
  const told = new Map<string, number>()
  const changing = seeding.routes.filter(
    ({ method, path }) => method !== 'GET' && (path.startsWith('/api/') || path.startsWith('/site/workspaces/{slug}')),
  )
  for (const route of changing) {
    const { status, left, signals } = await run(route)
    const what = `${route.operationId} (${status})`
    for (const name of left) {
      assert.ok(signals.includes(name), `${what} has left something to ${name} and told nobody`)
      told.set(name, (told.get(name) ?? 0) + 1)
    }
    for (const name of signals) assert.ok(left.includes(name), `${what} signals ${name} in vain`)
  }
  for (const [name, atLeast] of [
    ['outbox', 15],
    ['default', 8],
    [TOKENS_SIGNAL, 2],
  ] as const) {
    assert.ok((told.get(name) ?? 0) >= atLeast, `${name} was told by ${told.get(name)} operations`)
  }
})
