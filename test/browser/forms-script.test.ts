import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { type CollectPeer, startCollectPeer } from '../support/collect-peer.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { isAccessible } from './accessible.ts'
import { builtDashboard } from './built-dashboard.ts'
import { launchChromium, WITHOUT_BROWSER } from './chromium.ts'

/* Sign-up forms in a real browser: on the pages of a shop under a strict policy, and on our own, with and without a script. */

const skip = WITHOUT_BROWSER

let instance: TestedInstance
let shop: CollectPeer
let browser: Browser
let key: string

before(async () => {
  if (skip) return
  await builtDashboard()
  ;[instance, shop, browser] = await Promise.all([startTestedInstance(), startCollectPeer({}), launchChromium()])
  const json = {
    ...{ name: 'Footer', consentWording: 'Once a month. <b>Promised</b>', allowedOrigins: [shop.shopUrl] },
    fields: [{ field: 'firstName' }],
  }
  key = (await send('POST', `${instance.baseUrl}/api/forms`, { token: instance.token, json })).json.key
  const { baseUrl } = instance
  shop.policy = `default-src 'none'; script-src ${baseUrl}; connect-src ${baseUrl}; form-action ${baseUrl}`
})
after(async () => {
  await browser?.close()
  await shop?.close()
  await instance?.close()
})

async function visitor(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(120_000)
  return context
}

const script = () => `<script async src="${instance.baseUrl}/f.js"></script>`
const submissions = () => instance.sql('select id from form_submissions')
/** A browser of a test says that nobody sits before it, and has one submission a day. */
const forgetBudgets = () => instance.sql('delete from form_budgets')

test('a place on a page of a strict policy is filled, and sent without leaving the page', { skip }, async () => {
  shop.head = `<div data-postroom-form="${key}"></div>${script()}`
  const context = await visitor()
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) faults.push(message.text())
  })
  await page.goto(shop.shopUrl)
  await page.getByLabel('Email address').fill('ada@example.com')
  await page.getByLabel('First name (optional)').fill('<img src=x onerror=alert(1)>')
  assert.equal(await page.getByText('Once a month. <b>Promised</b>').count(), 1)
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('Look into your mail').waitFor()
  assert.equal((await submissions()).length, 1)
  assert.deepEqual([await context.cookies(), await page.evaluate('localStorage.length')], [[], 0])
  assert.deepEqual(faults, [])
  await context.close()
})

test('a plain form is sent from where it is, and without a script our own page takes it', { skip }, async () => {
  await forgetBudgets()
  const { html } = (await send('GET', `${instance.baseUrl}/api/forms/1/embed`, { token: instance.token })).json
  const action = html.replaceAll(/action="[^"]*\/collect/g, `action="${instance.baseUrl}/collect`)
  shop.head = action + script()
  const context = await visitor()
  const page = await context.newPage()
  await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith(`/collect/forms/${key}`)),
    page.goto(shop.shopUrl),
  ])
  await page.getByLabel('Email address').fill('eve@example.com')
  await page.getByRole('button', { name: 'Sign up' }).click()
  await page.getByText('A mail with a link is on its way').waitFor()
  assert.equal(page.url(), `${shop.shopUrl}/`)
  await context.close()

  await forgetBudgets()
  const plain = await visitor({ javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
  const other = await plain.newPage()
  await other.goto(shop.shopUrl)
  await other.getByLabel('Email address').fill('bob@example.com')
  await other.getByRole('button', { name: 'Sign up' }).click()
  await other.getByText('Please press the button once more.').waitFor()
  assert.equal(await other.getByLabel('Email address').inputValue(), 'bob@example.com')
  const [, shownAt] = (await other.locator('input[name=renderToken]').inputValue()).split('.')
  await eventually('it could have been read', () => Date.now() > Number(shownAt) + 2_100)
  await other.getByRole('button', { name: 'Sign up' }).click()
  await other.getByText('A mail with a link is on its way').waitFor()
  assert.equal((await submissions()).length, 3)
  assert.deepEqual(await plain.cookies(), [])
  await plain.close()
})

test('a slide-in comes when its time has come, is closed, and does not come again for days', { skip }, async () => {
  shop.head = `<div data-postroom-form="${key}" data-show="slide-in" data-after="5" data-every="7"></div>${script()}`
  const context = await visitor()
  await context.clock.install({ time: Date.parse('2026-11-20T12:00:00Z') })
  const page = await context.newPage()
  const dialog = page.getByRole('dialog')
  const loaded = () => page.waitForFunction("document.querySelector('[data-postroom-on]')")
  await page.goto(shop.shopUrl)
  await loaded()
  assert.equal(await dialog.count(), 0)
  await page.clock.runFor(5_000)
  await dialog.waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.reload()
  await loaded()
  await page.clock.runFor(6_000)
  assert.equal(await dialog.count(), 0)
  await page.clock.setSystemTime(Date.parse('2026-11-28T12:00:00Z'))
  await page.reload()
  await loaded()
  await page.clock.runFor(5_000)
  await dialog.waitFor()
  await context.close()
})

test('the pages of a form can be used by everybody, on a phone too', { skip }, async () => {
  const context = await visitor({ viewport: { width: 320, height: 640 } })
  const page = await context.newPage()
  for (const path of [`/f/${key}`, `/f/${key}/done`]) {
    await page.goto(instance.baseUrl + path)
    await isAccessible(page)
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= 320'), path)
  }
  await context.close()
})
