import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { WITHOUT_BROWSER } from './chromium.ts'
import { holdRequests } from './hold-requests.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER
const SAMPLE = path.join(import.meta.dirname, '..', '..', 'docs', 'examples', 'contacts.csv')

let world: World
before(async () => {
  if (skip) return
  world = await openWorld()
})
after(() => world?.close())

test('a link to a page deep inside leads there after the login', { skip }, async () => {
  const { page, faults, close } = await world.open('/app/default/contacts?search=nobody', { cookie: null })
  await page.getByLabel('Email').fill(world.instance.email)
  await page.getByLabel('Password').fill(world.instance.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL('**/app/default/contacts?search=nobody')
  await page.getByText('Nobody fits').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('the first mail is sent and seen without leaving the page, and its step is ticked by it', { skip }, async () => {
  const { page, faults, close } = await world.open('/app/default')
  await settled(page)
  await page.getByText('0 of 7').waitFor()
  await page.getByText('Name your workspace').waitFor()
  await page.getByRole('button', { name: 'Send me one' }).click()
  await page.getByText('On its way: look into the mailbox.').waitFor()
  await page.getByText('1 of 7').waitFor()
  await page.getByRole('button', { name: 'Send me one' }).waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
  await close()
})

test('a file is imported by keys: its columns are known, consent is asked, and every row is accounted for', {
  skip,
}, async () => {
  const { page, faults, close } = await world.open('/app/default/contacts/imports/new')
  await settled(page)
  await page.locator('input[type=file]').setInputFiles(SAMPLE)
  await page.locator('h1', { hasText: 'contacts.csv' }).waitFor()
  await settled(page)
  const start = page.getByRole('button', { name: 'Import', exact: true })
  assert.equal(await start.isDisabled(), true, 'before consent is said')
  await page.getByRole('radio', { name: /No, or I do not know/ }).focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Tab')
  await page.getByLabel('People who are here already').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('Spring fair')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Done', { exact: true }).waitFor()
  await page.getByText('Adds up to 3,000.').waitFor()
  // All of them, also of slices that came after the list was first shown.
  const failed = page.getByRole('region', { name: 'Rows that failed' })
  for (const line of [404, 1757, 2612]) await failed.getByText(`Line ${line}`, { exact: true }).waitFor()
  await page.getByRole('link', { name: 'See your contacts' }).click()
  await page.getByText('of 2,992 contacts').waitFor()
  await page.getByLabel('Tag', { exact: true }).selectOption('Spring fair')
  await page.getByText('of 2,992 contacts').waitFor()
  const { json } = await world.site('GET', '/contacts/imports')
  assert.equal(json.items[0].consent, 'confirmed')
  assert.deepEqual(faults, [])
  await close()
})

test('a field that a file has brought is there for a rule at once', { skip }, async () => {
  const csv = 'email,shoe_size\nshod@fields.example,wide\n'
  const { json } = await world.site('POST', '/contacts/imports', { fileName: 'shoes.csv', csv })
  // Nothing that was read grows old by itself: no person waits before the next page.
  const before = (page: Page) => page.clock.setFixedTime(new Date())
  const { page, faults, close } = await world.open(`/app/default/contacts/imports/${json.id}`, { before })
  await settled(page)
  await page.getByRole('radio', { name: /No, or I do not know/ }).check()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Done', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Segments', exact: true }).click()
  await page.getByRole('link', { name: 'New segment' }).first().click()
  await page.getByLabel('Field of rule 1').selectOption({ label: 'shoe_size' })
  assert.deepEqual(faults, [])
  await close()
})

test('a tag is given at once, taken off with time to think again, and really off when the page is left', {
  skip,
}, async () => {
  const { json: contact } = await world.site('POST', '/contacts', { email: 'tagged@example.net' })
  const { page, close } = await world.open(`/app/default/contacts/${contact.id}`)
  await settled(page)
  const tags = async () =>
    (await world.site('GET', `/contacts/${contact.id}/tags`)).json.items.map(({ name }: { name: string }) => name)
  await page.getByLabel('New tag').fill('Kept')
  await page.keyboard.press('Enter')
  const off = page.getByRole('button', { name: 'Take the tag Kept off' })
  await off.click()
  await off.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await off.waitFor()
  assert.deepEqual(await tags(), ['Kept'])
  await off.click()
  const removed = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.getByLabel('Messages').getByRole('button', { name: 'Close' }).click()
  assert.equal((await removed).status(), 204)
  assert.deepEqual(await tags(), [])
  await close()
})

test('what is chosen for a file outlives a reload, and is forgotten when it is imported or discarded', {
  skip,
}, async () => {
  const upload = async () => {
    const csv = 'email,level\nkept@choices.example,high\n'
    const { json } = await world.site('POST', '/contacts/imports', { fileName: 'choices.csv', csv })
    return `/app/default/contacts/imports/${json.id}`
  }
  const { page, faults, close } = await world.open(await upload())
  const mode = page.getByLabel('People who are here already')
  const tags = page.getByLabel('Tags for everybody in the file')
  const target = page.getByLabel('Where level goes')
  const unsure = page.getByRole('radio', { name: /No, or I do not know/ })
  const kept = () => page.evaluate(`Object.keys(localStorage).filter((key) => key.includes(' import '))`)
  const choose = async () => {
    await mode.selectOption('overwrite')
    await target.selectOption('ignore')
    await tags.fill('Kept')
    await unsure.check()
  }
  await settled(page)
  await choose()
  await page.reload()
  await settled(page)
  assert.deepEqual(
    [await mode.inputValue(), await target.inputValue(), await tags.inputValue()],
    ['overwrite', 'ignore', 'Kept'],
  )
  assert.equal(await unsure.isChecked(), true)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Done', { exact: true }).waitFor()
  assert.deepEqual(await kept(), [])
  await page.goto(await upload())
  await settled(page)
  assert.equal(await tags.inputValue(), '', 'of another file')
  await choose()
  assert.equal(((await kept()) as string[]).length, 1)
  await page.getByRole('button', { name: 'Discard the file' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Discard it' }).click()
  await page.waitForURL('**/app/default/contacts/imports')
  assert.deepEqual(await kept(), [])
  assert.deepEqual(faults, [])
  await close()
})

const LEDGER = [
  'email,spend,orders,PLZ,level,since',
  'one@ledger.example,888,5,10115,low,2020-01-02',
  'two@ledger.example,999,7,80331,high,2020-01-03',
  'three@ledger.example,1000,70,01067,high,2020-01-04',
]

test('a column is read as the type of its field, and the page says what becomes of values that do not fit', {
  skip,
}, async () => {
  await world.site('POST', '/custom-fields', { key: 'level', name: 'Level', type: 'number' })
  await world.site('POST', '/custom-fields', { key: 'since', name: 'Since', type: 'string' })
  await world.site('PUT', '/contacts', { email: 'zero@ledger.example', customFields: { spend: 1234.5 } })
  const csv = `${LEDGER.join('\n')}\n`
  const { json: file } = await world.site('POST', '/contacts/imports', { fileName: 'ledger.csv', csv })
  const { page, faults, close } = await world.open(`/app/default/contacts/imports/${file.id}`)
  await settled(page)
  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  for (const name of ['spend', 'orders'])
    assert.equal(await page.getByLabel(`How ${name} is written`).inputValue(), 'number_point')
  await row('spend').getByText('Any other value stays text.').waitFor()
  assert.equal(await page.getByLabel('How PLZ is written').inputValue(), 'text')
  await row('since').getByText('kept as it stands').waitFor()
  await row('level').getByText('Level is for numbers, and these values are none. Rows with them fail.').waitFor()
  const mode = page.getByLabel('People who are here already')
  await page.getByText(/filled where they are blank. Custom fields take the values of the file/).waitFor()
  await mode.selectOption('overwrite')
  await page.getByText(/time zone and custom fields take the values of the file/).waitFor()
  await page.getByLabel('Where level goes').selectOption('ignore')
  await page.getByRole('radio', { name: /No, or I do not know/ }).check()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText('Done', { exact: true }).waitFor()
  const { json: three } = await world.site('GET', '/contacts?email=three%40ledger.example')
  assert.deepEqual(three.items[0].customFields, { spend: 1000, orders: 70, plz: '01067', since: '2020-01-04' })
  assert.deepEqual(faults, [])
  await close()
})

test('the page of a file that was discarded elsewhere says that it is gone', {
  skip,
}, async () => {
  const { json: file } = await world.site('POST', '/contacts/imports', {
    fileName: 'away.csv',
    csv: 'email\na@b.example\n',
  })
  const { page, close } = await world.open(`/app/default/contacts/imports/${file.id}`)
  await page.locator('h1', { hasText: 'away.csv' }).waitFor()
  await world.site('DELETE', `/contacts/imports/${file.id}`)
  await page.getByRole('alert').getByRole('heading', { name: 'There is nothing here' }).waitFor()
  assert.equal(await page.getByText('away.csv').count(), 0)
  await close()
})

test('an erasure asks for the address, says how many it is about, and leaves nobody behind', { skip }, async () => {
  await world.site('POST', '/contacts', { email: 'gone@example.net' })
  const { page, close } = await world.open('/app/default/contacts?search=gone')
  await page.getByRole('link', { name: 'gone@example.net' }).click()
  await page.locator('h1', { hasText: 'gone@example.net' }).waitFor()
  await settled(page)
  await page.getByRole('button', { name: 'More', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=menuitem]:focus').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Erase this person' })
  const erase = dialog.getByRole('button', { name: 'Erase 1 person' })
  await dialog.getByRole('textbox').fill('gone@example.com')
  assert.equal(await erase.isDisabled(), true)
  await dialog.getByRole('textbox').fill('gone@example.net')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/app/default/contacts')
  await settled(page)
  const { json } = await world.site('GET', '/contacts?email=gone%40example.net')
  assert.equal(json.totalItems, 0)
  // Not to the page of somebody who is no more.
  const list = await holdRequests(page, 'GET', '/contacts?*')
  await page.goBack()
  await list.isThere
  await page.locator('h1', { hasText: 'Contacts' }).waitFor()
  assert.equal(await page.getByText('gone@example.net').count(), 0, 'nor in the list that was read before')
  await list.letGo()
  await page.getByText('Nobody fits').waitFor()
  await close()
})
