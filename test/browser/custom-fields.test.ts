import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('a renamed field shows the key before, and one that others name says which instead of going', {
  skip,
}, async () => {
  await world.site('POST', '/custom-fields', { key: 'plan', name: 'Plan', type: 'string' })
  await world.site('POST', '/contacts', { email: 'ada@example.com', customFields: { plan: 'pro' } })
  const rules = [{ field: 'custom:plan', operator: '=', value: 'pro' }]
  const definition = JSON.stringify({ combinator: 'and', rules })
  const { json: segment } = await world.site('POST', '/segments', { name: 'Paying', definition })
  const wording = 'Once a month.'
  const fields = [{ field: 'email' }, { field: 'custom:plan' }]
  const { json: form } = await world.site('POST', '/forms', { name: 'Footer', consentWording: wording, fields })

  const { page, faults, close } = await world.open('/app/default/contacts/fields')
  const choose = async (entry: string) => {
    await page.getByRole('button', { name: 'More for Plan' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  const dialog = page.getByRole('dialog')
  await choose('Rename')
  await dialog.getByLabel('Key', { exact: true }).fill('tier')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('before: plan').waitFor()

  await choose('Delete')
  await dialog.getByLabel(/Type/).fill('tier')
  await dialog.getByRole('button', { name: 'Delete field' }).click()
  await dialog.getByText(/^It is in use by the segment “.+” and the form “.+”\. Take it out there first\.$/).waitFor()
  const links = await dialog.getByRole('link').all()
  const ways = await Promise.all(links.map((link) => link.getAttribute('href')))
  assert.deepEqual(ways, [`/app/default/segments/${segment.id}`, `/app/default/forms/${form.id}`])
  await links[1]!.click()
  await page.locator('h1', { hasText: 'Footer' }).waitFor()
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
  await close()
})

test('a field is a column of the list, under its name, and stays one on the next visit and after a rename', {
  skip,
}, async () => {
  const { json: seats } = await world.site('POST', '/custom-fields', { key: 'seats', name: 'Seats', type: 'number' })
  await world.site('POST', '/custom-fields', { key: 'city', name: 'Home town', type: 'string' })
  await world.site('POST', '/contacts', { email: 'grace@example.com', customFields: { seats: 12, city: 'Paris' } })
  const { page, faults, close } = await world.open('/app/default/contacts?search=grace')
  await settled(page)
  const headsOf = () => page.getByRole('columnheader').allInnerTexts()
  await page.getByRole('button', { name: 'Columns' }).click()
  const fields = page.getByRole('group', { name: 'Custom fields', exact: true })
  await fields.getByRole('checkbox', { name: 'Seats' }).check()
  await fields.getByRole('checkbox', { name: 'All custom fields' }).check()
  await page.keyboard.press('Escape')
  const row = page.getByRole('row').filter({ hasText: 'grace@example.com' })
  await row.getByText('12', { exact: true }).waitFor()
  await row.getByText('Home town: Paris, Seats: 12').waitFor()

  await world.site('PATCH', `/custom-fields/${seats.id}`, { key: 'places', name: 'Places' })
  await page.goto('/app/default/contacts')
  await settled(page)
  assert.ok((await headsOf()).includes('Places'), String(await headsOf()))
  await row.getByText('12', { exact: true }).waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('a number that browsers would round is shown and changed with all its digits', { skip }, async () => {
  const customFields = { account: JSON.rawJSON('9007199254740993'), visits: JSON.rawJSON('12345678901234567890') }
  const { json: contact } = await world.site('POST', '/contacts', { email: 'digits@example.com', customFields })
  const { page, faults, close } = await world.open(`/app/default/contacts/${contact.id}`)
  await settled(page)
  const shown = (digits: string, key: string) =>
    page.getByRole('button', { name: new RegExp(`^${digits} ?, ${key}, change$`) })
  await shown('12345678901234567890', 'visits').waitFor()
  await shown('9007199254740993', 'account').click()
  await page.getByRole('textbox', { name: 'account' }).fill('9007199254740995')
  await page.keyboard.press('Enter')
  await shown('9007199254740995', 'account').waitFor()
  const { text } = await world.site('GET', `/contacts/${contact.id}`)
  assert.match(text, /"customFields":\{"visits":12345678901234567890,"account":9007199254740995\}/)
  assert.deepEqual(faults, [])
  await close()
})
