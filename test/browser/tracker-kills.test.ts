import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { eventually } from '../support/eventually.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'
import { SAMPLE_SHOP, walkSampleShop, walkStrictPage } from './shop-walks.ts'
import { delivered, openTracked, openTrackedShop, queued, type TrackedShop } from './tracked-shop.ts'

/*
 * Browser, tracker, server and database together. Pages are opened and closed while the server is killed again and again:
 * `TRACKER_LOADS=1000 TRACKER_KILLS=20 npm test test/browser/tracker-kills.test.ts` is the long form.
 */

const skip = WITHOUT_BROWSER
const require = createRequire(import.meta.url)
const LOADS = Number(process.env.TRACKER_LOADS ?? 16)
const KILLS = Number(process.env.TRACKER_KILLS ?? 1)
/** Pages that are open at a time. */
const TABS = 3
/** Half of what a queue of the browser holds. */
const QUEUED_MAX = 100

let world: TrackedShop

before(async () => {
  if (!skip) world = await openTrackedShop(launchChromium, libraryOfSegment)
})
after(() => world?.close())

/** Their library for browsers as it is published: it loads parts of itself from where it is. */
async function libraryOfSegment(): Promise<Record<string, Buffer>> {
  const folder = path.join(path.dirname(require.resolve('@segment/analytics-next/package.json')), 'dist', 'umd')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const files = names.map(async (name) => [`/${name}`, await readFile(path.join(folder, name))] as const)
  return Object.fromEntries(await Promise.all(files))
}

test('pages come and go while the server is killed: every event is recorded once', { skip }, async (t) => {
  const seed = seedFrom('TRACKER_SEED')
  t.diagnostic(`seed ${seed} (TRACKER_SEED), ${LOADS} loads, ${KILLS} kills`)
  const random = seededRandom(seed)
  const { shop, recorded } = world
  shop.head = `${world.tag('data-auto=""')}<script>postroom('consent', 'granted')</script>`
  const context = await world.visitor()
  let next = 0
  let kills = 0
  let restarts = Promise.resolve()
  const acknowledged = new Set<string>()
  context.on('response', (response) => {
    if (response.status() === 204)
      for (const [, n] of response
        .request()
        .postData()
        ?.matchAll(/"load":(\d+)/g) ?? [])
        acknowledged.add(n!)
  })
  async function visit(): Promise<void> {
    for (let load = next++; load < LOADS; load = next++) {
      const page = await context.newPage()
      await page.goto('/')
      await page.evaluate(`postroom('track', 'page.loaded', { load: ${load} })`)
      // Some are left at once, some when everything is sent, most in between.
      if (random() < 0.3) await page.evaluate(`postroom('flush')`)
      if (random() < 0.5) await page.goto('/next')
      // Of more than it holds a queue lets the oldest go.
      if ((await queued(page)) > QUEUED_MAX) {
        await restarts
        await delivered(page)
      }
      await page.close()
      if (load * (KILLS + 1) >= (kills + 1) * LOADS) {
        kills += 1
        restarts = restarts.then(world.restart)
      }
    }
  }
  await Promise.all(Array.from({ length: TABS }, visit))
  await restarts
  await delivered(await openTracked(context, '/end'))
  const inLog = async () => {
    const [row] = await world.sql<{ loads: string[] }>(
      `select coalesce(array_agg(data ->> 'load'), '{}') as loads from events where name = 'page.loaded'`,
    )
    return new Set(row!.loads)
  }
  await eventually('what was acknowledged in the log', async () => {
    const loads = await inLog()
    return [...acknowledged].every((load) => loads.has(load))
  })
  await eventually('all of them in the log', async () => (await inLog()).size >= LOADS)
  const loads = (await recorded('page.loaded')).map(({ properties }) => Number(properties.load)).sort((a, b) => a - b)
  assert.deepEqual(
    loads,
    Array.from({ length: LOADS }, (_, load) => load),
  )
  assert.equal(kills, KILLS)
  t.diagnostic(`${acknowledged.size} seen to be acknowledged, ${loads.length} recorded`)
  await context.close()
})

