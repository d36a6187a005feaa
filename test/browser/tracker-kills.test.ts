import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type CollectPeer, startCollectPeer } from '../support/collect-peer.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { builtDashboard } from './built-dashboard.ts'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'

/*
 * Browser, tracker, server and database together. Pages are opened and closed while the server is killed again and again:
 * `TRACKER_LOADS=1000 TRACKER_KILLS=50 npm test test/browser/tracker-kills.test.ts` is the long form.
 */

const skip = WITHOUT_BROWSER
const SHOP = path.join(import.meta.dirname, '..', '..', 'docs', 'examples', 'shop.mjs')
const LOADS = Number(process.env.TRACKER_LOADS ?? 16)
const KILLS = Number(process.env.TRACKER_KILLS ?? 1)
/** Pages that are open at a time. */
const TABS = 3
const LIST_MAX = 100
/** A browser that says it is none is not counted. */
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const STUB = '<script>window.postroom=function(){(postroom.q=postroom.q||[]).push(arguments)}</script>'

let database: TestDatabase
let server: Instance
let browser: Browser
let shop: CollectPeer
let script: Buffer
let key: string
const settings: Record<string, string> = {
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  BOOTSTRAP_TOKEN: randomBytes(24).toString('hex'),
  // One visitor here does what a thousand do elsewhere.
  RATE_LIMIT_COLLECT: '0',
  RATE_LIMIT_COLLECT_IP: '0',
}

before(async () => {
  if (skip) return
  script = await readFile(path.join(await builtDashboard(), 'scripts', 't.js'))
  database = await createTestDatabase()
  settings.DATABASE_URL = database.url
  settings.PORT = String(await freePort())
  server = await start()
  shop = await startCollectPeer({ '/t.js': script })
  const { json } = await send('GET', `${server.baseUrl}/api/trackers`, { token: server.token })
  key = json.items[0].key
  browser = await launchChromium()
})
after(async () => {
  await browser?.close()
  await shop?.close()
  await server?.stop()
  await database?.drop()
})

const start = () => startInstance({ port: Number(settings.PORT), env: settings })

async function restart(): Promise<void> {
  await server.kill()
  server = await start()
}

/** The shop serves the script itself, as behind a proxy: without it there would be nothing to tell of. */
const tag = (attributes = '') =>
  `${STUB}<script async src="${shop.shopUrl}/t.js" data-collect-url="${server.baseUrl}/collect" data-collect-key="${key}" ${attributes}></script>`

async function visitor(head: string): Promise<BrowserContext> {
  shop.head = head
  const context = await browser.newContext({ baseURL: shop.shopUrl, userAgent: USER_AGENT })
  context.setDefaultTimeout(120_000)
  return context
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction('window.postroom && window.postroom.on')
  return page
}

type Recorded = { properties: Record<string, unknown>; visitorId: string | null }

/** Every event of the workspace of that name. */
async function recorded(action: string): Promise<Recorded[]> {
  const items: Recorded[] = []
  let cursor = ''
  do {
    const query = new URLSearchParams({ action, limit: String(LIST_MAX), ...(cursor && { cursor }) })
    const { json } = await send('GET', `${server.baseUrl}/api/events?${query}`, { token: server.token })
    items.push(...json.items)
    cursor = json.nextCursor ?? ''
  } while (cursor)
  return items
}

/** Waits until the browser has nothing left to send, not minding the pauses that it keeps. */
async function delivered(page: Page): Promise<void> {
  await eventually('everything is taken', async () => {
    const left: number = await page.evaluate(
      `localStorage.removeItem('pr_retry'), postroom('flush'), Object.keys(localStorage).filter((name) => name.startsWith('pr_q.')).length`,
    )
    return left === 0
  })
}

