import { after, before, test } from 'node:test'
import { launchFirefox, WITHOUT_FIREFOX } from './firefox.ts'
import { walkSampleShop, walkStrictPage } from './shop-walks.ts'
import { openTrackedShop, type TrackedShop } from './tracked-shop.ts'

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
