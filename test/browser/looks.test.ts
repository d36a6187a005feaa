import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { sentBroadcast } from './rows/broadcasts.ts'
import { onRow, openBusy } from './shot-states.ts'
import { violationsOf } from './violations.ts'
import { openWorld, settled, type World } from './world.ts'

/* What was found missing when pages were looked at as pictures, and no rule about all of them would find. */

const skip = WITHOUT_BROWSER
const PHONE = 360
/** How many pixels of each side of the tabs fade. */
const FADES = `['--fade-begin', '--fade-end'].map((side) =>
  parseFloat(getComputedStyle(document.querySelector('main nav:has([aria-current=page])')).getPropertyValue(side)))`
/** Where facts below the first line of a row begin. */
const EDGES = `[...new Set([...document.querySelectorAll('main td[data-below]:not([data-numeric])')]
  .filter((fact) => fact.checkVisibility())
  .map((fact) => getComputedStyle(fact).paddingLeft))]`
let world: World

before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('a broadcast that waits for its time shows the mail, who would get it and from whom', { skip }, async () => {
  await world.site('POST', '/contacts', { email: 'ada@example.com' })
  const definition = JSON.stringify({ rules: [{ field: 'email', operator: '=', value: 'ada@example.com' }] })
  const { json: segment } = await world.site('POST', '/segments', { name: 'Ada alone', definition })
  const body = '<p>A good new year. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  const content = { name: 'New year', subject: 'Good wishes', body, segmentId: segment.id }
  const { json: made } = await world.site('POST', '/broadcasts', content)
  await world.site('POST', `/broadcasts/${made.id}/schedule`, { scheduledAt: '2036-12-31T08:00:00Z' })
  const { page, close } = await world.open(`/app/default/broadcasts/${made.id}`)
  await settled(page)
  const audience = page.getByRole('region', { name: 'Audience' })
  await audience.getByText('1 would get it now').waitFor()
  await audience.getByText('Ada alone').waitFor()
  await audience.getByText('hello@postroom.localhost').waitFor()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('Good wishes').waitFor()
  await preview.frameLocator('iframe').getByText('A good new year.').waitFor()
  await close()
})

