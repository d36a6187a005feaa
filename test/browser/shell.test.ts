import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { violationsOf } from './violations.ts'
import { openWorld, settled, type World } from './world.ts'

const skip = WITHOUT_BROWSER
const CONTACTS = '/app/default/contacts'

let world: World
let contactId: string
before(async () => {
  if (skip) return
  world = await openWorld()
  const { json } = await world.site('POST', '/contacts', {
    email: 'ada@example.com',
    firstName: 'Ada',
    lastName: 'Lovelace',
  })
  contactId = json.id
})
after(() => world?.close())

test('the palette finds pages, people and acts by keys alone', { skip }, async () => {
  const { page, faults, close } = await world.open(CONTACTS)
  await settled(page)
  await page.keyboard.press('Control+k')
  const field = page.getByRole('combobox', { name: 'Find anything' })
  await field.fill('lovel')
  await page.getByRole('option', { name: /Ada Lovelace/ }).waitFor()
  assert.deepEqual(await violationsOf(page, ['wcag2a']), [])
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/contacts/${contactId}`)
  await page.locator('h1', { hasText: 'Ada Lovelace' }).waitFor()
  await page.keyboard.press('Control+k')
  // Whoever knows the way does not look whether the field has the focus.
  await field.waitFor()
  await page.keyboard.type('dark')
  await page.getByRole('option', { name: /Lovelace/ }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: /Dark colours/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.reload()
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('single keys lead to pages and to the search, and are letters in fields', { skip }, async () => {
  const { page, close } = await world.open('/app/default')
  await settled(page)
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  // The address is that of a page before the page is there.
  await page.locator('h1', { hasText: 'Contacts' }).waitFor()
  await settled(page)
  assert.equal(new URL(page.url()).pathname, CONTACTS)
  const search = page.getByRole('searchbox', { name: 'Search contacts' })
  await search.waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('g c?')
  await eventually('what was typed stands in the search', async () => (await search.inputValue()) === 'g c?')
  await page.waitForURL('**/contacts?search=g+c*')
  await page.getByText('Nobody fits').waitFor()
  await page.locator('h1').click()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await close()
})

test('what is gone has a name of its own in the tab, and so has what never was', { skip }, async () => {
  const { page, close } = await world.open(CONTACTS)
  await settled(page)
  const isNamed = (name: string) =>
    eventually(`the tab is named ${name}`, async () => (await page.title()) === `${name} · Postroom`)
  await isNamed('Contacts')
  const follow = (path: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`)
  await follow(`${CONTACTS}/999999`)
  await page.getByRole('alert').getByRole('heading', { level: 1 }).waitFor()
  await isNamed((await page.locator('main h1').textContent())!)
  const others = [
    'segments',
    'broadcasts',
    'automations',
    'templates',
    'forms',
    'webhooks',
    'integrations',
    'contacts/imports',
  ]
  for (const list of ['contacts', ...others]) {
    for (const id of ['abc', '1'.repeat(40)]) {
      await follow(`/app/default/${list}/${id}`)
      await page.getByRole('alert').getByRole('heading', { level: 1, name: 'There is nothing here' }).waitFor()
      await page.getByRole('alert').getByRole('link', { name: /^To / }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
      await follow(CONTACTS)
      await page.locator('h1', { hasText: 'Contacts' }).waitFor()
    }
  }
  await follow('/app/default/nowhere')
  await isNamed('Nothing here')
  await close()
})

test('what runs in the background is asked for one after the other, so that the page has connections left', {
  skip,
}, async () => {
  const { page, close } = await world.open(CONTACTS)
  const isOne = String(/\/(imports|exports|bulk-acts|moves)\?pageSize=10$|&status=sending$/)
  // As the browser itself has noted it, the first time of each.
  const asked = () =>
    page.evaluate<{ name: string; from: number; answered: number }[]>(
      `performance.getEntriesByType('resource').filter(({ name }, nth, all) => ${isOne}.test(name) && all.findIndex((one) => one.name === name) === nth)
        .map(({ name, startTime, responseStart }) => ({ name, from: startTime, answered: responseStart }))`,
    )
  await eventually('each has been asked for', async () => (await asked()).length === 5)
  const inOrder = (await asked()).toSorted((a, b) => a.from - b.from)
  for (const [nth, { from, name }] of inOrder.entries())
    assert.ok(nth === 0 || from >= inOrder[nth - 1]!.answered, `${name} did not wait: ${JSON.stringify(inOrder)}`)
  await close()
})

