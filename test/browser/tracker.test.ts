import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type CollectAnswer, type CollectedEvent, type CollectPeer, startCollectPeer } from '../support/collect-peer.ts'
import { eventually } from '../support/eventually.ts'
import { builtDashboard } from './built-dashboard.ts'
import { launchChromium, openAlone, WITHOUT_BROWSER } from './chromium.ts'
import { launchFirefox, WITHOUT_FIREFOX } from './firefox.ts'

/*
 * The tracker in a real browser, on the pages of a shop whose intake is of another origin and answers as the specification
 * allows it to. Times pass by the browser's clock, which stands still unless a test moves it. TRACKER_BROWSER=firefox takes Firefox.
 */

const inFirefox = process.env.TRACKER_BROWSER === 'firefox'
const skip = inFirefox ? WITHOUT_FIREFOX : WITHOUT_BROWSER
const DAY_MS = 86_400_000
const WHEN = Date.parse('2026-11-20T12:00:00Z')
const STUB = '<script>window.postroom=function(){(postroom.q=postroom.q||[]).push(arguments)}</script>'

let browser: Browser
let peer: CollectPeer
let script: Buffer
const contexts: BrowserContext[] = []

before(async () => {
  if (skip) return
  script = await readFile(path.join(await builtDashboard(), 'scripts', 't.js'))
  peer = await startCollectPeer({ '/t.js': script })
  browser = await (inFirefox ? launchFirefox() : launchChromium())
})
after(async () => {
  await browser?.close()
  await peer?.close()
})
beforeEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
  if (peer === undefined) return
  peer.requests.length = 0
  peer.taken.length = 0
  peer.answer = () => ({ status: 204 })
  peer.policy = undefined
})

/** The tag of the snippet, with attributes of its own. */
const tag = (attributes = '') =>
  `<script async src="${peer.collectUrl}/t.js" data-collect-key="prc_test" ${attributes}></script>`
const GRANTED = `<script>postroom('consent', 'granted')</script>`

/** A browser of its own, whose pages have this head. */
async function visitor(head: string): Promise<BrowserContext> {
  peer.head = head
  const context = await browser.newContext({ baseURL: peer.shopUrl })
  contexts.push(context)
  context.setDefaultTimeout(120_000)
  await context.clock.install({ time: WHEN })
  await context.clock.pauseAt(WHEN + 1_000)
  return context
}

async function open(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(address)
  await page.waitForFunction('window.postroom && window.postroom.on')
  return page
}

const call = (page: Page, ...words: unknown[]): Promise<unknown> =>
  page.evaluate(`postroom(...${JSON.stringify(words)})`)
const sent = (): CollectedEvent[] => peer.requests.flatMap(({ body }) => body.events ?? [])
const actions = () => sent().map(({ action }) => action)
const kinds = () => peer.requests.map(({ kind }) => kind)
const stored = (page: Page): Promise<Record<string, string>> => page.evaluate('({ ...localStorage })')
const queued = async (page: Page) => Object.keys(await stored(page)).filter((name) => name.startsWith('pr_q.'))
const comes = (what: string, holds: () => boolean) => eventually(what, holds)

/** Waits for what comes with time, a second of which passes between two looks. */
const gathered = (page: Page, what: string, holds: () => boolean) =>
  eventually(what, async () => {
    await page.clock.runFor(1_000)
    return holds()
  })

/** Waits until everything is answered. */
const idle = (page: Page) =>
  eventually('an empty queue', async () => {
    await page.clock.runFor(1_000)
    return (await queued(page)).length === 0
  })

test('before consent nothing is stored and nothing is sent but the request for the script', { skip }, async () => {
  const context = await visitor(STUB + tag())
  const asked: string[] = []
  context.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const page = await open(context, '/basket')
  await call(page, 'track', 'product.seen', { sku: 'A-1' })
  await call(page, 'identify', { email: 'ada@example.com' })
  await page.clock.runFor(60_000)
  assert.equal(await call(page, 'visitorId'), undefined)
  await page.goto('/next')
  assert.deepEqual(asked.filter((one) => one !== '/favicon.ico').sort(), ['/basket', '/next', '/t.js', '/t.js'])
  assert.deepEqual(await context.cookies(), [])
  assert.deepEqual(await stored(page), {})
  assert.equal(await page.evaluate('sessionStorage.length'), 0)
  assert.deepEqual(await page.evaluate('indexedDB.databases()'), [])
  assert.deepEqual(peer.requests, [])
})

