import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { byKeys, tabTo } from './keys.ts'
import { openWorld, settled, type World } from './world.ts'

/* Whoever works by keys alone goes on where they were, whatever their acts take away from under them. */

const PHONE_PX = 390
const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('a search and filters that are cleared, and a list that comes back, leave the focus beside them', {
  skip,
}, async () => {
  await world.site('POST', '/contacts', { email: 'ada.focus@example.com' })
  const { page, close } = await world.open('/app/default/contacts?search=nobody-at-all&since=7')
  await settled(page)
  const keys = byKeys(page)
  const search = page.getByRole('searchbox', { name: 'Search contacts' })
  await keys.press(page.getByRole('button', { name: 'Clear the search' }))
  await comesTo(page, search)
  await keys.press(page.getByRole('button', { name: 'Clear filter', exact: true }))
  await page.getByText('1 contact', { exact: true }).waitFor()
  await comesTo(page, page.locator('main search :focus'))
  await page.goto('/app/default/contacts?search=nobody-at-all')
  await settled(page)
  await keys.press(page.getByRole('button', { name: 'Show everybody' }))
  await comesTo(page, page.getByRole('checkbox', { name: 'Select this page' }))
  await close()
})

test('whoever pages through a list by keys stays at the button, at its end too', { skip }, async () => {
  const contacts = Array.from({ length: 30 }, (_, n) => ({ email: `paged${n}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts })
  const { page, close } = await world.open('/app/default/contacts')
  await settled(page)
  const next = page.getByRole('button', { name: 'Next page' })
  await byKeys(page).press(next)
  await page.waitForURL('**/contacts?page=2')
  await page.locator('section[aria-label=Contacts]:not([aria-busy=true])').waitFor()
  await comesTo(page, next)
  assert.equal(await next.getAttribute('aria-disabled'), 'true')
  await page.keyboard.press('Enter')
  await byKeys(page).press(page.getByRole('button', { name: 'Page before' }))
  await page.waitForURL('**/contacts')
  await close()
})

test('the menu on a phone holds the focus while it is open, and gives it back', { skip }, async () => {
  const { page, close } = await world.open('/app/default/segments', { width: PHONE_PX })
  await settled(page)
  const opener = page.getByRole('button', { name: 'Open the menu' })
  const keys = byKeys(page)
  await keys.press(opener)
  const account = page.locator('#sidebar').getByRole('button', { name: /account and appearance/ })
  await tabTo(page, account)
  // Nothing of the page behind it is led to.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await page.locator('main :focus').count(), 0)
  await tabTo(page, account)
  await page.keyboard.press('Escape')
  await comesTo(page, opener)
  await page.keyboard.press('Enter')
  await keys.press(page.locator('#sidebar').getByRole('link', { name: 'Segments', exact: true }))
  await comesTo(page, opener)
  await page.keyboard.press('Enter')
  await keys.press(page.locator('#sidebar').getByRole('link', { name: 'Forms', exact: true }))
  await page.getByRole('heading', { level: 1, name: 'Forms' }).waitFor()
  await comesTo(page, page.locator('main:focus, main h1:focus'))
  await close()
})

/** Waits until this has the focus. */
async function comesTo(page: Page, target: Locator): Promise<void> {
  await eventually(`the focus comes to ${target}`, async () => (await target.and(page.locator(':focus')).count()) > 0)
}