test('the mark is where a browser looks for one by itself', { skip }, async () => {
  const answer = await fetch(`${world.instance.baseUrl}/favicon.ico`)
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/svg+xml'])
  await answer.body?.cancel()
})

test('a filter stands in the address, and Back takes it away again', { skip }, async () => {
  await world.site('POST', `/contacts/${contactId}/tags`, { name: 'VIP' })
  const { page, close } = await world.open(CONTACTS)
  await settled(page)
  const tag = page.getByLabel('Tag', { exact: true })
  await tag.selectOption('VIP')
  await page.waitForURL('**/contacts?tag=VIP')
  await page.getByText('1 contact', { exact: true }).waitFor()
  await page.goBack()
  await page.waitForURL(`**${CONTACTS}`)
  await eventually('the filter shows none', async () => (await tag.inputValue()) === '')
  await close()
})

test('a session that ends in the middle of work is asked for over the page, and nothing typed is lost', {
  skip,
}, async () => {
  const { page, context, close } = await world.open(`/app/default/contacts/${contactId}`)
  await settled(page)
  await page.getByRole('button', { name: /Phone, change/ }).click()
  await page.getByRole('textbox', { name: 'Phone' }).fill('+44 20 7946 0958')
  await context.clearCookies()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.waitFor()
  // A slip leads nobody away from what they were at.
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  await dialog.getByLabel('Password', { exact: true }).fill('not it')
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'The email or the password is wrong' }).waitFor()
  await dialog.getByLabel('Password', { exact: true }).fill(world.instance.password)
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: /\+44 20 7946 0958\W+Phone, change/ }).waitFor()
  const { json } = await world.site('GET', `/contacts/${contactId}`)
  assert.equal(json.phone, '+44 20 7946 0958')
  await page.locator('main button:focus').waitFor()
  await context.clearCookies()
  await page.getByRole('link', { name: 'Segments', exact: true }).press('Enter')
  await dialog.getByLabel('Password', { exact: true }).fill(world.instance.password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.locator('main:focus, main h1:focus').waitFor()
  await close()
})

test('a change that somebody else was faster with shows theirs, and keeps what was typed', { skip }, async () => {
  const { page, close } = await world.open(`/app/default/contacts/${contactId}`)
  await settled(page)
  await world.site('PATCH', `/contacts/${contactId}`, { lastName: 'King' })
  await page.getByRole('button', { name: /First name, change/ }).click()
  await page.getByRole('textbox', { name: 'First name' }).fill('Augusta')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').filter({ hasText: 'Somebody else has changed this contact since' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'First name' }).inputValue(), 'Augusta')
  await page.getByRole('button', { name: /King\W+Last name, change/ }).waitFor()
  await page.getByRole('textbox', { name: 'First name' }).press('Enter')
  await page.locator('h1', { hasText: 'Augusta King' }).waitFor()
  await close()
})

test('a custom field takes what is of its type, and refuses all else at the field', { skip }, async () => {
  const customFields = { spend: 34, member: true, since: '2020-01-31', seen: '2020-01-31T09:00:00Z', plan: 'pro' }
  const { json: contact } = await world.site('POST', '/contacts', { email: 'typed@example.com', customFields })
  const { page, faults, close } = await world.open(`${CONTACTS}/${contact.id}`)
  await settled(page)
  const stored = async () => (await world.site('GET', `/contacts/${contact.id}`)).json.customFields
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const shows = (text: string, name: string) => new RegExp(`^${text.replaceAll('.', '\\.')}\\W+${name}, change$`)
  const edit = async (name: string, text: string) => {
    const button = page.getByRole('button', { name: `, ${name}, change` })
    if (await button.isVisible()) await button.click()
    await field(name).fill(text)
    await page.keyboard.press('Enter')
  }
  const refused = async (name: string, text: string, why: string) => {
    await edit(name, text)
    await page.getByRole('alert').filter({ hasText: why }).waitFor()
    assert.equal(await field(name).inputValue(), text)
  }
  const taken = async (name: string, text: string, told = text) => {
    await edit(name, text)
    await page
      .getByRole('button', { name: shows(told, name) })
      .and(page.locator(':focus'))
      .waitFor()
  }
  for (const text of ['x', '12,5', '007', '1e3']) await refused('spend', text, 'Must be a number, such as 35 or 12.5.')
  assert.deepEqual(await stored(), customFields)
  await taken('spend', '12.5')
  await page.getByRole('button', { name: shows('yes', 'member') }).waitFor()
  await refused('member', 'maybe', 'Must be yes or no.')
  await taken('member', 'no')
  for (const text of ['2021-02-29', 'soon', '31.01.2020'])
    await refused('since', text, 'Must be a day, such as 1980-12-24')
  await taken('since', '--02-29', '29 Feb')
  await refused('seen', '2020-01-31 25:00', 'Must be a time, such as 2026-01-31 09:00')
  await taken('seen', '2020-02-01 10:30', '1 Feb 2020, 10:30 UTC')
  await taken('plan', '35')
  assert.deepEqual(await stored(), {
    ...{ spend: 12.5, member: false, since: '--02-29', seen: '2020-02-01T10:30:00Z', plan: '35' },
  })
  await world.site('PATCH', `/contacts/${contact.id}`, { customFields: { spend: 'x' } })
  await page.reload()
  await settled(page)
  await taken('spend', '35')
  assert.equal((await stored()).spend, 35, 'a number again, whatever stood there before')
  assert.deepEqual(faults, [])
  await close()
})

