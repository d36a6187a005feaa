import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
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

test('a value that is written where it stands is asked about before the tab goes', { skip }, async () => {
  const { json } = await world.site('POST', '/contacts', { email: 'ada.reload@example.com' })
  const { page, close } = await world.open(`/app/default/contacts/${json.id}`)
  await settled(page)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  await page.getByRole('button', { name: /First name, change/ }).click()
  const field = page.getByRole('textbox', { name: 'First name' })
  await page.reload().catch(() => undefined)
  assert.deepEqual(asked, [], 'nothing is written yet')
  await settled(page)
  await page.getByRole('button', { name: /First name, change/ }).click()
  await field.fill('Ada')
  const url = page.url()
  await page.evaluate('void setTimeout(() => location.reload())')
  await eventually('it is asked', async () => asked.length > 0)
  assert.deepEqual(asked, ['beforeunload'])
  assert.equal(page.url(), url)
  assert.equal(await field.inputValue(), 'Ada')
  await close()
})
