import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { hasAll } from '../../dashboard/lib/already-there.ts'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * The server is killed, `kill -9`, under forms that are saved by hand and under the editor of blocks: what was typed stays, is saved
 * once, and nobody has to log in again or is blamed.
 */

const BODY = '<mjml><mj-body><mj-section><mj-column><mj-text>Words</mj-text></mj-column></mj-section></mj-body></mjml>'
const AWAY = 'The server is away. Kept in this browser, tried again'
const OTHERS = /Somebody else|Your session has ended/
const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

const read = async (path: string) => (await world.site('GET', path)).json
const entriesOf = async (action: string, targetId: string) =>
  (await read(`/audit-entries?action=${action}&targetId=${targetId}`)).items.length

/** A mail in blocks, of which no word is open yet: what its words are written in is loaded with the first. The page is as old as is said. */
async function openBlocks(ageMs?: number) {
  const { id } = (await world.site('POST', '/templates', { name: 'In blocks', subject: 'Hello', body: BODY })).json
  const before = async (page: Page) => {
    if (ageMs !== undefined) await page.addInitScript(`performance.now = () => ${ageMs} + Date.now() % 1e9 / 1e6`)
  }
  const opened = await world.open(`/app/default/templates/${id}`, { before })
  const { page } = opened
  await settled(page)
  const openText = async () => {
    await page.getByRole('button', { name: 'Blocks', exact: true }).click()
    await page.getByRole('list', { name: 'Blocks of the mail' }).getByRole('button', { name: /^Text/ }).click()
  }
  return { ...opened, id: id as string, openText, words: page.getByRole('textbox', { name: 'Text', exact: true }) }
}

/** Nothing but that the server was away, and a save refused that had been carried out. */
async function nothingElse(page: Page, faults: readonly string[]): Promise<void> {
  assert.equal(await page.getByText(OTHERS).count(), 0)
  const others = faults.filter((fault) => !/console: Failed to load resource: (net::ERR_|.*412)/.test(fault))
  assert.deepEqual(others, [])
}

test('a field of a contact whose save died unanswered is saved once, and nobody else is named', { skip }, async () => {
  const { id } = (await world.site('POST', '/contacts', { email: 'ada@example.com' })).json
  const { page, faults, close } = await world.open(`/app/default/contacts/${id}`)
  await settled(page)
  let isDead = false
  await page.route('**/site/workspaces/default/contacts/*', async (route) => {
    if (route.request().method() !== 'PATCH' || isDead) return route.fallback()
    await route.fetch()
    await world.instance.kill()
    await route.abort('connectionreset')
    isDead = true
  })
  await page.getByRole('button', { name: /First name, change/ }).click()
  const field = page.getByRole('textbox', { name: 'First name' })
  await field.fill('Augusta Ada')
  await field.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Try again' }).waitFor()
  await eventually('the server has died', () => isDead)
  assert.equal(await field.inputValue(), 'Augusta Ada')
  await world.instance.startAgain()
  await field.press('Enter')
  await page.getByRole('button', { name: /Augusta Ada\W+First name, change/ }).waitFor()
  assert.equal((await read(`/contacts/${id}`)).firstName, 'Augusta Ada')
  assert.equal(await entriesOf('contact.update', id), 1)
  await nothingElse(page, faults)
  await close()
})