test('pages come and go while the server is killed: every event is recorded once', { skip }, async (t) => {
  const seed = seedFrom('TRACKER_SEED')
  t.diagnostic(`seed ${seed} (TRACKER_SEED), ${LOADS} loads, ${KILLS} kills`)
  const random = seededRandom(seed)
  const context = await visitor(`${tag('data-auto=""')}<script>postroom('consent', 'granted')</script>`)
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
      await page.close()
      if (load * (KILLS + 1) >= (kills + 1) * LOADS) {
        kills += 1
        restarts = restarts.then(restart)
      }
    }
  }
  await Promise.all(Array.from({ length: TABS }, visit))
  await restarts
  await delivered(await open(context, '/end'))
  await eventually('all of them in the log', async () => (await recorded('page.loaded')).length >= LOADS)
  const loads = (await recorded('page.loaded')).map(({ properties }) => Number(properties.load)).sort((a, b) => a - b)
  assert.deepEqual(
    loads,
    Array.from({ length: LOADS }, (_, load) => load),
  )
  assert.equal(kills, KILLS)
  t.diagnostic(`${acknowledged.size} seen to be acknowledged, ${loads.length} recorded`)
  await context.close()
})

test('a strict page: nothing before consent, then offline and back, two tabs, one visitor, each event once', {
  skip,
}, async () => {
  const { headers } = await send('HEAD', `${server.baseUrl}/t.js`)
  const exact = server.baseUrl + String(headers['content-location'])
  const digest = createHash('sha384').update(script).digest('base64')
  shop.policy = `default-src 'none'; script-src ${server.baseUrl}; connect-src ${server.baseUrl}/collect/; require-trusted-types-for 'script'`
  const context = await visitor(
    `<script async crossorigin src="${exact}" integrity="sha384-${digest}" data-collect-key="${key}" data-auto=""></script>`,
  )
  const asked: string[] = []
  context.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const [one, other] = [await open(context, '/one'), await open(context, '/other')]
  await one.evaluate(`postroom('track', 'strict.seen', { n: 0 })`)
  await other.evaluate(`postroom('flush')`)
  assert.deepEqual(
    asked.filter((at) => at.startsWith('/collect')),
    [],
  )
  assert.deepEqual([await context.cookies(), await one.evaluate('localStorage.length')], [[], 0])
  await one.evaluate(`postroom('consent', 'granted')`)
  await context.setOffline(true)
  for (const [at, page] of [one, other].entries()) {
    await page.evaluate(`for (let n = 1; n < 6; n++) postroom('track', 'strict.seen', { n: n + ${at * 5} })`)
  }
  await context.setOffline(false)
  await delivered(other)
  await eventually('all of them in the log', async () => (await recorded('strict.seen')).length >= 11)
  const events = await recorded('strict.seen')
  assert.deepEqual(
    events.map(({ properties }) => Number(properties.n)).sort((a, b) => a - b),
    Array.from({ length: 11 }, (_, n) => n),
  )
  const [cookie] = await context.cookies()
  assert.deepEqual(new Set(events.map(({ visitorId }) => visitorId)), new Set([cookie?.value]))
  await context.close()
})

test('the sample shop is open after one command, and its visit, cart and order are in the log', { skip }, async (t) => {
  const env = { ...process.env, TOKEN: server.token, POSTROOM: server.baseUrl, PORT: '0' }
  const child = spawn(process.execPath, [SHOP], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  const [line] = await once(createInterface(child.stdout), 'line')
  const context = await browser.newContext({ baseURL: String(line).split(' ').at(-1)!, userAgent: USER_AGENT })
  context.setDefaultTimeout(120_000)
  const page = await open(context, '/')
  await page.getByRole('link', { name: 'A mug' }).click()
  await page.getByRole('button', { name: 'Put it into the cart' }).click()
  await page.getByRole('button', { name: 'Yes' }).click()
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Buy' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await delivered(page)
  await page.getByRole('link', { name: 'To the shop' }).click()
  await page.getByRole('link', { name: 'Hear of new things by mail' }).click()
  await page.getByRole('textbox', { name: /mail/i }).waitFor()
  await eventually('cart, views and order', async () => {
    const [carts, views, orders] = await Promise.all(['cart.added', 'page.view', 'order.paid'].map(recorded))
    return carts!.length === 1 && views!.length >= 2 && orders!.length === 1 && carts![0]!.properties.sku === 'mug'
  })
  await context.close()
})