test('with consent what has waited is sent, with the moment it was of, under one key and one visitor', {
  skip,
}, async () => {
  const context = await visitor(STUB + tag())
  const page = await open(context, '/shoes?utm_source=mail&token=secret#part')
  await page.clock.runFor(20_000)
  await call(page, 'consent', 'granted', 'We count visits')
  await call(page, 'track', 'cart.added', { sku: 'A-1' })
  await gathered(page, 'the grant and the events', () => actions().length === 2)
  const id = await call(page, 'visitorId')
  assert.match(String(id), /^[0-9a-f]{32}$/)
  const [told, first] = peer.requests
  assert.deepEqual(told!.body, { key: 'prc_test', visitorId: id, state: 'granted', wording: 'We count visits' })
  assert.equal(first!.headers['content-type'], 'text/plain;charset=UTF-8')
  assert.equal(first!.headers.cookie, undefined)
  assert.equal(first!.body.key, 'prc_test')
  assert.equal(first!.body.consent, 'granted')
  const [{ properties, occurredAt, visitorId, action }, added] = first!.body.events as [CollectedEvent, CollectedEvent]
  assert.deepEqual({ action, visitorId }, { action: 'page.view', visitorId: id })
  assert.deepEqual(properties, { url: `${peer.shopUrl}/shoes?utm_source=mail`, referrer: '', title: '/shoes' })
  assert.ok(Date.parse(String(first!.body.sentAt)) - Date.parse(occurredAt) >= 20_000)
  assert.deepEqual(added.context, { url: `${peer.shopUrl}/shoes?utm_source=mail` })
  const [cookie, ...others] = await context.cookies()
  assert.deepEqual(others, [])
  const { name, value, domain, path: at, sameSite, httpOnly, secure } = cookie!
  assert.deepEqual(
    { name, value, domain, at, sameSite },
    { name: 'pr_vid', value: id, domain: 'localhost', at: '/', sameSite: 'Lax' },
  )
  assert.deepEqual({ httpOnly, secure }, { httpOnly: false, secure: false })
  await idle(page)
  assert.deepEqual(await stored(page), { pr_consent: 'granted', pr_vid: id })
  // Somebody comes back: nobody is asked, and nothing is told twice.
  await page.goto('/again')
  await gathered(page, 'the second page', () => actions().length === 3)
  assert.equal(sent()[2]!.visitorId, id)
  assert.deepEqual(kinds(), ['consent', 'events', 'events'])
})

test('a denial deletes everything at once, is told once, and nothing follows', { skip }, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  const page = await open(context, '/')
  await gathered(page, 'the page view', () => actions().length === 1)
  const id = await call(page, 'visitorId')
  const withdrawals = () => peer.requests.filter(({ body }) => body.state === 'denied')
  let answer: () => void = () => {}
  peer.answer = async ({ kind }) => {
    if (kind !== 'identify') return { status: 503 }
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { status: 200, json: { visitorId: 'another' } }
  }
  await call(page, 'identify', { email: 'ada@example.com' })
  await comes('the identity', () => kinds().includes('identify'))
  await call(page, 'track', 'cart.added')
  await call(page, 'consent', 'denied')
  assert.deepEqual([await stored(page), await context.cookies()], [{}, []])
  answer()
  await gathered(page, 'the withdrawal', () => withdrawals().length === 1)
  await page.clock.runFor(1)
  assert.deepEqual([await stored(page), await context.cookies()], [{}, []])
  peer.answer = () => ({ status: 204 })
  await gathered(page, 'the withdrawal once more', () => withdrawals().length === 2)
  assert.deepEqual(withdrawals()[1]!.body, { key: 'prc_test', visitorId: id, state: 'denied' })
  await call(page, 'track', 'cart.added')
  await page.clock.runFor(600_000)
  // Consent that comes now is for what comes now.
  await call(page, 'consent', 'granted')
  await call(page, 'track', 'cart.paid')
  await gathered(page, 'the event after the second grant', () => actions().includes('cart.paid'))
  assert.deepEqual(actions(), ['page.view', 'cart.paid'])
  assert.notEqual(sent()[1]!.visitorId, id)
})