test('what somebody else has written since then is not written over', { skip }, async () => {
  const { id } = (await world.site('POST', '/contacts', { email: 'grace@example.com' })).json
  const { page, close } = await world.open(`/app/default/contacts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: /First name, change/ }).click()
  const field = page.getByRole('textbox', { name: 'First name' })
  await field.fill('Mine')
  await world.site('PATCH', `/contacts/${id}`, { firstName: 'Theirs' })
  await field.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Somebody else' }).waitFor()
  assert.equal((await read(`/contacts/${id}`)).firstName, 'Theirs')
  await close()
})

test('settings that are saved while the server is dead say so, keep the words, and are saved once after it', {
  skip,
}, async () => {
  const { page, faults, close } = await world.open('/app/default/settings')
  await settled(page)
  const panel = page.getByRole('region', { name: 'Workspace', exact: true })
  await panel.getByLabel('Name').fill('News of the house')
  await world.instance.kill()
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('alert').filter({ hasText: 'The server cannot be reached' }).waitFor()
  assert.equal(await panel.getByLabel('Name').inputValue(), 'News of the house')
  await world.instance.startAgain()
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('alert').waitFor({ state: 'detached' })
  await eventually('it is saved', async () => (await read('')).name === 'News of the house')
  assert.equal(await entriesOf('workspace.update', (await read('')).id), 1)
  await page.reload()
  await settled(page)
  assert.equal(await panel.getByLabel('Name').inputValue(), 'News of the house')
  await nothingElse(page, faults)
  await close()
})

test('words of a block that are typed while the server is dead are in the mail when it is back', { skip }, async () => {
  const { id, words, openText, page, faults, close } = await openBlocks()
  await openText()
  await words.waitFor()
  await world.instance.kill()
  await words.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('Each & every character')
  await page.getByText(AWAY).waitFor()
  assert.equal((await words.textContent())?.trim(), 'Each & every character')
  await world.instance.startAgain()
  await page
    .getByRole('status')
    .filter({ hasText: /^Saved/ })
    .first()
    .waitFor()
  assert.match((await read(`/templates/${id}`)).body, /<mj-text>Each &amp; every character<\/mj-text>/)
  await page.reload()
  await settled(page)
  await page.frameLocator('iframe[title="The mail"]').getByText('Each & every character').waitFor()
  await nothingElse(page, faults)
  await close()
})

test('a part of a page that is first asked for while the server is dead comes with it, and the page stays', {
  skip,
}, async () => {
  const { words, openText, page, faults, close } = await openBlocks()
  await page.evaluate(`window.stays = true`)
  await world.instance.kill()
  await openText()
  await page.getByText('The server does not answer yet').waitFor()
  await world.instance.startAgain()
  await words.waitFor()
  assert.equal(await page.evaluate(`window.stays`), true)
  const styles = `[...document.styleSheets].map(({ href }) => href?.match(/([^/]+)-[0-9a-f]+[.]css/)?.[1])`
  assert.ok((await page.evaluate<string[]>(styles)).includes('prose-editor'))
  await nothingElse(page, faults)
  await close()
})

test('a part that a deploy has taken away brings the page of now; one that this has not either is told', {
  skip,
}, async () => {
  for (const kind of ['css', 'js']) {
    const isPart = `**/assets/prose-editor-*.${kind}`
    const old = await openBlocks(60_000)
    await old.page.route(isPart, (route) => route.fulfill({ status: 404 }))
    await old.page.evaluate(`window.stays = true`)
    await old.openText()
    await eventually('it is loaded anew', async () => !(await old.page.evaluate(`window.stays`).catch(() => true)))
    await old.page.unroute(isPart)
    await settled(old.page)
    await old.openText()
    await old.words.waitFor()
    await old.close()
    const { page, openText, words, close } = await openBlocks(0)
    await page.route(isPart, (route) => route.fulfill({ status: 404 }))
    await openText()
    await page.getByRole('heading', { name: 'This page has a fault' }).waitFor()
    await page.unroute(isPart)
    await page.getByRole('button', { name: 'Load it again' }).click()
    await openText()
    await words.waitFor()
    await close()
  }
})

test('a change is there when the newer state has each field of it, and each part of what it lists', () => {
  const there = { id: '1', name: 'Ada', rules: [{ a: 1, b: null }], more: { x: [1, 2] } }
  for (const written of [{}, { name: 'Ada' }, { rules: [{ b: null, a: 1 }] }, { more: { x: [1, 2] } }])
    assert.ok(hasAll(there, written), JSON.stringify(written))
  for (const written of [{ name: 'Bea' }, { rules: [] }, { more: { x: [1] } }, { gone: null }, { more: [1, 2] }])
    assert.ok(!hasAll(there, written), JSON.stringify(written))
})