test('a draft on a phone is four lines to open, what keeps it from being sent, and its next act in sight', {
  skip,
}, async () => {
  const body = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  const { json: made } = await world.site('POST', '/broadcasts', { name: 'On the way', subject: 'Hello', body })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${made.id}`, { width: PHONE })
  await settled(page)
  const act = page.getByRole('region', { name: 'Next' }).getByRole('button', { name: 'Send…' })
  const seen = async () => {
    const { y, height } = (await act.boundingBox())!
    return y + height <= page.viewportSize()!.height
  }
  assert.ok(await seen(), 'the act is seen before anything is scrolled')
  const checks = await page.getByRole('heading', { name: 'Before it goes out' }).boundingBox()
  assert.ok(checks!.y < 900, `what keeps it from being sent begins at ${checks!.y}`)

  // By keys alone: the part opens, is written in, closes, and its line says what was written.
  const content = page.getByRole('region', { name: 'Content' })
  await content.getByText('Hello', { exact: true }).waitFor()
  const opener = content.getByRole('button', { name: 'Content' })
  await opener.focus()
  await page.keyboard.press('Enter')
  const subject = content.getByLabel('Subject')
  await subject.fill('Hello from a train')
  assert.ok(await seen(), 'the act is seen beside a part that is open')
  await opener.press('Enter')
  await content.getByText('Hello from a train').waitFor()
  assert.equal(await subject.isVisible(), false)
  await act.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Hello from a train').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('a finding about a draft opens the part it is about on a phone; a draft without a subject begins open', {
  skip,
}, async () => {
  const { json: made } = await world.site('POST', '/broadcasts', { name: 'Just begun', subject: '', body: '' })
  const { page, close } = await world.open(`/app/default/broadcasts/${made.id}`, { width: PHONE })
  await settled(page)
  const subject = page.getByRole('region', { name: 'Content' }).getByLabel('Subject')
  await subject.waitFor()
  await page.getByRole('button', { name: 'Content' }).click()
  await subject.waitFor({ state: 'hidden' })
  const checks = page.getByRole('region', { name: 'Before it goes out' })
  await checks.getByRole('link', { name: 'Content' }).first().click()
  await subject.waitFor()
  await close()
})

test('the page of a busy server is one of the pages without a script, light, dark and on a phone', {
  skip,
}, async () => {
  for (const scheme of ['light', 'dark'] as const) {
    const { page, close } = await world.open('/healthz', { cookie: null, scheme, width: PHONE })
    for (const [method, act] of [
      ['GET', 'Try again'],
      ['POST', 'To the dashboard'],
    ] as const) {
      await openBusy(page, method)
      await page.getByRole('heading', { level: 1, name: 'The server is busy' }).waitFor()
      await page.getByRole('link', { name: act }).waitFor()
      assert.deepEqual(await violationsOf(page, ['wcag2a', 'wcag2aa', 'wcag22aa']), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE)
    }
    await close()
  }
})

test('signs stand beside the title on a phone, whatever acts there are', { skip }, async () => {
  const { page, close } = await world.open('/healthz', { width: 390 })
  for (const row of ['automation', 'broadcast-scheduled', 'segment', 'domain']) {
    await page.goto(await onRow(row)(world))
    await settled(page)
    const title = await page.locator('main h1').boundingBox()
    for (const sign of ['As curl', 'More']) {
      const box = await page.locator('main header').getByRole('button', { name: sign, exact: true }).boundingBox()
      assert.ok(box!.y < title!.y + title!.height, `${sign} of ${row} stands beside its title`)
    }
  }
  await close()
})

test('a list on a phone has no line for what is not there', { skip }, async () => {
  await world.site('POST', '/suppressions', { destination: 'gone@example.com' })
  const { page, close } = await world.open('/app/default/suppressions', { width: PHONE })
  await settled(page)
  const row = page.getByRole('row').filter({ hasText: 'gone@example.com' })
  const shown = row.locator('[data-below]').filter({ visible: true })
  await eventually('when it came is all that is known of it', async () => (await shown.count()) === 1)
  await close()
})

test('lists on a phone have the second fact of each row below its first line', { skip }, async () => {
  const wording = 'News of the fair.'
  await world.site('POST', '/templates', { name: 'Letter', subject: 'What is new', body: '<p>Hello</p>' })
  await world.site('POST', '/topics', { name: 'Fairs', visibility: 'private' })
  await world.site('POST', '/trackers', { name: 'Fair site', allowedOrigins: ['https://fair.example'] })
  await world.site('POST', '/forms', { name: 'Fair form', consentWording: wording, tags: ['visitor'] })
  await world.site('POST', '/webhooks', { url: 'https://hooks.example/fair', eventTypes: ['nothing.happens'] })
  const { page, close } = await world.open('/app/default/templates', { width: PHONE })
  const facts = [
    ['templates', 'Letter', 'What is new'],
    ['contacts/topics', 'Fairs', /\w/],
    ['trackers', 'Fair site', 'https://fair.example'],
    ['forms', 'Fair form', 'visitor'],
    ['webhooks', 'hooks.example/fair', /\w/],
  ] as const
  for (const [path, name, fact] of facts) {
    await page.goto(`/app/default/${path}`)
    const row = page.getByRole('row').filter({ hasText: name })
    await row.locator('[data-below]').filter({ hasText: fact, visible: true }).first().waitFor()
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE, path)
    assert.equal((await page.evaluate<string[]>(EDGES)).length, 1, path)
  }
  await page.goto('/app/default/contacts/tags?search=nobody')
  const search = page.getByRole('searchbox')
  await search.waitFor()
  assert.equal((await search.boundingBox())!.width, (await page.locator('main search').boundingBox())!.width)
  await close()
})

test('how the dates of a file are read is seen and changed on a phone, too', { skip }, async () => {
  const { page, close } = await world.open('/app/default/contacts/imports/new', { width: PHONE })
  await settled(page)
  const file = {
    name: 'dates.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Email,Since\na@example.com,03/04/2025\n'),
  }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Look: it could be the other way round.').filter({ visible: true }).waitFor()
  await page.getByText('2025-03-04').filter({ visible: true }).waitFor()
  await page.getByLabel('How Since is written').selectOption('date_dmy')
  await page.getByText('2025-04-03').filter({ visible: true }).waitFor()
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), PHONE)
  await close()
})

test('the steps of an automation have all their numbers on a phone, in one line', { skip }, async () => {
  const definition = {
    format: 1,
    enter: { on: [{ manual: true }] },
    start: 'rest',
    nodes: { rest: { type: 'delay', hours: 2, to: 'end' } },
  }
  const { json: made } = await world.site('POST', '/automations', { name: 'Rest', definition })
  const { page, close } = await world.open(`/app/default/automations/${made.id}`, { width: PHONE })
  await settled(page)
  const numbers = page.getByRole('table', { name: 'Steps' }).locator('tbody [data-below]').filter({ visible: true })
  await eventually('four numbers are shown', async () => (await numbers.count()) === 4)
  const boxes = await Promise.all((await numbers.all()).map((number) => number.boundingBox()))
  assert.equal(new Set(boxes.map((box) => box!.y)).size, 1, JSON.stringify(boxes))
  assert.ok(boxes.every((box) => box!.x + box!.width <= PHONE))
  await close()
})

test('of who got a broadcast a phone tells the reason and leads to why; the list has its numbers', {
  skip,
}, async () => {
  const id = await sentBroadcast(world)
  const { page, close } = await world.open(`/app/default/broadcasts/${id}?tab=recipients`, { width: PHONE })
  await settled(page)
  const row = page.getByRole('row').filter({ hasText: 'reader1@example.com' })
  await row.getByText('Unsubscribed from broadcasts').waitFor()
  await row.getByRole('link', { name: 'Why?' }).waitFor()
  const { json: found } = await world.site('GET', '/messages?destination=reader1%40example.com')
  await page.goto(`/app/default/messages/${found.items[0].id}`)
  await page.getByRole('region', { name: 'Timeline' }).getByText('Skipped: unsubscribed from such mail').waitFor()
  await page.goto('/app/default/broadcasts')
  await settled(page)
  const sent = page.getByRole('row').filter({ hasText: 'November news' }).locator('[data-below]')
  const shown = sent.filter({ visible: true })
  await eventually('people, opened and clicked are shown', async () => (await shown.count()) === 3)
  await close()
})

test('a dialog that is closed by a key leaves the focus where it was opened', { skip }, async () => {
  await world.site('POST', '/suppressions', { destination: 'kept@example.com' })
  const { page, close } = await world.open('/app/default/suppressions')
  await settled(page)
  const opener = page.getByRole('row').filter({ hasText: 'kept@example.com' }).getByRole('button')
  await opener.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const hasFocus = async (button: Locator) => button.evaluate((one) => one.matches(':focus'))
  await eventually('its opener has the focus', () => hasFocus(opener))
  await world.site('POST', '/tags', { name: 'Kept' })
  await page.goto('/app/default/contacts/tags')
  await settled(page)
  const menu = page.getByRole('row').filter({ hasText: 'Kept' }).getByRole('button', { name: /^More/ })
  await menu.click()
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually('the button of the menu it came from has the focus', () => hasFocus(menu))
  await close()
})

test('a menu opens by the arrow, and closes by Escape, on its button too', { skip }, async () => {
  await world.site('POST', '/tags', { name: 'Opened by keys' })
  const { page, close } = await world.open('/app/default/contacts/tags')
  await settled(page)
  const button = page.getByRole('row').filter({ hasText: 'Opened by keys' }).getByRole('button', { name: /^More/ })
  const entry = page.getByRole('menuitem', { name: /^Delete/ })
  await button.press('ArrowDown')
  await entry.waitFor()
  await page.keyboard.press('Escape')
  await entry.waitFor({ state: 'detached' })
  await button.click()
  await entry.waitFor()
  await button.press('Escape')
  await entry.waitFor({ state: 'detached' })
  await close()
})

test('tabs that a phone has no room for fade where there are more, and the chosen one is seen', { skip }, async () => {
  const { page, close } = await world.open('/app/default/contacts', { width: PHONE })
  const tabs = page.locator('main nav:has([aria-current=page])')
  const fades = () => page.evaluate<number[]>(FADES)
  const fadeBy = (what: string, ...both: number[]) =>
    eventually(what, async () => isDeepStrictEqual(await fades(), both))
  const isSeen = () =>
    eventually('the chosen one is seen', async () => {
      const { x, width } = (await tabs.locator('[aria-current=page]').boundingBox())!
      return x >= 0 && x + width <= PHONE
    })
  await settled(page)
  await fadeBy('more to the right', 0, 40)
  await tabs.getByRole('link', { name: 'Custom fields' }).click()
  await page.getByRole('heading', { level: 1, name: 'Custom fields' }).waitFor()
  await settled(page)
  await isSeen()
  await page.goto('/app/default/contacts/exports')
  await settled(page)
  await fadeBy('more to the left', 40, 0)
  await isSeen()
  await page.setViewportSize({ width: 1_280, height: 900 })
  await fadeBy('all of them fit', 0, 0)
  await close()
})

test('a form whose fields and tags have long names has all of its settings in their panel', { skip }, async () => {
  const long = 'Donaudampfschifffahrtsgesellschaft'.repeat(3).slice(0, 100)
  await world.site('POST', '/custom-fields', { key: 'long_name', name: long, type: 'string' })
  const fields = [{ field: 'email' }, { field: 'custom:long_name' }]
  const content = { name: 'Long names', consentWording: 'Once a month.', fields, tags: [long] }
  const { json: form } = await world.site('POST', '/forms', content)
  const { page, close } = await world.open(`/app/default/forms/${form.id}`)
  await settled(page)
  const remove = page.getByRole('button', { name: `Remove ${long}` }).first()
  for (const width of [1_280, PHONE]) {
    await page.setViewportSize({ width, height: 900 })
    const panel = (await page.getByRole('region', { name: 'Settings' }).boundingBox())!
    for (const one of [remove, page.getByLabel('Name', { exact: true }), page.getByLabel(long, { exact: true })]) {
      const { x, width: wide } = (await one.boundingBox())!
      assert.ok(x + wide <= panel.x + panel.width, `${x + wide} of ${panel.x + panel.width} at ${width} px`)
    }
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width)
  }
  const { width } = (await page.getByLabel(long, { exact: true }).boundingBox())!
  assert.ok(width > PHONE / 2, `a phone has ${width} px to write the label of a field in`)
  await close()
})

test('a person with many tags is a row as high as others', { skip }, async () => {
  const tags = Array.from({ length: 40 }, (_, n) => `Of many ${n}`)
  await world.site('POST', '/contacts', { email: 'of.many@example.com', tags })
  const { page, close } = await world.open('/app/default/contacts?search=of.many')
  await settled(page)
  const row = page.getByRole('row').filter({ hasText: 'of.many@example.com' })
  await row.getByText('and 37 more').waitFor()
  const { height } = (await row.boundingBox())!
  assert.ok(height < 90, `${height} px high`)
  await close()
})

test('what is gone says why that may be, as no fault', { skip }, async () => {
  const { page, close } = await world.open('/app/default/segments/999999')
  await page.getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor()
  await page.getByText('It may have been deleted meanwhile, or the address is not whole.').waitFor()
  assert.equal(await page.locator('main [data-tone=bad]').count(), 0)
  await page.getByRole('link', { name: 'To Segments' }).waitFor()
  await close()
})

test('a fault of the server says who can find it, and by what', { skip }, async () => {
  const { page, close } = await world.open('/healthz')
  const body = '{"title":"Something broke on our side","status":500,"code":"internal-error","requestId":"r-1"}'
  const fault = { status: 500, contentType: 'application/problem+json', body }
  await page.route(/\/workspaces\/default\/segments/, (route) => route.fulfill(fault))
  await page.goto('/app/default/segments')
  const alert = page.getByRole('alert')
  await alert.getByText('Whoever runs the server finds the fault in its log by this number.').waitFor()
  await alert.getByText('r-1').waitFor()
  await alert.getByRole('button', { name: 'Try again' }).waitFor()
  await close()
})

test('acts of a page are at its end, beside a title that leaves them room', { skip }, async () => {
  const { page, close } = await world.open('/app/default/contacts', { width: 640 })
  await settled(page)
  const boxOf = async (name: string) => (await page.locator('main header').getByRole('button', { name }).boundingBox())!
  const [act, curl] = [await boxOf('New contact'), await boxOf('As curl')]
  const between = Math.abs(curl.x - act.x) - Math.min(curl.width, act.width)
  assert.ok(Math.abs(curl.y - act.y) < 16 && between < 150, `${between} px between them`)
  const title = (await page.locator('main h1').boundingBox())!
  assert.ok(act.y < title.y + title.height, 'in its line')
  await close()
})

test('the palette and the list of keys have pages in the order of the sidebar', { skip }, async () => {
  const { page, close } = await world.open('/app/default/contacts')
  await settled(page)
  const names = await page.getByRole('navigation', { name: 'Pages' }).first().getByRole('link').allTextContents()
  await page.keyboard.press('Control+k')
  const options = page.getByRole('dialog').getByRole('option')
  await options.first().waitFor()
  const found = (await options.allTextContents()).map((text) => text.replace(/Page$/, ''))
  assert.deepEqual(found.slice(0, names.length), names)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Go to Contacts').waitFor()
  const keys = await page.getByRole('dialog').locator('dd').allTextContents()
  const places = names.map((name) => keys.findIndex((does) => does.endsWith(name))).filter((place) => place >= 0)
  assert.ok(places.length > 5)
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  )
  await close()
})

test('a printed report is dark on white, with its bar and without what is pressed', { skip }, async () => {
  const id = await sentBroadcast(world)
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`, { scheme: 'dark' })
  await settled(page)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const style = (name: string) => page.evaluate<string>(`getComputedStyle(document.querySelector('main h1')).${name}`)
  const colour = await style('color')
  const [red = 255] = [...colour.matchAll(/\d+/g)].map(Number)
  assert.ok(red < 100, `words are ${colour}`)
  assert.equal(await style('printColorAdjust'), 'exact')
  for (const role of ['button', 'navigation'] as const)
    assert.deepEqual(await page.getByRole(role).filter({ visible: true }).allTextContents(), [], role)
  await page.getByText(/^Adds up to \d+\.$/).waitFor()
  await close()
})

test('a choice that nobody has made looks as one to make in the dark', { skip }, async () => {
  const { page, close } = await world.open(await onRow('import-columns')(world), { scheme: 'dark' })
  await settled(page)
  await page.getByRole('radio').first().waitFor()
  // Drawn by the browser, it is filled with grey, as what is switched off.
  const drawn = `[...document.querySelectorAll('main [type=radio]')].map((one) => {
    const { appearance, borderRadius } = getComputedStyle(one)
    return appearance + ' ' + borderRadius
  })`
  assert.deepEqual(await page.evaluate(drawn), ['none 50%', 'none 50%'])
  await close()
})
