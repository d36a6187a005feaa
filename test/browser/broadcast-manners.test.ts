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

test('a subject that was written stays when its mail is begun, and a blank one is that of the mail', {
  skip,
}, async () => {
  for (const [written, kept] of [
    ['Ours', 'Ours'],
    ['', 'The workshop is open again'],
  ]) {
    const { id } = (await world.site('POST', '/broadcasts', { name: 'News', ...(written ? { subject: written } : {}) }))
      .json
    const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
    await settled(page)
    await page.getByLabel('Begin with').selectOption({ label: 'Monthly letter (sample)' })
    await eventually('it is saved', async () => {
      const { json } = await world.site('GET', `/broadcasts/${id}`)
      return json.body !== '' && json.subject === kept
    })
    await close()
  }
})

test('whoever asks for it otherwise than by a link is unsubscribed on their page, or by their address', {
  skip,
}, async () => {
  const { id } = (await world.site('POST', '/contacts', { email: 'leaver@example.com' })).json
  const { page, faults, close } = await world.open(`/app/default/contacts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Unsubscribe' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'All marketing mail' }).and(dialog.locator(':checked')).waitFor()
  await dialog.getByRole('button', { name: 'Unsubscribe' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('main').getByText('Unsubscribed', { exact: true }).first().waitFor()
  await page.goto('/app/default/suppressions/unsubscribes')
  await page.getByRole('button', { name: 'Unsubscribe an address' }).click()
  await dialog.getByLabel('Address').fill('nobody')
  await dialog.getByRole('radio', { name: 'Broadcasts alone' }).check()
  await dialog.getByRole('button', { name: 'Unsubscribe' }).click()
  await dialog.getByText(/must be an email address/i).waitFor()
  await dialog.getByLabel('Address').fill('stranger@example.com')
  await dialog.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByRole('cell', { name: 'stranger@example.com', exact: true }).waitFor()
  const { json } = await world.site('GET', '/unsubscribes')
  assert.deepEqual(
    json.items.map(({ destination, sendingSource }: Record<string, string>) => `${destination} ${sendingSource}`),
    ['leaver@example.com everything', 'stranger@example.com broadcasts'],
  )
  assert.deepEqual(
    faults.filter((fault) => !/400/.test(fault)),
    [],
  )
  await close()
})