test('where consent is implied Global Privacy Control is a denial until the person grants it', { skip }, async () => {
  const context = await visitor(STUB + tag('data-consent="implied"'))
  const plain = await open(context, '/')
  await gathered(plain, 'a page view without being asked', () => actions().length === 1)
  assert.equal(peer.requests[0]!.body.consent, 'implied')
  await call(plain, 'consent', 'denied')
  await context.addInitScript('Object.defineProperty(navigator, "globalPrivacyControl", { value: true })')
  const page = await open(context, '/')
  assert.deepEqual(await stored(page), { pr_consent: 'denied' })
  await page.evaluate('localStorage.clear()')
  await page.goto('/other')
  await call(page, 'track', 'cart.added')
  await page.clock.runFor(60_000)
  assert.deepEqual([await stored(page), await context.cookies(), actions()], [{}, [], ['page.view']])
  await call(page, 'consent', 'granted')
  await gathered(page, 'what has waited', () => actions().length === 3)
  assert.equal(peer.requests.at(-1)!.body.consent, 'granted')
})

test('without cookies events count, nobody is recognised, and nothing is stored', { skip }, async () => {
  const context = await visitor(STUB + tag('data-consent="cookieless"'))
  const page = await open(context, '/')
  await call(page, 'identify', { email: 'ada@example.com' })
  await call(page, 'track', 'cart.added')
  await gathered(page, 'both events', () => actions().length === 2)
  assert.equal(peer.requests[0]!.body.consent, 'cookieless')
  assert.deepEqual(
    sent().map(({ visitorId }) => visitorId),
    [undefined, undefined],
  )
  assert.deepEqual([kinds(), await stored(page), await context.cookies()], [['events'], {}, []])
})

test('an identity that the server calls another person takes what happened since, and nothing from before', {
  skip,
}, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  const page = await open(context, '/login')
  await gathered(page, 'the page view', () => actions().length === 1)
  const before = await call(page, 'visitorId')
  let answer: () => void = () => {}
  peer.answer = async ({ kind }) => {
    if (kind !== 'identify') return { status: 204 }
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { status: 200, json: { visitorId: 'another' } }
  }
  await call(page, 'track', 'login.begun')
  await call(page, 'identify', { token: 'a.b.c' })
  await comes('the identity', () => kinds().includes('identify'))
  await call(page, 'track', 'login.done')
  await page.clock.runFor(5_000)
  assert.deepEqual(actions(), ['page.view', 'login.begun'])
  answer()
  await gathered(page, 'the event after it', () => actions().length === 3)
  assert.deepEqual(peer.requests.find(({ kind }) => kind === 'identify')!.body, {
    key: 'prc_test',
    visitorId: before,
    consent: 'granted',
    token: 'a.b.c',
  })
  assert.deepEqual(
    sent().map(({ visitorId }) => visitorId),
    [before, before, 'another'],
  )
  assert.equal(await call(page, 'visitorId'), 'another')
  await call(page, 'track', 'logout')
  await call(page, 'reset')
  await call(page, 'track', 'home.seen')
  await gathered(page, 'both people', () => actions().length === 5)
  assert.equal(sent()[3]!.visitorId, 'another')
  assert.ok(!['another', before].includes(sent()[4]!.visitorId))
  const id = await call(page, 'visitorId')
  await call(page, 'forget')
  await comes('the wish to be forgotten', () => kinds().includes('forget'))
  assert.deepEqual(peer.requests.at(-1)!.body, { key: 'prc_test', visitorId: id })
  assert.deepEqual([await stored(page), await context.cookies()], [{}, []])
})

