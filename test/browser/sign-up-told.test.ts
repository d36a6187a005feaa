import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* A sign-up from the form to the person's page, with what a marketer reads of it on the way. */

const skip = WITHOUT_BROWSER
const WORDING = 'We write to you once a month.'

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

test('each sign-up is told while it waits, and its person has the form and the words that they agreed to', {
  skip,
}, async () => {
  const { json: form } = await world.site('POST', '/forms', { name: 'Footer', consentWording: WORDING })
  await world.instance.sql(
    `insert into form_submissions (workspace_id, form_id, version, address_hash, created_at)
     values (1, $1, 1, sha256('of a browser without a script'), now())`,
    [form.id],
  )
  const { baseUrl, token } = world.instance
  const json = { fields: { email: 'ada@example.com' } }
  await send('POST', `${baseUrl}/api/forms/${form.id}/submissions`, { token, json })
  const mail = await world.open('/app/mailbox')
  await eventually('the mail that asks has come', async () => {
    await mail.page.reload()
    return (await mail.page.getByRole('link', { name: /ada@example\.com/ }).count()) > 0
  })
  await mail.page.getByRole('link', { name: /ada@example\.com/ }).click()
  const href = await mail.page.frameLocator('iframe').getByRole('link', { name: 'Yes, I want it' }).getAttribute('href')
  await mail.close()

  const shown = await world.open(`/app/default/forms/${form.id}`)
  await settled(shown.page)
  const numberOf = (name: string) =>
    shown.page
      .locator('dt', { hasText: new RegExp(`^${name}$`) })
      .locator('xpath=following-sibling::dd[1]')
      .textContent()
  assert.deepEqual([await numberOf('Waiting for their answer'), await numberOf('Confirmed')], ['2', '0 0 %'])
  const waiting = shown.page.getByRole('row', { name: /Waiting/ })
  const late = waiting.filter({ hasText: 'The mail that asks them goes within ten minutes' })
  assert.deepEqual([await waiting.count(), await late.count()], [2, 1])

  const reader = await world.open(href!, { cookie: null })
  await reader.page.getByRole('button', { name: 'Yes, I want it' }).click()
  await reader.page.getByText('Thank you').waitFor()
  await reader.close()
  await shown.page.reload()
  await settled(shown.page)
  assert.equal(await numberOf('Waiting for their answer'), '1')
  await shown.page.getByRole('link', { name: 'ada@example.com' }).click()
  const consent = shown.page.getByRole('region', { name: 'Consent' })
  await consent.getByText(WORDING).waitFor()
  assert.equal(
    await consent.getByRole('link', { name: 'Footer' }).getAttribute('href'),
    `/app/default/forms/${form.id}`,
  )
  await shown.close()
})
