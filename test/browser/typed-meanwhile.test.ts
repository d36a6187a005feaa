import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { WITHOUT_BROWSER } from './chromium.ts'
import { holdRequests } from './hold-requests.ts'
import { openWorld, settled, type World } from './world.ts'

/* On a slow network people write on while something is saved, and press again: the answer takes nothing back, and nothing is made twice. */

/** An answer of a server that has a fault. */
const FAULT = {
  status: 500,
  contentType: 'application/problem+json',
  body: '{"title":"Something is broken here","status":500,"code":"internal-error","requestId":"r-1"}',
}
const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

/** A page with fields that are saved together: two of them, and how to read what was saved of them. */
const FOOTER = { name: 'Footer', consentWording: 'I would like to get news by email.' }
type Case = { what: string; path: () => Promise<string>; request: string; fields: readonly [string, string] }

const CASES: readonly Case[] = [
  {
    what: 'a form',
    path: async () => `/forms/${(await world.site('POST', '/forms', FOOTER)).json.id}`,
    request: '/forms/*',
    fields: ['Page after signing up', 'Page after confirming'],
  },
  {
    what: 'an integration',
    async path() {
      const config = { kind: 'smtp', host: 'relay.example.com', port: 587, from: 'news@example.com' }
      const { json } = await world.site('POST', '/integrations', { name: 'Relay', config })
      return `/integrations/${json.id}`
    },
    request: '/integrations/*',
    fields: ['Name of this integration', 'Name'],
  },
  {
    what: 'the settings of a workspace',
    path: async () => '/settings',
    request: '',
    fields: ['Logo', 'Page after a confirmation'],
  },
]

/** Presses what sends the form of a dialog, over and over until it is gone. */
const PRESS_ON = `(() => {
  const button = document.querySelector('[role=dialog] button[type=submit]')
  const again = () => {
    if (!button.isConnected) return
    button.click()
    setTimeout(again, 10)
  }
  again()
})()`

const MADE = [
  { path: '/forms', open: 'New form', label: 'Name', words: 'Twice', request: '/forms' },
  {
    ...{ path: '/webhooks', open: 'New endpoint', label: 'Address', words: 'https://example.com/hook' },
    request: '/webhooks',
  },
]

for (const { what, path, request, fields } of CASES) {
  test(`what is typed while ${what} is saved stays, and is saved next`, { skip }, async () => {
    const { page, close } = await world.open(`/app/default${await path()}`)
    await settled(page)
    const [first, second] = fields.map((name) => page.getByLabel(name, { exact: true }).first())
    const panel = page.locator('form').filter({ has: first! })
    const save = panel.getByRole('button', { name: 'Save', exact: true })
    await first!.fill('https://example.com/first')
    const held = await holdRequests(page, 'PATCH', request)
    await save.click()
    await held.isThere
    await second!.fill('https://example.com/second')
    await held.letGo()
    await page.getByText('Saved.', { exact: true }).waitFor()
    assert.equal(await first!.inputValue(), 'https://example.com/first')
    assert.equal(await second!.inputValue(), 'https://example.com/second')
    await page.getByText('Saved.', { exact: true }).waitFor({ state: 'detached' })
    await save.click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    await page.reload()
    await settled(page)
    assert.equal(await first!.inputValue(), 'https://example.com/first')
    assert.equal(await second!.inputValue(), 'https://example.com/second')
    await close()
  })
}

test('the next tag is written while one is given', { skip }, async () => {
  const { json } = await world.site('POST', '/contacts', { email: 'ada.tagged@example.com' })
  const { page, close } = await world.open(`/app/default/contacts/${json.id}`)
  await settled(page)
  const field = page.getByPlaceholder('Add a tag')
  await field.fill('first')
  const held = await holdRequests(page, 'POST', '/contacts/*/tags')
  await page.keyboard.press('Enter')
  await held.isThere
  await field.fill('second')
  await held.letGo()
  await page.getByRole('button', { name: 'Take the tag first off' }).waitFor()
  assert.equal(await field.inputValue(), 'second')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Take the tag second off' }).waitFor()
  await close()
})

test('whoever presses twice, a moment apart, makes one of what leads to its page', { skip }, async () => {
  for (const { path, open, label, words, request } of MADE) {
    const { page, close } = await world.open(`/app/default${path}`)
    await settled(page)
    let made = 0
    page.on('request', (one) => {
      if (one.method() === 'POST' && new URL(one.url()).pathname.endsWith(request)) made += 1
    })
    await page.locator('main').getByRole('button', { name: open, exact: true }).first().click()
    await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(words)
    // The page that it leads to is on its way while the second press comes.
    const parts = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await parts.promise
      await route.fallback()
    })
    const first = page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith(request))
    await page.evaluate(PRESS_ON)
    await first
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    parts.resolve()
    await page.waitForURL(`**/app/default${path}/*`)
    await settled(page)
    assert.equal(made, 1, path)
    await close()
  }
})

test('a test of a draft that cannot be saved is not sent, and that is said; so is it of the draft', {
  skip,
}, async () => {
  const { json } = await world.site('POST', '/broadcasts', { name: 'News', subject: 'Hello', body: '<p>Hello.</p>' })
  const { page, close } = await world.open(`/app/default/broadcasts/${json.id}`)
  await settled(page)
  await page.route('**/site/workspaces/*/broadcasts/*', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill(FAULT) : route.fallback(),
  )
  await page.getByLabel('Subject', { exact: true }).fill('Hello again')
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send the test' }).click()
  await dialog.getByText('Not sent: what you wrote last could not be saved.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Send…' }).click()
  await page.getByText('Not yet: it has to be saved first').waitFor()
  await close()
})

test('an act that fails after its question was closed is told, and is no fault of the next one', { skip }, async () => {
  const { json } = await world.site('POST', '/contacts', { email: 'ben.closed@example.com' })
  const { page, close } = await world.open(`/app/default/contacts/${json.id}`)
  await settled(page)
  const [asked, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route('**/contacts/*', async (route) => {
    if (route.request().method() !== 'DELETE') return route.fallback()
    asked.resolve()
    await over.promise
    await route.fulfill(FAULT)
  })
  const ask = async () => {
    await page.locator('main').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Erase this person' }).click()
  }
  await ask()
  const dialog = page.getByRole('dialog', { name: 'Erase this person' })
  await dialog.getByRole('textbox').fill('ben.closed@example.com')
  await dialog.getByRole('button', { name: 'Erase 1 person' }).click()
  await asked.promise
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  over.resolve()
  await page.getByRole('alert').filter({ hasText: 'Something is broken here' }).waitFor()
  await ask()
  await dialog.waitFor()
  assert.equal(await dialog.getByText('Something is broken here').count(), 0)
  await close()
})