test('the address behind a link of a mail says whose it was, with consent, and is as it was at once', {
  skip,
}, async () => {
  const context = await visitor(STUB + tag())
  const page = await open(context, '/sale?size=m&pr_link=Abc-1_2#top')
  assert.equal(new URL(page.url()).href, new URL('/sale?size=m#top', peer.shopUrl).href)
  assert.equal(peer.requests.length, 0)
  await call(page, 'consent', 'granted')
  await idle(page)
  const told = peer.requests.find(({ kind }) => kind === 'identify')!.body as Record<string, unknown>
  const visitorId = await call(page, 'visitorId')
  assert.deepEqual([told.visitorId, told.consent, told.link], [visitorId, 'granted', 'Abc-1_2'])
  assert.doesNotMatch(JSON.stringify(sent()), /pr_link|Abc-1_2/)
})

test('what happens last on a page arrives, without a question before it, where beacons are blocked', {
  skip,
}, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  await context.addInitScript('Navigator.prototype.sendBeacon = () => { throw new Error("blocked") }')
  const page = await open(context, '/')
  await page.evaluate(`postroom('track', 'cart.paid'); location.href = '/thanks'`)
  await comes('the last event', () => actions().includes('cart.paid'))
  await page.waitForURL('**/thanks')
  await call(page, 'track', 'thanks.seen')
  await page.close({ runBeforeUnload: true })
  await comes('the event of the page that was closed', () => actions().includes('thanks.seen'))
  assert.ok(!kinds().includes('OPTIONS'))
})

test('a server that is away is asked again after growing pauses, by whatever page, until it has everything', {
  skip,
}, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  const page = await open(context, '/')
  await gathered(page, 'the page view', () => actions().length === 1)
  // Before its answer is heard nothing is tried: what comes until then would go behind it, to a server that is not away yet.
  await idle(page)
  const paused = async (on: Page, atLeast: number) => {
    let [tries, until] = [0, 0]
    await eventually(`pause ${atLeast}`, async () => {
      ;[tries, until] = JSON.parse((await stored(on)).pr_retry ?? '[0,0]')
      return tries >= atLeast
    })
    return { tries, pauseMs: until - (await on.evaluate<number>('Date.now()')) }
  }
  await call(page, 'track', 'cart.added')
  const answers: CollectAnswer[] = ['drop', { status: 503 }, { status: 408 }, { status: 401 }]
  let before = 0
  let soFar = 0
  for (const answer of answers) {
    before = peer.requests.length
    peer.answer = () => answer
    await gathered(page, 'a try', () => peer.requests.length > before)
    const { tries, pauseMs } = await paused(page, soFar + 1)
    assert.ok(pauseMs <= 2_000 * 2 ** tries, `${pauseMs} ms after try ${tries}`)
    soFar = tries
  }
  peer.answer = () => ({ status: 429, retryAfter: 3_600 })
  await page.close()
  const next = await open(context, '/next')
  before = peer.requests.length
  await gathered(next, 'a try of the next page', () => peer.requests.length > before)
  const { pauseMs } = await paused(next, soFar + 1)
  assert.ok(pauseMs > 600_000, 'the pause that the server asked for')
  before = peer.requests.length
  await next.clock.runFor(pauseMs - 10_000)
  await call(next, 'flush')
  assert.equal(peer.requests.length, before)
  peer.answer = () => ({ status: 204 })
  await idle(next)
  assert.equal(peer.taken.length, 3)
  assert.equal(new Set(peer.taken).size, 3)
  assert.equal((await stored(next)).pr_retry, undefined)
})

test('what nobody has taken in a week is given up', { skip }, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  peer.answer = () => ({ status: 503 })
  const page = await open(context, '/')
  await gathered(page, 'a try', () => kinds().length > 0)
  assert.equal((await queued(page)).length, 2)
  peer.answer = () => ({ status: 204 })
  await page.clock.setSystemTime(WHEN + 8 * DAY_MS)
  await call(page, 'track', 'cart.added')
  assert.equal((await queued(page)).length, 1)
})