test(
  'a strict page: nothing before consent, then offline and back, two tabs, one visitor, each event once',
  {
    skip,
  },
  () => walkStrictPage(world),
)

test('the sample shop: who signs up there has her visits from before, and her cart begins the automation', {
  skip,
}, async (t) => {
  // A start that may not activate leaves a draft, which the next one puts in force.
  const lesser = await world.makeToken(SCOPES.filter((scope) => scope !== 'automations:activate'))
  const env = { ...process.env, TOKEN: lesser, POSTROOM: world.server.baseUrl }
  const failed = spawn(process.execPath, [SAMPLE_SHOP], { env, stdio: 'ignore' })
  t.after(() => failed.kill())
  assert.deepEqual(await once(failed, 'exit'), [1, null])
  assert.equal((await world.read('/automations/1')).status, 'draft')
  await walkSampleShop(t, world)
})

test('the library of Segment for browsers reports here, one message at a time and in batches, once its page may', {
  skip,
}, async () => {
  const { server, shop, key, recorded, contactOf } = world
  shop.head = `<script src="/index.js"></script>`
  const context = await world.visitor()
  const asked: string[] = []
  context.on('request', (request) => asked.push(new URL(request.url()).host))
  const apiHost = `${new URL(server.baseUrl).host}/collect/segment/v1`
  const load = async (page: Page, settings: object) => {
    const source = JSON.stringify({ apiKey: key, apiHost, protocol: 'http', ...settings })
    await page.evaluate(`
      window.allowed = false
      window.analytics = AnalyticsNext.AnalyticsBrowser.load({ writeKey: '${key}', cdnSettings: { integrations: { 'Segment.io': ${source} } } })
      analytics.addSourceMiddleware(({ payload, next }) => {
        payload.obj.context.consent = { categoryPreferences: { Analytics: allowed } }
        next(payload)
      })
      analytics.ready()`)
  }
  const one = await context.newPage()
  await one.goto('/one?utm_source=mail')
  await load(one, {})
  await one.evaluate(`analytics.track('Not Allowed', { n: 0 })`)
  await one.evaluate(`allowed = true, analytics.page('Home'), analytics.track('Order Completed', { total: 7 })`)
  await one.evaluate(`analytics.identify('user-1', { email: 'grace@example.com' })`)
  await eventually('orders and views', async () => (await recorded('Order Completed')).length === 1)

  const other = await context.newPage()
  await other.goto('/two')
  await load(other, { deliveryStrategy: { strategy: 'batching', config: { size: 3, timeout: 500 } } })
  await other.evaluate(`allowed = true; for (let n = 1; n < 7; n++) analytics.track('In Batches', { n })`)
  await eventually('both batches', async () => (await recorded('In Batches')).length >= 6)
  const batched = await recorded('In Batches')
  assert.deepEqual(batched.map(({ properties }) => properties.n).sort(), [1, 2, 3, 4, 5, 6])
  const [order] = await recorded('Order Completed')
  assert.equal(order!.properties.total, 7)
  // One browser is one visitor, in all of its tabs; what it says of itself is no proof.
  const anonymous = await one.evaluate<string>(`analytics.user().then((user) => user.anonymousId())`)
  assert.deepEqual(new Set([order, ...batched].map((event) => event!.visitorId)), new Set([anonymous]))
  await eventually('a contact that nothing proves', async () => {
    const contact = await contactOf('grace@example.com')
    return contact?.isUnproven === true
  })
  assert.deepEqual(await recorded('Not Allowed'), [])
  // Somebody else sits down.
  await other.evaluate(`analytics.reset().then(() => analytics.track('In Batches', { n: 7 }))`)
  await eventually('another visitor', async () => {
    const visitors = (await recorded('In Batches')).map(({ visitorId }) => visitorId)
    return new Set(visitors).size === 2
  })
  assert.deepEqual(
    new Set(asked),
    new Set([new URL(shop.shopUrl).host, new URL(server.baseUrl).host]),
    'nobody else is told',
  )
  await context.close()
})
