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

/** A link of the newest mail that there is to ada@example.com, as she finds it in the mailbox. */
async function linkOf(words: string): Promise<string> {
  const { page, close } = await world.open('/app/mailbox')
  const mail = page.getByRole('link', { name: /ada@example\.com/ }).first()
  const link = page.frameLocator('iframe').getByRole('link', { name: words })
  await eventually('the mail has come', async () => {
    await page.goto(`${world.instance.baseUrl}/app/mailbox`)
    if ((await mail.count()) === 0) return false
    await mail.click()
    await page.locator('iframe').waitFor()
    await page.frameLocator('iframe').getByRole('link').first().waitFor()
    return (await link.count()) > 0
  })
  const href = await link.getAttribute('href')
  await close()
  return href!
}

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
  const href = await linkOf('Yes, I want it')

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

  const reader = await world.open(href, { cookie: null })
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

test('whoever leaves by the link of a mail has that mail told with it', { skip }, async () => {
  const { json: contact } = await world.site('PUT', '/contacts', { email: 'ada@example.com' })
  const body = '<p>Hello. <a href="{{ unsubscribe_url }}">Leave us</a></p>'
  const { json: broadcast } = await world.site('POST', '/broadcasts', { name: 'News', subject: 'News', body })
  await world.site('POST', `/broadcasts/${broadcast.id}/send`, {})
  const reader = await world.open(await linkOf('Leave us'), { cookie: null })
  await reader.page.getByRole('button', { name: 'Unsubscribe' }).click()
  await reader.page.getByText('You are unsubscribed').waitFor()
  await reader.close()
  const { page, close } = await world.open(`/app/default/contacts/${contact.id}`)
  const left = page.getByRole('region', { name: 'Consent' }).getByRole('listitem').filter({ hasText: 'Unsubscribed' })
  await left.getByRole('link', { name: 'a mail' }).click()
  await page.waitForURL(/\/messages\/\d+$/)
  await page.locator('main').getByText('News', { exact: true }).first().waitFor()
  await close()
})
