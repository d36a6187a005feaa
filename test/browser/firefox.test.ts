import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { launchFirefox, WITHOUT_FIREFOX } from './firefox.ts'
import { walkSampleShop, walkStrictPage } from './shop-walks.ts'
import { delivered, openTracked, openTrackedShop, type TrackedShop } from './tracked-shop.ts'

/*
 * The tracker and a form in Firefox, with the server and its database. `TRACKER_BROWSER=firefox npm test test/browser/tracker.test.ts`
 * holds it to the rest, too.
 */

const skip = WITHOUT_FIREFOX

let world: TrackedShop

before(async () => {
  if (!skip) world = await openTrackedShop(launchFirefox)
})
after(() => world?.close())

test(
  'a strict page: nothing before consent, then offline and back, two tabs, one visitor, each event once',
  {
    skip,
  },
  () => walkStrictPage(world),
)

test(
  'the sample shop: who signs up there has her visits from before, and her cart begins the automation',
  {
    skip,
  },
  (t) => walkSampleShop(t, world),
)

test('a page that comes back out of the browser’s cache is seen once more', { skip }, async () => {
  const { shop, tag, recorded } = world
  const head = `addEventListener('pageshow', ({ persisted }) => { window.isBack = persisted }); postroom('consent', 'granted')`
  shop.head = `${tag()}<script>${head}</script>`
  const context = await world.visitor()
  const page = await openTracked(context, '/first')
  await delivered(page)
  await page.goto('/second')
  await page.waitForFunction('window.postroom && window.postroom.on')
  await delivered(page)
  await page.evaluate('void setTimeout(() => history.back())')
  await eventually('the page out of the cache', () =>
    page.evaluate<boolean>('window.isBack === true').catch(() => false),
  )
  await delivered(page)
  const seen = async () => {
    const urls = (await recorded('page.view')).map(({ properties }) => new URL(String(properties.url)))
    return urls.filter(({ origin }) => origin === shop.shopUrl).map(({ pathname }) => pathname)
  }
  await eventually('three views', async () => (await seen()).length >= 3)
  assert.deepEqual((await seen()).sort(), ['/first', '/first', '/second'])
  await context.close()
})
