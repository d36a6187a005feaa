import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* What was found missing when pages were looked at as pictures, and no rule about all of them would find. */

const skip = WITHOUT_BROWSER
const PHONE = 360
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

test('a list on a phone has no line for what is not there', { skip }, async () => {
  await world.site('POST', '/suppressions', { destination: 'gone@example.com' })
  const { page, close } = await world.open('/app/default/suppressions', { width: PHONE })
  await settled(page)
  const row = page.getByRole('row').filter({ hasText: 'gone@example.com' })
  const shown = row.locator('[data-below]').filter({ visible: true })
  await eventually('when it came is all that is known of it', async () => (await shown.count()) === 1)
  await close()
})

test('of tabs that a phone has no room for the chosen one is seen', { skip }, async () => {
  const { page, close } = await world.open('/app/default/contacts/exports', { width: PHONE })
  await settled(page)
  const right = await page.locator('main nav [aria-current=page]').evaluate((tab) => tab.getBoundingClientRect().right)
  assert.ok(right <= PHONE, `it ends at ${right}`)
  await close()
})