test('a bad event is found by halves and alone is dropped', { skip }, async () => {
  const context = await visitor(STUB + tag('data-auto=""') + GRANTED)
  peer.answer = ({ body }) => ({ status: body.events?.some(({ action }) => action === 'bad') ? 422 : 204 })
  const page = await open(context, '/')
  await page.evaluate(`for (let n = 0; n < 30; n++) postroom('track', n === 17 ? 'bad' : 'good.' + n)`)
  await idle(page)
  assert.equal(peer.taken.length, 29)
  assert.equal(new Set(peer.taken).size, 29)
  const batches = peer.requests.filter(({ kind }) => kind === 'events').length
  assert.ok(batches <= 16, `${batches} requests`)
})

test('a queue has its limits, and the oldest gives way', { skip }, async () => {
  const context = await visitor(STUB + tag('data-auto=""') + GRANTED)
  const page = await open(context, '/')
  await context.setOffline(true)
  await page.evaluate(`for (let n = 0; n < 250; n++) postroom('track', 'event.' + n)`)
  assert.equal((await queued(page)).length, 200)
  await call(page, 'track', 'large', { text: 'x'.repeat(40_000) })
  for (let n = 0; n < 6; n += 1) await call(page, 'track', `long.${n}`, { text: 'x'.repeat(25_000) })
  await page.clock.runFor(60_000)
  assert.equal(peer.requests.length, 0)
  // Without a word from anybody but the browser.
  await context.setOffline(false)
  await idle(page)
  assert.deepEqual(actions(), ['long.1', 'long.2', 'long.3', 'long.4', 'long.5'])
  assert.deepEqual(
    peer.requests.map(({ body }) => body.events?.length),
    [2, 2, 1],
  )
})

test('two tabs share one queue and send nothing twice', { skip }, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  const [one, other] = [await open(context, '/one'), await open(context, '/other')]
  await gathered(one, 'both page views', () => new Set(peer.taken).size === 2)
  await idle(one)
  let answer: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  peer.answer = async () => {
    await held
    return { status: 204 }
  }
  for (const page of [one, other]) await page.evaluate(`for (let n = 0; n < 5; n++) postroom('track', 'event')`)
  const before = peer.requests.length
  await gathered(one, 'the first batch', () => peer.requests.length > before)
  const tries = peer.requests.length
  await one.clock.runFor(3_000)
  await call(other, 'flush')
  assert.equal(peer.requests.length, tries, 'the other tab waits')
  answer()
  await idle(other)
  // Ids make it harmless when storage is slower than the lock; none is missing.
  assert.equal(new Set(peer.taken).size, 12)
  assert.equal(new Set(sent().map(({ visitorId }) => visitorId)).size, 1)
  // One tab's denial is the other's.
  await call(one, 'consent', 'denied')
  // Tabs may be processes of their own, which hear of each other's storage a moment later.
  await eventually('the other tab has heard of it', async () => Object.keys(await stored(other)).length === 0)
  await call(other, 'track', 'too.late')
  assert.deepEqual(await queued(other), [])
})

