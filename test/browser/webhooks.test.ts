import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

const skip = WITHOUT_BROWSER

let world: World
let receiver: Receiver
before(async () => {
  if (skip) return
  ;[world, receiver] = await Promise.all([openWorld(), startReceiver()])
})
after(async () => {
  await world?.close()
  await receiver?.close()
})

test('an endpoint is made, tested, looked into and sent to again by keyboard alone', { skip }, async () => {
  const { page, faults, close } = await world.open('/app/default/webhooks')
  await page.getByRole('button', { name: 'New endpoint' }).first().press('Enter')
  await page.getByLabel('Address').pressSequentially(`${receiver.url}/hooks`)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: `127.0.0.1:${receiver.port}/hooks` }).waitFor()
  await page.getByRole('button', { name: 'Send test event' }).press('Enter')
  const log = page.getByRole('region', { name: 'Deliveries' })
  await log.getByRole('cell', { name: 'Delivered' }).waitFor()

  await log.getByRole('link', { name: 'webhook.test' }).press('Enter')
  const drawer = page.getByRole('dialog', { name: 'webhook.test' })
  await drawer.getByText('1 attempt').waitFor()
  const sent = receiver.requests[0]!.body.toString('utf8')
  await eventually('what was sent is shown', async () => (await drawer.locator('pre').last().textContent()) === sent)
  await drawer.getByRole('button', { name: 'Resend' }).press('Enter')
  await drawer.getByText('2 attempts').waitFor()
  assert.equal(receiver.requests.length, 2)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await page.waitForURL(({ search }) => search === '')
  assert.deepEqual(faults, [])
  await close()
})

test('the secret is masked until somebody asks, and a rotation shows the new one', { skip }, async () => {
  const { json: made } = await world.site('POST', '/webhooks', { url: `${receiver.url}/secret` })
  const { json: read } = await world.site('GET', `/webhooks/${made.id}`)
  const { page, close } = await world.open(`/app/default/webhooks/${made.id}`)
  await page.getByRole('button', { name: 'Show the signing secret' }).waitFor()
  assert.equal(await page.getByText(read.secret).count(), 0)
  await page.getByRole('button', { name: 'Show the signing secret' }).click()
  await page.getByText(read.secret).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Rotate secret' }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText(read.secret).waitFor({ state: 'detached' })
  const { json: rotated } = await world.site('GET', `/webhooks/${made.id}`)
  await page.getByText(rotated.secret).waitFor()
  await close()
})

test('an address that is refused is told at its field, and what was typed stays', { skip }, async () => {
  const { page, close } = await world.open('/app/default/webhooks')
  await page.getByRole('button', { name: 'New endpoint' }).first().click()
  await page.getByLabel('Address').fill('ftp://example.com/')
  await page.getByRole('button', { name: 'Create endpoint' }).click()
  const field = page.getByLabel('Address')
  await page.locator('[aria-invalid=true]').waitFor()
  assert.equal(await field.inputValue(), 'ftp://example.com/')
  await close()
})

test('somebody who may only read sees the log, and nothing that would be refused', { skip }, async () => {
  const { json: made } = await world.site('POST', '/webhooks', { url: `${receiver.url}/viewed` })
  const { cookie } = await world.people.person('Reader', 'viewer')
  const { page, close } = await world.open(`/app/default/webhooks/${made.id}`, { cookie })
  await page.getByText('Shown to those who may change endpoints.').waitFor()
  for (const name of ['Send test event', 'More', 'Resend'])
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  await close()
})
