import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

async function uploaded(csv: string): Promise<string> {
  const { json } = await world.site('POST', '/contacts/imports', { csv, fileName: 'people.csv' })
  return json.id
}

test('a column that might say who wants no mail is asked about until it is heeded', { skip }, async () => {
  const id = await uploaded('Email,Opted out of email: News\nada@example.com,true\ngrace@example.com,\n')
  const { page, faults, close } = await world.open(`/app/default/contacts/imports/${id}`)
  await settled(page)
  const question = page.getByText('Does Opted out of email: News say who wants no mail?', { exact: false })
  await question.waitFor()
  await page.getByLabel('Where Opted out of email: News goes').selectOption('consent:unsubscribeTime')
  await question.waitFor({ state: 'detached' })
  await page.getByLabel('Yes, everybody in it agreed').check()
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('link', { name: 'See your contacts' }).waitFor()
  const { json } = await world.site('GET', '/contacts?sort=id')
  assert.deepEqual(
    json.items.map((one: { unsubscribedFrom: string[] }) => one.unsubscribedFrom),
    [['everything'], []],
  )
  assert.deepEqual(faults, [])
  await close()
})

test('the page of a person says when they agreed where they came from, and takes a value of a field they have none of', {
  skip,
}, async () => {
  const id = await uploaded(
    'Email,OPTIN_TIME,CONFIRM_TIME,CONFIRM_IP\nhedy@example.com,2024-05-02 12:00:00,2024-05-02 12:05:00,192.0.2.7\n',
  )
  await world.site('POST', `/contacts/imports/${id}/start`, {})
  await world.site('POST', '/custom-fields', { key: 'shoe_size', name: 'Shoe size', type: 'number' })
  const found = async () => (await world.site('GET', '/contacts?email=hedy%40example.com')).json.items
  await eventually('she is here', async () => (await found()).length === 1)
  const [hedy] = await found()
  const { page, faults, close } = await world.open(`/app/default/contacts/${hedy.id}`)
  const consent = page.getByRole('region', { name: 'Consent', exact: true })
  await consent.getByText(/Asked for it on 2 May 2024, 14:00, confirmed on 2 May 2024, 14:05/).waitFor()
  await consent.getByText('as agreed to from 192.0.2.7', { exact: false }).waitFor()
  const fields = page.getByRole('region', { name: 'Custom fields', exact: true })
  await fields.getByRole('button', { name: 'Show empty ones' }).click()
  await fields.getByRole('button', { name: /Shoe size, change/ }).click()
  await fields.getByLabel('Shoe size', { exact: true }).fill('39')
  await page.keyboard.press('Enter')
  await fields.getByRole('button', { name: /39\W+Shoe size, change/ }).waitFor()
  const { json } = await world.site('GET', `/contacts/${hedy.id}`)
  assert.deepEqual(json.customFields, { shoe_size: 39 })
  assert.deepEqual(faults, [])
  await close()
})