test('routes of an application, a return from the cache and clicks are recorded by themselves', { skip }, async () => {
  const context = await visitor(STUB + tag() + GRANTED)
  const page = await open(context, '/shop/')
  await page.evaluate(`
    history.pushState({}, '', '/shop/shoes?q=ada@example.com')
    history.pushState({ open: true }, '', '/shop/shoes?page=2')
    history.replaceState({}, '', '/shop/shoes?page=3')
    history.pushState({}, '', '#/sizes?token=1')
    document.body.innerHTML = '<button data-postroom-event="cart.added" data-postroom-sku-id="A-1"><b>Buy</b></button>'
    document.querySelector('button').addEventListener('click', (event) => event.stopPropagation())
    document.querySelector('b').click()
  `)
  // A step that stays in the document, for which `goBack` waits for ever in Firefox: nothing is loaded.
  await page.evaluate(`new Promise((done) => {
    addEventListener('popstate', () => done())
    history.back()
  })`)
  assert.ok((await page.evaluate<string>('location.search')).endsWith('page=3'))
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`)
  await gathered(page, 'all of them', () => actions().length >= 6)
  const at = (suffix: string) => `${peer.shopUrl}/shop/${suffix}`
  assert.deepEqual(
    sent().map(({ action, properties }) => [action, properties?.url ?? properties, properties?.referrer]),
    [
      ['page.view', at(''), ''],
      ['page.view', at('shoes'), at('')],
      ['page.view', at('shoes#/sizes'), at('shoes')],
      ['cart.added', { skuId: 'A-1' }, undefined],
      ['page.view', at('shoes'), at('shoes#/sizes')],
      ['page.view', at('shoes'), ''],
    ],
  )
})

/** In the head of a page that has the next one made ready, and goes there when it is told to; each says what becomes of it. */
const READY_IN_ADVANCE = `<script>
  const tell = (what) => fetch('/collect/' + what, { method: 'POST' })
  addEventListener('load', () => document.prerendering && tell('prerendered'))
  document.addEventListener('prerenderingchange', () => tell('shown'))
  if (location.pathname === '/start') {
    const rules = document.createElement('script')
    rules.type = 'speculationrules'
    rules.textContent = '{ "prerender": [{ "source": "list", "urls": ["/ready"], "eagerness": "immediate" }] }'
    document.head.append(rules)
    tell('begun').then(() => {
      postroom('track', 'still.here')
      postroom('flush')
      return tell('seen').then(() => (location.href = '/ready'))
    })
  }
</script>`

test('a page that the browser makes ready in advance is recorded once it is seen', {
  skip: inFirefox ? 'Firefox makes no page ready' : skip,
}, async (t) => {
  peer.head = STUB + tag() + GRANTED + READY_IN_ADVANCE
  const [prerendered, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  peer.answer = async ({ kind }) => {
    if (kind === 'prerendered') prerendered.resolve()
    if (kind === 'begun') await prerendered.promise
    if (kind === 'seen') await looked.promise
    return { status: 204 }
  }
  const chromium = await openAlone(`${peer.shopUrl}/start`)
  t.after(() => chromium.close())
  // The queue is that of both: what the other page had recorded would go along.
  await comes('what the first page records then', () => actions().includes('still.here'))
  const views = () =>
    sent().flatMap(({ action, properties }) =>
      action === 'page.view' ? [[properties?.url, properties?.referrer]] : [],
    )
  const [start, ready] = [`${peer.shopUrl}/start`, `${peer.shopUrl}/ready`]
  assert.deepEqual([views(), kinds().includes('shown')], [[[start, '']], false])
  looked.resolve()
  await comes('the page view', () => views().length === 2)
  assert.deepEqual([views()[1], kinds().includes('shown')], [[ready, start], true])
})

test('the strictest policy and a digest are no hindrance, a second tag changes nothing', { skip }, async () => {
  const digest = createHash('sha384').update(script).digest('base64')
  const whole = tag(`integrity="sha384-${digest}" crossorigin data-consent="implied"`)
  peer.policy = `default-src 'none'; script-src ${peer.collectUrl}; connect-src ${peer.collectUrl}/collect/; require-trusted-types-for 'script'`
  const context = await visitor(whole + whole)
  const faults: string[] = []
  context.on('console', (message) => faults.push(message.text()))
  context.on('weberror', (error) => faults.push(error.error().message))
  const page = await open(context, '/')
  await gathered(page, 'the page view', () => actions().length === 1)
  await page.clock.runFor(10_000)
  assert.deepEqual(actions(), ['page.view'])
  // The icon that every browser asks for by itself is nobody's image.
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('favicon')),
    [],
  )
})

test('on https the cookie is never sent without it', { skip }, async () => {
  const context = await visitor(STUB + tag('data-collect-url="https://shop.example/collect"') + GRANTED)
  await context.route('https://shop.example/**', async (route) => {
    const isPage = new URL(route.request().url()).pathname === '/'
    if (isPage)
      return route.fulfill({ contentType: 'text/html', body: peer.head.replace(`${peer.collectUrl}/t.js`, '/t.js') })
    return route.fulfill({ contentType: 'text/javascript', body: script })
  })
  await open(context, 'https://shop.example/')
  const [cookie] = await context.cookies('https://shop.example')
  assert.equal(cookie?.secure, true)
  const days = (cookie!.expires * 1_000 - Date.now()) / DAY_MS
  assert.ok(days > 179 && days < 181, `${days} days`)
})
