import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER
const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'

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

test('the last look at one for each zone names its time, and takes the number of people as it is written', {
  skip,
}, async () => {
  await world.instance.sql(
    `insert into contacts (workspace_id, email) select id, 'p' || n || '@example.com' from workspaces, generate_series(1, 1001) n`,
  )
  const { id } = (
    await world.site('POST', '/broadcasts', { name: 'Each', subject: 'Each {{ first_name }}', body: BODY })
  ).json
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByLabel('It starts').selectOption('local')
  await page.getByLabel(/^Date and time/).fill('2036-12-31T09:30')
  await page.getByRole('button', { name: 'Schedule…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Each ‹first name›').waitFor()
  await dialog.getByText(/31 Dec 2036, 09:30 in each contact’s own zone/).waitFor()
  await dialog.getByLabel('Type 1,001 to go on').fill('1,001')
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { json } = await world.site('GET', `/broadcasts/${id}`)
  assert.equal(json.localTime, '2036-12-31T09:30:00')
  await close()
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

test('a scheduled one tells what has come to stand against it since, as when its domain is removed', {
  skip,
}, async () => {
  const { json: domain } = await world.site('POST', '/sending-domains', { domain: 'news.example' })
  const draft = { name: 'From news.example', subject: 'News', body: BODY, fromEmail: 'us@news.example' }
  const { id } = (await world.site('POST', '/broadcasts', draft)).json
  await world.site('POST', `/broadcasts/${id}/schedule`, { scheduledAt: '2036-12-31T08:00:00Z' })
  await world.site('DELETE', `/sending-domains/${domain.id}`)
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  const checks = page.getByRole('region', { name: 'Before it goes out' })
  await checks.getByText(/news\.example is not a verified sending domain/).waitFor()
  assert.equal(await checks.getByRole('link', { name: 'Domains' }).getAttribute('href'), '/app/default/domains')
  assert.deepEqual(faults, [])
  await close()
})

test('one that something stands against is not offered to be sent, until that is mended and looked at again', {
  skip,
}, async () => {
  const definition = JSON.stringify({ combinator: 'and', rules: [{ field: 'tag', operator: 'has', value: 'late' }] })
  await world.site('POST', '/tags', { name: 'late' })
  const { json: segment } = await world.site('POST', '/segments', { name: 'Late', definition })
  const draft = { name: 'Late', subject: 'Late', body: BODY, segmentIds: [segment.id] }
  const { id } = (await world.site('POST', '/broadcasts', draft)).json
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Send…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('One thing keeps it from being sent: Nobody is in its audience.').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Send to 0 people' }).isDisabled())
  await world.site('POST', '/contacts', { email: 'late@example.com', tags: ['late'] })
  await dialog.getByRole('button', { name: 'Look again' }).click()
  await dialog.getByRole('button', { name: 'Send to 1 person' }).click()
  await dialog.waitFor({ state: 'detached' })
  await close()
})

test('one that is canceled while it goes out tells what becomes of those who still wait, and then no more', {
  skip,
}, async () => {
  await world.site('POST', '/contacts', { email: 'waits@example.com' })
  const { id } = (await world.site('POST', '/broadcasts', { name: 'Given up', subject: 'Given up', body: BODY })).json
  await world.site('POST', `/broadcasts/${id}/send`)
  await eventually('it has gone out', async () => (await world.site('GET', `/broadcasts/${id}`)).json.status === 'sent')
  await world.instance.sql(`update broadcasts set status = 'canceled' where id = $1`, [id])
  let pendingCount = 2
  const before = async (page: Page) => {
    await page.route(`**/broadcasts/${id}/report`, async (route) => {
      const response = await route.fetch()
      const report = await response.json()
      await route.fulfill({ response, json: { ...report, status: 'canceled', pendingCount, recipientsTotal: 2 } })
    })
  }
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`, { before })
  const told = page.getByText('Nothing more goes out: who waits is skipped soon.')
  await told.waitFor()
  pendingCount = 0
  await told.waitFor({ state: 'detached' })
  await close()
})