test('a fault of the server stands at its field', { skip }, async () => {
  await world.site('POST', '/contacts', { email: 'grace@example.com' })
  const { page, close } = await world.open(CONTACTS)
  await settled(page)
  await page.getByRole('button', { name: 'New contact' }).click()
  const dialog = page.getByRole('dialog', { name: 'New contact' })
  await dialog.getByLabel('Email').fill('grace@example.com')
  await page.keyboard.press('Enter')
  await dialog
    .getByText('belongs to another contact', { exact: false })
    .or(dialog.getByText('already taken', { exact: false }))
    .first()
    .waitFor()
  await dialog.locator('input[aria-invalid=true]').and(dialog.getByLabel('Email')).waitFor()
  await dialog.getByLabel('Email').fill('hedy@example.com')
  await page.keyboard.press('Enter')
  await page.locator('h1', { hasText: 'hedy@example.com' }).waitFor()
  await close()
})

const CONTACT_LISTS = '**/site/workspaces/default/contacts?*'
const busyFor = (seconds: number) => ({
  status: 503,
  headers: { 'retry-after': String(seconds) },
  contentType: 'application/problem+json',
  body: '{"title":"Busy","status":503,"code":"overloaded"}',
})

test('a server that asks for a moment gets it, visibly, and the page goes on', { skip }, async () => {
  const { page, close } = await world.open('/app/default')
  await settled(page)
  let refusals = 0
  await page.route(CONTACT_LISTS, (route) => {
    refusals += 1
    return refusals > 2 ? route.continue() : route.fulfill(busyFor(1))
  })
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await page.getByText('The server does not answer yet').waitFor()
  await page.getByRole('region', { name: 'Contacts' }).waitFor()
  await page.getByText('The server does not answer yet').waitFor({ state: 'detached' })
  await close()
})

test('a read that took too long is told as a read: nothing was done, and it is asked for again', { skip }, async () => {
  const { page, close } = await world.open('/app/default')
  await settled(page)
  const body = '{"title":"The answer took too long; its outcome is unknown","status":503,"code":"deadline-exceeded"}'
  await page.route(CONTACT_LISTS, (route) => route.fulfill({ ...busyFor(0), body }))
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  const told = page.getByRole('alert')
  await told.getByText('It is asked for again every few seconds').waitFor()
  assert.equal(await told.getByRole('heading').textContent(), 'The answer took too long')
  await close()
})

