import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* Back, Forward and a reload, in the middle of things. */

const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('Back leads neither to the page on which something was begun, nor to what was deleted', { skip }, async () => {
  const { page, close } = await world.open('/app/default/broadcasts')
  await settled(page)
  await page.locator('main').getByRole('link', { name: 'New broadcast' }).first().click()
  await page.getByRole('button', { name: 'Begin with this: An empty mail' }).click()
  await page.getByRole('heading', { level: 1, name: 'New broadcast' }).waitFor()
  await page.waitForURL(/\/broadcasts\/\d+$/)
  await page.goBack()
  await page.waitForURL('**/app/default/broadcasts')
  await page.goForward()
  await page.waitForURL(/\/broadcasts\/\d+$/)
  await settled(page)
  await page.locator('main').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL('**/app/default/broadcasts')
  await page.goBack()
  await settled(page)
  assert.match(page.url(), /\/broadcasts$/)
  assert.equal(await page.getByRole('heading', { name: 'There is nothing here' }).count(), 0)
  await close()
})
