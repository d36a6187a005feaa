import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* Somebody whose role is changed, who is removed, or whose session ends, while they have a page open. */

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

test('who may do less since is told so when what they typed goes away with its form', { skip }, async () => {
  const pia = await world.people.person('Pia', 'member')
  const { json: contact } = await world.site('POST', '/contacts', { email: 'typed.role@example.com' })
  const { page, close } = await world.open(`/app/default/contacts/${contact.id}`, { cookie: pia.cookie })
  await settled(page)
  await page.clock.install()
  await page.getByRole('button', { name: /Phone, change/ }).click()
  const phone = page.getByRole('textbox', { name: 'Phone' })
  await phone.fill('+44 20 7946 0958')
  await page.clock.fastForward(10_000)
  await world.site('PATCH', `/members/${pia.id}`, { role: 'viewer' })
  await page.keyboard.press('Enter')
  await phone.waitFor({ state: 'detached' })
  const told = page.getByLabel('Messages').getByText('Your role in this workspace has changed.')
  await told.waitFor()
  // It can be read for as long as it takes.
  await page.clock.fastForward(60_000)
  await told.waitFor()
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

test('another person who logs in where a session has ended does nothing that the first one had begun', {
  skip,
}, async () => {
  const eve = await world.people.person('Eve', 'member')
  const { json: contact } = await world.site('POST', '/contacts', { email: 'lin.role@example.com' })
  const { page, context, close } = await world.open(`/app/default/contacts/${contact.id}`)
  await settled(page)
  let changes = 0
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes += 1
  })
  await page.getByRole('button', { name: /Phone, change/ }).click()
  await page.getByRole('textbox', { name: 'Phone' }).fill('+44 20 7946 0958')
  await context.clearCookies()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Email').fill(eve.email)
  await dialog.getByLabel('Password', { exact: true }).fill(eve.password)
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: /Eve\W+account and appearance/ }).waitFor()
  assert.equal(changes, 1)
  assert.equal((await world.site('GET', `/contacts/${contact.id}`)).json.phone, null)
  await close()
})

test('whoever looks for their code for too long is asked for the password again, over the page too', {
  skip,
}, async () => {
  const { page, context, close } = await world.open('/app/default/contacts')
  await settled(page)
  await page.route('**/site/auth/login', (route) =>
    route.fulfill({
      status: 202,
      json: { secondFactor: 'required', ticket: 'long over', expiresAt: '2020-01-01T00:00:00Z' },
    }),
  )
  await context.clearCookies()
  await page.getByRole('link', { name: 'Segments', exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  const password = dialog.getByLabel('Password', { exact: true })
  await password.fill(world.instance.password)
  await page.keyboard.press('Enter')
  await dialog.getByLabel('Code').fill('123456')
  await page.keyboard.press('Enter')
  await dialog.getByText('The login took too long or too many tries').waitFor()
  await page.unroute('**/site/auth/login')
  await password.fill(world.instance.password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Segments' }).waitFor()
  await close()
})

test('who may not import is told on the page of a file that it waits for somebody who may', { skip }, async () => {
  const ivy = await world.people.person('Ivy', 'viewer')
  const { json } = await world.site('POST', '/contacts/imports', {
    fileName: 'waits.csv',
    csv: 'email\na@example.com\n',
  })
  const { page, close } = await world.open(`/app/default/contacts/imports/${json.id}`, { cookie: ivy.cookie })
  await page.getByRole('heading', { level: 1, name: 'waits.csv' }).waitFor()
  await page.getByText('It waits until somebody whose role may change contacts says').waitFor()
  await page.locator('main').getByText('Waits', { exact: true }).waitFor()
  await close()
})