test('a page that could not be read while the server was away comes by itself when it is back', { skip }, async () => {
  const { page, close } = await world.open('/app/default')
  await settled(page)
  await page.route(CONTACT_LISTS, (route) => route.fulfill(busyFor(0)))
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await page.getByRole('alert').filter({ hasText: 'It is asked for again every few seconds' }).waitFor()
  await page.unroute(CONTACT_LISTS)
  await page.getByRole('region', { name: 'Contacts' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await close()
})

/** Goes to a page as a link does, from which Back leads here. */
const goTo = (path: string) =>
  `history.pushState({ ...history.state, __TSR_index: (history.state.__TSR_index ?? 0) + 1 }, '', '/app/default${path}')`

/** Dialogs with a form: where they are, what opens them, and the field they open with: the cursor is put there a moment after. */
const DIALOGS = [
  ['/contacts', 'New contact', 'Email'],
  ['/contacts', /^Tag \d+ contact/, 'Tag'],
  ['/contacts/tags', 'New tag', 'Name'],
  ['/contacts/fields', 'New field', 'Key'],
  ['/contacts/topics', 'New topic', 'Name'],
  ['/suppressions', 'Suppress an address', 'Address'],
  ['/suppressions/unsubscribes', 'Unsubscribe an address', 'Address'],
  ['/webhooks', 'New endpoint', 'Address'],
  ['/domains', 'Add domain', 'Domain'],
  ['/forms', 'New form', 'Name'],
  ['/trackers', 'New tracker', 'Name'],
  ['/team', 'Invite', 'Email'],
  ['/workspaces', 'New workspace', 'Name'],
] as const

test('a dialog with something typed asks before it closes, by Escape, a click beside it, its cross and Back', {
  skip,
}, async () => {
  const { page, faults, close } = await world.open('/app/default')
  await settled(page)
  const dialog = page.getByRole('dialog')
  const goOn = dialog.getByRole('button', { name: 'Go on writing' })
  for (const [path, opens, label] of DIALOGS) {
    await page.evaluate(goTo(path))
    const button = page.getByRole('button', { name: opens }).first()
    const field = dialog.getByLabel(label, { exact: true })
    await button.click()
    await field.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await button.click()
    await field.fill('half')
    await page.keyboard.press('Escape')
    await goOn.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await field.and(page.locator(':focus')).waitFor()
    assert.equal(await field.inputValue(), 'half', path)
    const { pathname } = new URL(page.url())
    // The ways are the same everywhere: the first dialog is left by each.
    const ways = path === DIALOGS[0][0] && label === DIALOGS[0][2] ? 3 : 0
    for (const leave of [
      () => page.mouse.click(5, 5),
      () => dialog.getByRole('button', { name: 'Close', exact: true }).click(),
      () => page.evaluate('history.back()'),
    ].slice(0, ways)) {
      await leave()
      await goOn.click()
      await goOn.waitFor({ state: 'detached' })
      assert.deepEqual([await field.inputValue(), new URL(page.url()).pathname], ['half', pathname], path)
    }
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Leave without saving' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  assert.deepEqual(faults, [])
  await close()
})

test('another type for a field is asked about before its dialog closes, until it was given', { skip }, async () => {
  await world.site('POST', '/custom-fields', { key: 'size', name: 'Size', type: 'string' })
  const { page, faults, close } = await world.open('/app/default/contacts/fields')
  await page.getByRole('button', { name: 'More for Size' }).click()
  await page.getByRole('menuitem', { name: 'Change the type' }).click()
  const dialog = page.getByRole('dialog')
  const type = dialog.getByLabel('Type', { exact: true })
  await type.focus()
  await type.selectOption('number')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Go on writing' }).click()
  assert.equal(await type.inputValue(), 'number')
  await dialog.getByRole('button', { name: 'See what fits' }).click()
  await dialog.getByRole('button', { name: 'Make it number' }).click()
  await dialog.getByText(/^Done: /).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
  await close()
})

test('a page with something typed asks before a link leads away, and a refused form is not gone either', {
  skip,
}, async () => {
  const { page, close } = await world.open('/app/default/tokens')
  await page.getByRole('link', { name: 'New token' }).first().click()
  await page.getByLabel('Name').fill('Half a token')
  const question = page.getByRole('dialog', { name: 'Leave this page?' })
  const away = async () => page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await away()
  await question.waitFor()
  assert.deepEqual(await violationsOf(page, ['wcag2a']), [])
  await question.getByRole('button', { name: 'Go on writing' }).click()
  await question.waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Name').inputValue(), 'Half a token')
  await page.locator('a:focus', { hasText: 'Contacts' }).waitFor()
  await page.getByLabel('Name').focus()
  await page.evaluate('history.back()')
  await question.waitFor()
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await page.evaluate('history.back()')
  await question.getByRole('button', { name: 'Leave without saving' }).click()
  await page.locator('h1', { hasText: /^Tokens$/ }).waitFor()
  await page.evaluate(goTo('/webhooks'))
  await page.getByRole('button', { name: 'New endpoint' }).first().click()
  await page.getByLabel('Address').pressSequentially('ftp://example.com/')
  await page.keyboard.press('Enter')
  await page.locator('[aria-invalid=true]').waitFor()
  await page.evaluate('history.back()')
  await page.getByRole('button', { name: 'Go on writing' }).click()
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const ofBrowser = await asked
  assert.equal(ofBrowser.type(), 'beforeunload')
  await ofBrowser.dismiss()
  assert.equal(await page.getByLabel('Address').inputValue(), 'ftp://example.com/')
  await close()
})
