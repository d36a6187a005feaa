import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { byKeys, tabTo } from './keys.ts'
import { onRow } from './shot-states.ts'
import { openWorld, settled, type World } from './world.ts'

/* Whoever works by keys alone goes on where they were, whatever their acts take away from under them. */

const PHONE_PX = 390
/** For so long an act can be undone. */
const UNDO_MS = 10_000
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
  const atTheEnd = page.getByRole('button', { name: 'Next page', disabled: true })
  await atTheEnd.waitFor()
  await comesTo(page, atTheEnd)
  await page.keyboard.press('Enter')
  await byKeys(page).press(page.getByRole('button', { name: 'Page before' }))
  await page.waitForURL('**/contacts')
  await close()
})

test('whoever undoes, does again and moves a block by keys stays at the button, at its end too', { skip }, async () => {
  const texts = ['One', 'Two', 'Three'].map((words) => `<mj-text>${words}</mj-text>`).join('\n')
  const body = `<mjml><mj-body><mj-section><mj-column>\n${texts}\n</mj-column></mj-section></mj-body></mjml>`
  const { id } = (await world.site('POST', '/broadcasts', { name: 'Moved', subject: 'News', body })).json
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  const keys = byKeys(page)
  const named = (name: string, disabled = false) => page.getByRole('button', { name, exact: true, disabled })
  await page.getByRole('list', { name: 'Blocks of the mail' }).getByText('Three').click()
  await keys.press(named('Move up'))
  await page.keyboard.press('Enter')
  await named('Move up', true).waitFor()
  await comesTo(page, named('Move up', true))
  // At the end nothing is done any more.
  await page.keyboard.press('Enter')
  for (const name of ['Undo', 'Redo']) {
    await keys.press(named(name))
    await page.keyboard.press('Enter')
    await named(name, true).waitFor()
    await comesTo(page, named(name, true))
    await page.keyboard.press('Enter')
  }
  await keys.press(named('Undo'))
  await named('Redo').waitFor()
  await close()
})

test('what a choice does at once is chosen in its open list, and not by each arrow on the way', { skip }, async () => {
  const { json: form } = await world.site('POST', '/forms', { name: 'By keys', consentWording: 'News.' })
  const { page, close } = await world.open(`/app/default/forms/${form.id}`)
  await settled(page)
  const fields = page.getByRole('group', { name: 'What it asks for' }).getByRole('listitem')
  const before = await fields.count()
  const add = page.getByLabel('Add a field')
  await tabTo(page, add)
  const [, first = '', second = ''] = await add.getByRole('option').allTextContents()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await eventually('one is there', async () => (await fields.count()) === before + 1)
  await fields.last().getByLabel(second, { exact: true }).waitFor()
  assert.equal(await fields.getByLabel(first, { exact: true }).count(), 0)
  await comesTo(page, add)
  await close()
})

test('what has the focus beside a page is not under the head of its drawer', { skip }, async () => {
  const { page, close } = await world.open(await onRow('webhook-delivery')(world))
  await settled(page)
  await page.setViewportSize({ width: 1_280, height: 400 })
  const drawer = page.getByRole('dialog')
  const head = (await drawer.locator('header').boundingBox())!
  const cross = drawer.getByRole('button', { name: 'Close' })
  await tabTo(page, cross)
  const hidden: string[] = []
  for (let left = 40; left > 0; left -= 1) {
    await page.keyboard.press('Shift+Tab')
    if ((await cross.and(page.locator(':focus')).count()) > 0) break
    const { y } = (await page.locator(':focus').boundingBox())!
    if (y < head.y + head.height) hidden.push(`${await page.locator(':focus').textContent()} at ${y}`)
  }
  assert.deepEqual(hidden, [])
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

test('tags are taken off by keys, and kept by the letter that undoes', { skip }, async () => {
  const { id, path } = await tagged('ada.tags@example.com')
  const { page, close } = await world.open(path)
  await settled(page)
  await byKeys(page).press(off(page, 'new'))
  await comesTo(page, off(page, 'old'))
  await page.keyboard.press('Enter')
  await comesTo(page, off(page, 'vip'))
  await page.keyboard.press('z')
  await page.getByText('Tag “old” taken off.').waitFor({ state: 'detached' })
  await off(page, 'old').waitFor()
  await page.getByText('Tag “new” taken off.').waitFor()
  assert.equal(await off(page, 'new').count(), 0)
  assert.deepEqual(await tagsOf(id), ['new', 'old', 'vip'])
  await close()
})

test('a tag that is about to go stays out of sight whatever else is done, and stays when it is given again', {
  skip,
}, async () => {
  const { id, path } = await tagged('ben.tags@example.com')
  const { page, close } = await world.open(path)
  await settled(page)
  await page.clock.install()
  await off(page, 'new').click()
  await off(page, 'old').click()
  await give(page, 'more')
  await off(page, 'more').waitFor()
  assert.equal(await off(page, 'new').count(), 0)
  assert.equal(await off(page, 'old').count(), 0)
  // As large as its letters may be, it is the same tag.
  await give(page, 'OLD')
  await off(page, 'old').waitFor()
  await page.getByText('Tag “old” taken off.').waitFor({ state: 'detached' })
  await page.clock.fastForward(UNDO_MS)
  await eventually('the other one is gone', async () => (await tagsOf(id)).join() === 'more,old,vip')
  await off(page, 'vip').waitFor()
  assert.equal(await off(page, 'new').count(), 0)
  assert.equal(await off(page, 'old').count(), 1)
  await close()
})

/** A contact of three tags, and its page. */
async function tagged(email: string): Promise<{ id: string; path: string }> {
  const { id } = (await world.site('POST', '/contacts', { email })).json
  for (const name of ['new', 'old', 'vip']) await world.site('POST', `/contacts/${id}/tags`, { name })
  return { id, path: `/app/default/contacts/${id}` }
}

async function tagsOf(id: string): Promise<string[]> {
  const { json } = await world.site('GET', `/contacts/${id}/tags`)
  return json.items.map(({ name }: { name: string }) => name)
}

const off = (page: Page, name: string) => page.getByRole('button', { name: `Take the tag ${name} off` })

async function give(page: Page, name: string): Promise<void> {
  await page.getByPlaceholder('Add a tag').fill(name)
  // It waits until the one before is given.
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

/** Waits until this has the focus. */
async function comesTo(page: Page, target: Locator): Promise<void> {
  await eventually(`the focus comes to ${target}`, async () => (await target.and(page.locator(':focus')).count()) > 0)
}
