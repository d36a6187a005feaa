import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { SCOPES } from '../../server/catalogue/scopes.ts'
import { type CollectPeer, startCollectPeer } from '../support/collect-peer.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort, type Instance, startInstance } from '../support/instance.ts'
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts'
import { seededRandom, seedFrom } from '../support/seeded-random.ts'
import { cookieOf, siteCaller } from '../support/site-caller.ts'
import { behindTheBack } from '../support/tested-instance.ts'
import { builtDashboard } from './built-dashboard.ts'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'

/*
 * Browser, tracker, server and database together. Pages are opened and closed while the server is killed again and again:
 * `TRACKER_LOADS=1000 TRACKER_KILLS=50 npm test test/browser/tracker-kills.test.ts` is the long form.
 */

const skip = WITHOUT_BROWSER
const require = createRequire(import.meta.url)
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
  MAILBOX_ADDR: '127.0.0.1:0',
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
  shop = await startCollectPeer({ '/t.js': script, ...(await libraryOfSegment()) })
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

/** Their library for browsers as it is published: it loads parts of itself from where it is. */
async function libraryOfSegment(): Promise<Record<string, Buffer>> {
  const folder = path.join(path.dirname(require.resolve('@segment/analytics-next/package.json')), 'dist', 'umd')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'))
  const files = names.map(async (name) => [`/${name}`, await readFile(path.join(folder, name))] as const)
  return Object.fromEntries(await Promise.all(files))
}

const start = () => startInstance({ port: Number(settings.PORT), env: settings })

async function restart(): Promise<void> {
  const { password } = server
  await server.kill()
  // The account is of the first start.
  server = { ...(await start()), password }
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

type Recorded = { properties: Record<string, unknown>; visitorId: string | null; contactId: string | null }

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

test('the sample shop: who signs up there has her visits from before, and her cart begins the automation', {
  skip,
}, async (t) => {
  const shopAt = `http://localhost:${await freePort()}`
  // The cart is paid for while it rests, however long this takes.
  const place = { POSTROOM: server.baseUrl, PORT: new URL(shopAt).port, REST_MINUTES: '60' }
  const env = { ...process.env, TOKEN: server.token, ...place }
  // A start that may not activate leaves a draft, which the next one puts in force.
  const lesser = await behindTheBack(database).makeToken(SCOPES.filter((scope) => scope !== 'automations:activate'))
  const failed = spawn(process.execPath, [SHOP], { env: { ...env, TOKEN: lesser }, stdio: 'ignore' })
  t.after(() => failed.kill())
  assert.deepEqual(await once(failed, 'exit'), [1, null])
  assert.equal((await read('/automations/1')).status, 'draft')
  const child = spawn(process.execPath, [SHOP], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill())
  await once(createInterface(child.stdout), 'line')
  const context = await browser.newContext({ baseURL: shopAt, userAgent: USER_AGENT })
  context.setDefaultTimeout(120_000)
  // A browser that says a program leads it is asked by mail ten minutes later.
  await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })`)
  const faults: string[] = []
  context.on('console', (message) => message.type() === 'error' && faults.push(message.text()))

  const page = await open(context, '/')
  await page.getByRole('link', { name: 'Jug' }).click()
  await page.getByRole('heading', { name: 'Jug' }).waitFor()
  assert.deepEqual([await context.cookies(), await page.evaluate('localStorage.length')], [[], 0])
  await page.getByRole('button', { name: 'Yes', exact: true }).click()
  await page.getByRole('link', { name: 'Sample shop' }).click()
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('First name').fill('Ada')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Look into your mail').waitFor()
  const mail = await caught('ada@example.com')
  const confirm = await open(context, '/')
  await confirm.goto(mail.links.find((link: string) => link.includes('/e/s/')))
  await confirm.getByRole('button', { name: 'Yes' }).click()
  await eventually('she is a contact', async () => (await contactOf('ada@example.com')) !== undefined)

  await page.goto('/products/mug')
  await page.getByRole('button', { name: 'Put it into the cart' }).click()
  await page.getByRole('heading', { name: 'Your cart' }).waitFor()
  await delivered(page)
  const runs = async () => (await read('/automations/1/runs')).items
  await eventually('the automation has begun', async () => (await runs()).length > 0)
  assert.deepEqual([(await runs())[0].state, (await runs())[0].node], ['waiting', 'rest'])
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button', { name: 'Buy for 24 €' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await eventually('the order has ended it', async () => (await runs())[0].state === 'exited')

  await eventually('all that was seen is hers', async () => {
    const views = await recorded('page.view')
    return views.length > 3 && views.every(({ contactId }) => contactId !== null)
  })
  const login = await siteCaller({ ...server, ...behindTheBack(database) }).logIn(server.email, server.password)
  const [name = '', value = ''] = cookieOf(login).split('=', 2)
  await context.addCookies([{ name, value, url: server.baseUrl, httpOnly: true, sameSite: 'Lax' }])
  await confirm.goto(`${server.baseUrl}/app/default/contacts/${(await contactOf('ada@example.com'))!.id}?tab=events`)
  await confirm.getByText('Confirmed by mail').waitFor()
  for (const action of ['order.paid', 'cart.updated']) await confirm.getByText(action).first().waitFor()
  // Both of before she had agreed, and of before she had a name.
  await confirm.getByText('Saw “Jug · Sample shop”').waitFor()
  assert.deepEqual(faults, [])
  await context.close()
})

test('the library of Segment for browsers reports here, one message at a time and in batches, once its page may', {
  skip,
}, async () => {
  shop.policy = undefined
  const context = await visitor(`<script src="/index.js"></script>`)
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
    const contact = (await contactOf('grace@example.com')) as { isUnproven?: boolean } | undefined
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

/** What the API answers. */
const read = async (at: string) => (await send('GET', `${server.baseUrl}/api${at}`, { token: server.token })).json

async function contactOf(email: string): Promise<{ id: string } | undefined> {
  return (await read(`/contacts?search=${email}`)).items[0]
}

/** The newest mail to an address, as soon as there is one. */
async function caught(email: string) {
  let mail: { id?: string } = {}
  await eventually('a mail', async () => {
    mail = await read(`/mailbox/wait?to=${email}&timeoutSeconds=5`)
    return mail.id !== undefined
  })
  return read(`/mailbox/${mail.id}`)
}
