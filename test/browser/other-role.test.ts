import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* Somebody whose role is changed, or who is removed, while they have a page open. */

const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('who has another role since is told so at the first act that it does not include, and offered no more of them', {
  skip,
}, async () => {
  const mia = await world.people.person('Mia', 'member')
  const { json: ada } = await world.site('POST', '/contacts', { email: 'ada.role@example.com' })
  const { page, close } = await world.open(`/app/default/contacts/${ada.id}`, { cookie: mia.cookie })
  await settled(page)
  await page.clock.install()
  await page.clock.fastForward(10_000)
  const add = page.getByPlaceholder('Add a tag')
  await add.fill('vip')
  await world.site('PATCH', `/members/${mia.id}`, { role: 'viewer' })
  await page.keyboard.press('Enter')
  await page.getByText('Your role does not allow this').first().waitFor()
  await page.getByText('An owner or admin can give you another one.').first().waitFor()
  assert.equal(await page.getByText('contacts:write').count(), 0)
  await add.waitFor({ state: 'detached' })
  // What a viewer may see stays.
  await page.getByRole('heading', { level: 1, name: 'ada.role@example.com' }).waitFor()
  await close()
})

test('who is removed is told that the workspace is not theirs, whichever of its pages is open', { skip }, async () => {
  const noa = await world.people.person('Noa', 'member')
  const { page, close } = await world.open('/app/default/contacts', { cookie: noa.cookie })
  await settled(page)
  await page.clock.install()
  await page.clock.fastForward(10_000)
  await world.site('DELETE', `/members/${noa.id}`)
  await page.getByRole('link', { name: 'Segments', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'This workspace is not yours' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Contacts', exact: true }).count(), 0)
  await close()
})
