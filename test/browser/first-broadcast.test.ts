import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { EditorState } from '@tiptap/pm/state'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { holdRequests } from './hold-requests.ts'
import { byKeys } from './keys.ts'
import { violationsOf } from './violations.ts'
import { type OpenOptions, openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * A broadcast from its name to its report, by the pages alone: written, checked, sent to three hundred people into the
 * mailbox, watched, accounted for.
 */

const PEOPLE = 300
/** Of any page, and of what lies over it. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const skip = WITHOUT_BROWSER

let world: World
let opened: WatchedPage
let page: Page
before(async () => {
  if (skip) return
  world = await openWorld()
  const contacts = Array.from({ length: PEOPLE }, (_, n) => ({ email: `reader${n}@example.com`, firstName: `R${n}` }))
  await world.site('POST', '/contacts/batch', { contacts })
  await world.site('POST', '/unsubscribes', { destination: 'reader7@example.com', sendingSource: 'broadcasts' })
  opened = await world.open('/app/default/broadcasts')
  page = opened.page
})
after(() => world?.close())

const button = (name: string | RegExp) => page.getByRole('button', { name })
const panel = (name: string, on = page) => on.getByRole('region', { name, exact: true })

/** Where the mail's first link is seen, brought into sight; asked of the page, as nothing runs in the frame. */
const PLACE_OF_LINK = `(() => {
  const frame = document.querySelector('iframe[title="The mail"]')
  const link = frame.contentDocument.querySelector('a').getBoundingClientRect()
  scrollBy(0, frame.getBoundingClientRect().top + link.top - innerHeight / 2)
  const place = frame.getBoundingClientRect()
  return { x: place.left + link.left, y: place.top + link.top }
})()`

/** Whether the editor itself, and not only the browser, has its cursor behind all words. */
const IS_AT_END = ({ editor }: { editor?: { state: EditorState } }) =>
  editor !== undefined && editor.state.selection.to === editor.state.doc.content.size - 1

/** Back to how the page was opened. */
async function undoAll(): Promise<void> {
  const undo = button('Undo')
  await eventually('everything is undone', async () => {
    if (await undo.isDisabled()) return true
    // It may have become disabled since.
    await undo.click({ timeout: 2_000 }).catch(() => undefined)
    return false
  })
}

/** The middle of an element of the mail, in the window, which is scrolled there first if it is `brought`. */
const placeOf = (words: string, brought = false) =>
  page.evaluate<{ x: number; y: number; height: number }>(`(() => {
    const frame = document.querySelector('iframe[title="The mail"]')
    const all = [...frame.contentDocument.querySelectorAll('[class*="mark-"]')]
    const element = all.findLast(({ textContent }) => textContent.includes(${JSON.stringify(words)}))
    const box = element.getBoundingClientRect()
    const { left, top } = frame.getBoundingClientRect()
    if (${brought}) scrollBy(0, top + box.top - innerHeight / 2)
    const now = frame.getBoundingClientRect()
    return { x: now.left + box.left + box.width / 2, y: now.top + box.top + box.height / 2, height: box.height }
  })()`)

async function isAccessible(shown: Page, name: string): Promise<void> {
  await settled(shown)
  assert.deepEqual(await violationsOf(shown, TAGS), [], name)
}

async function seen(locator: Locator): Promise<void> {
  await locator.first().waitFor()
}

test('a draft is written on one page, saves itself, and is there after a reload', { skip }, async () => {
  await settled(page)
  await page.getByRole('link', { name: 'New broadcast' }).first().click()
  await page.getByLabel('Name').fill('First news')
  await button('Look at Monthly letter').click()
  await seen(page.getByRole('dialog').frameLocator('iframe').getByText('Fernwood'))
  await page.keyboard.press('Escape')
  await button('Begin with this: Monthly letter').click()
  await seen(page.getByRole('heading', { name: 'First news', level: 1 }))
  await seen(page.frameLocator('iframe[title="The mail"]').locator('a, p, td'))
  await page.getByLabel('Subject').fill('Hello {{ first_name }}')
  await seen(page.getByText(/^Saved/))
  await seen(page.getByText('Nothing keeps it from being sent.'))
  await seen(page.getByText('299'))
  await seen(panel('Audience').getByText('1 person, unsubscribed from broadcasts'))
  await page.reload()
  await settled(page)
  const subject = page.getByLabel('Subject')
  await eventually('the subject is back', async () => (await subject.inputValue()) === 'Hello {{ first_name }}')
})

test('the server’s fault stands on its line, and nothing that was typed is lost to it', { skip }, async () => {
  await button('Code').click()
  const editor = page.getByRole('textbox', { name: 'Mail, MJML or HTML with Liquid' })
  await editor.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('{{ x | shout }}\n')
  await seen(page.getByRole('list', { name: 'Faults of the mail' }).getByText(/shout/))
  await undoAll()
  await page.getByRole('list', { name: 'Faults of the mail' }).getByText(/shout/).waitFor({ state: 'detached' })
  await seen(page.getByText(/^Saved/))
  await seen(page.getByText('Nothing keeps it from being sent.'))
})

test('a block is chosen where it is seen, changed and moved by keys, and undo goes back to each byte', {
  skip,
}, async () => {
  const id = page.url().split('/').at(-1)!.split('?')[0]
  const body = async () => (await world.site('GET', `/broadcasts/${id}`)).json.body as string
  const before = await body()
  await button('Blocks').click()
  const mail = page.frameLocator('iframe[title="The mail"]')
  await seen(mail.locator('a'))
  const place = await page.evaluate<{ x: number; y: number }>(PLACE_OF_LINK)
  await page.mouse.click(place.x + 5, place.y + 5)
  const chosen = page.getByRole('list', { name: 'Blocks of the mail' }).locator('[aria-current="true"]')
  await seen(chosen)
  await chosen.focus()
  await page.keyboard.press('Home')
  await button('Add a block').click()
  await page.getByRole('menuitem', { name: 'Text', exact: true }).click()
  const words = page.getByRole('textbox', { name: 'Text', exact: true })
  await words.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('A line & by {{ first_name')
  await seen(page.getByText('Brackets that are still open are words in the mail.'))
  // Before the words are left: closing what is around them, by Escape or by Back, loses none.
  await seen(mail.getByText('A line & by {{ first_name'))
  await chosen.focus()
  await words.focus()
  await page.keyboard.press('End')
  await page.keyboard.type(' }} in ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('bold')
  await seen(mail.getByText('A line & by'))
  await chosen.focus()
  await page.keyboard.press('Alt+ArrowDown')
  await button('Only for some').click()
  await page.getByLabel('With', { exact: true }).fill('Ada')
  await seen(page.getByText(/^Saved/))
  assert.match(
    await body(),
    /\{% if first_name != "Ada" %\}\s*<mj-text[^>]*>A line &amp; by \{\{ first_name \}\} in <b>bold<\/b><\/mj-text>\s*\{% endif %\}/,
  )
  await undoAll()
  await seen(page.getByText(/^Saved/))
  assert.equal(await body(), before)
})

test('what is pasted brings bold as it was seen, and no link into a button', { skip }, async () => {
  const id = page.url().split('/').at(-1)!.split('?')[0]
  const body = async () => (await world.site('GET', `/broadcasts/${id}`)).json.body as string
  const before = await body()
  const pasted = async (block: string, html: string) => {
    await button('Add a block').click()
    await page.getByRole('menuitem', { name: block, exact: true }).click()
    const words = page
      .getByRole('region', { name: `${block}, chosen` })
      .getByRole('textbox', { name: 'Text', exact: true })
    await words.focus()
    await page.keyboard.press('Control+a')
    await page.evaluate<void>(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', ${JSON.stringify(html)})
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })()`)
  }
  const docs = '<b style="font-weight:normal"><p>plain <span style="font-weight:700">strong</span></p></b>'
  await pasted('Text', docs)
  await eventually('bold is as it was', async () => /<mj-text[^>]*>(?:<p>)?plain <b>strong<\/b>/.test(await body()))
  await pasted('Button', '<a href="https://shop.example/x">Shop</a>')
  await eventually('no link is in the button', async () => /<mj-button[^>]*>Shop<\/mj-button>/.test(await body()))
  await undoAll()
  await seen(page.getByText(/^Saved/))
  await eventually('all is as before', async () => (await body()) === before)
})

test('a block is dragged over the mail to where a line shows, in one step of undo', { skip }, async () => {
  const id = page.url().split('/').at(-1)!.split('?')[0]
  const body = async () => (await world.site('GET', `/broadcasts/${id}`)).json.body as string
  const before = await body()
  await page.locator('[aria-busy=true] iframe[title="The mail"]').waitFor({ state: 'detached' })
  await placeOf('The workshop', true)
  const [from, to] = [await placeOf('THIS MONTH'), await placeOf('The workshop')]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 4 })
  await page.mouse.move(to.x, to.y + to.height / 2 - 4, { steps: 2 })
  await page.mouse.up()
  const order = (text: string) => ['THIS MONTH', 'The workshop'].map((words) => text.lastIndexOf(words))
  await eventually('it is saved behind it', async () => {
    const [dragged = 0, other = 0] = order(await body())
    return dragged > other
  })
  await page.getByRole('list', { name: 'Blocks of the mail' }).locator('[aria-current="true"]').focus()
  await page.keyboard.press('Control+z')
  await eventually('it is back', async () => (await body()) === before)
})

test('a template is made of blocks by keys alone, one of them saved, renamed and put in again', { skip }, async () => {
  const { page: own, faults, close } = await world.open('/app/default/templates/new')
  const press = async (name: string | RegExp, role: 'button' | 'menuitem' = 'button') => {
    const found = own.getByRole(role, { name, exact: true }).first()
    await found.focus()
    await own.keyboard.press('Enter')
  }
  const words = own.getByRole('textbox', { name: 'Text', exact: true })
  const add = async (name: string) => {
    await press('Add a block')
    await press(name, 'menuitem')
  }
  await settled(own)
  await own.getByLabel('Name').focus()
  await own.keyboard.type('By keys')
  await press(/^Begin with this: An empty mail/)
  await press('Begin with a letter')
  await words.focus()
  // The editor sets its cursor a moment after it has the focus; a key before that moves nothing.
  await eventually('the cursor is behind the last word', async () => {
    await own.keyboard.press('Control+End')
    return await words.evaluate(IS_AT_END)
  })
  await own.keyboard.press('Enter')
  await own.keyboard.type('one {{ last_name }}')
  await own.keyboard.press('Enter')
  await own.keyboard.type('two')
  await press('List')
  await add('Footer')
  await press('Save this block')
  await own.getByRole('dialog').getByLabel('Name').fill('Our footer')
  await own.keyboard.press('Enter')
  await own.getByRole('dialog').waitFor({ state: 'detached' })
  await own.getByRole('list', { name: 'Blocks of the mail' }).locator('[aria-current="true"]').focus()
  await own.keyboard.press('Delete')
  await add('Saved blocks…')
  await isAccessible(own, 'saved blocks')
  await press('Rename Our footer')
  await own.getByRole('dialog').getByLabel('Name').fill('Footer of ours')
  await own.keyboard.press('Enter')
  await press(/^Insert Footer of ours/)
  await own.getByRole('dialog').waitFor({ state: 'detached' })
  await isAccessible(own, 'words of a block')
  const body = async () => {
    const { json } = await world.site('GET', '/templates?search=By%20keys')
    return (await world.site('GET', `/templates/${json.items[0].id}`)).json.body as string
  }
  await eventually('it is saved', async () => (await body()).split('{{ postal_address }}').length === 3)
  assert.match(
    await body(),
    /\{\{ first_name \| default: "there" \}\},<br \/>one \{\{ last_name \}\}<ul><li>two<\/li><\/ul><\/mj-text>/,
  )
  assert.deepEqual(faults, [])
  await close()
})

test('what somebody else has changed meanwhile is shown, and one chooses', { skip }, async () => {
  const id = page.url().split('/').at(-1)
  await world.site('PATCH', `/broadcasts/${id}`, { subject: 'Theirs' })
  await page.getByLabel('Subject').fill('Mine {{ first_name }}')
  await seen(page.getByText(/Somebody else has changed this/))
  await button('Keep mine').click()
  await page.getByText(/Somebody else has changed this/).waitFor({ state: 'detached' })
  await seen(page.getByText(/^Saved/))
  const { json } = await world.site('GET', `/broadcasts/${id}`)
  assert.equal(json.subject, 'Mine {{ first_name }}')
})

test('a server that is away for a moment costs nothing that was typed', { skip }, async () => {
  const id = page.url().split('/').at(-1)
  let refused = 0
  await page.route('**/site/workspaces/default/broadcasts/*', async (route) => {
    if (route.request().method() !== 'PATCH' || refused > 0) return route.continue()
    refused++
    await route.fulfill({ status: 503, headers: { 'retry-after': '1' }, body: '' })
  })
  await page.getByLabel('Subject').fill('News for {{ first_name }}')
  await seen(page.getByText(/The server is away/))
  await seen(page.getByText(/^Saved/))
  await page.unroute('**/site/workspaces/default/broadcasts/*')
  const { json } = await world.site('GET', `/broadcasts/${id}`)
  assert.deepEqual([refused, json.subject], [1, 'News for {{ first_name }}'])
  // The browser tells of every answer of 503 by itself.
  opened.faults.splice(0, opened.faults.length, ...opened.faults.filter((fault) => !/503|412/.test(fault)))
})

test('a test of it goes to one address or several, and the dialog is gone', { skip }, async () => {
  await button('Send a test').click()
  const dialog = page.getByRole('dialog', { name: 'Send a test' })
  const to = dialog.getByLabel('To')
  const send = dialog.getByRole('button', { name: 'Send the test' })
  await to.fill('colleague@example.com')
  await send.click()
  await seen(page.getByText('A test is on its way to colleague@example.com.'))
  await dialog.waitFor({ state: 'detached' })

  await button('Send a test').click()
  assert.equal(await to.inputValue(), 'colleague@example.com', 'as the last time')
  await to.fill('colleague@example.com, boss@@example.com')
  await send.click()
  await seen(dialog.getByText('“boss@@example.com” is no email address.'))
  await to.fill('colleague@example.com; boss@example.com')
  await send.click()
  await seen(page.getByText('A test is on its way to 2 addresses.'))
  await dialog.waitFor({ state: 'detached' })
  opened.faults.splice(0, opened.faults.length, ...opened.faults.filter((fault) => !/400/.test(fault)))
})

test('it is sent to the number that was shown, and to no other', { skip }, async () => {
  await button('Send…').click()
  const dialog = page.getByRole('dialog')
  await seen(dialog.getByText('299 of the 300 people in its audience get it.'))
  await seen(dialog.getByText('1 person, unsubscribed from broadcasts'))
  const late = Array.from({ length: 20 }, (_, n) => ({ email: `late${n}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts: late })
  await dialog.getByRole('button', { name: 'Send to 299 people' }).click()
  await seen(dialog.getByText('Its audience has 320 people now.'))
  await dialog.getByRole('button', { name: 'Send to 319 people' }).click()
  await seen(page.getByRole('region', { name: 'Everybody' }))
})

test('its bar is watched until everybody is accounted for, and the report says why', { skip }, async () => {
  await seen(page.locator('main').getByText('Sent', { exact: true }))
  const everybody = panel('Everybody')
  await seen(everybody.getByText('Adds up to 320.'))
  await seen(everybody.getByText('1 person, unsubscribed from broadcasts'))
  await seen(everybody.getByRole('link', { name: '319' }))
  await everybody.getByRole('link', { name: '1', exact: true }).click()
  await seen(page.getByRole('region', { name: 'Recipients' }).getByText('reader7@example.com'))
  await page.getByRole('link', { name: 'Why?' }).first().click()
  await seen(page.getByText('Not sent: the person has unsubscribed from broadcasts.'))
  await page.goBack()
  await seen(page.getByRole('region', { name: 'Recipients' }))
  const { json } = await world.site('GET', '/messages?destination=reader8%40example.com')
  await page.goto(`/app/default/messages/${json.items[0].id}`)
  await seen(page.frameLocator('iframe[title="What it says"]').locator('a, p, td'))
  opened.faults.splice(0, opened.faults.length, ...opened.faults.filter((fault) => !/409|412|422/.test(fault)))
  assert.deepEqual(opened.faults, [])
})

test('the report of one that has ended is read now and then, not all the time', { skip }, async () => {
  const { json } = await world.site('GET', '/broadcasts?search=First%20news')
  let reads = 0
  const { page: own, close } = await world.open(`/app/default/broadcasts/${json.items[0].id}`, {
    before: async (shown) => {
      await shown.clock.install()
      shown.on('request', (request) => {
        if (request.url().endsWith('/report')) reads += 1
      })
    },
  })
  await settled(own)
  await own.clock.runFor(20_000)
  assert.equal(reads, 1)
  await own.clock.runFor(20_000)
  await eventually('it is read again', () => reads === 2)
  await close()
})

test('one that waits for its time says on which date it starts', { skip }, async () => {
  const body = '<p>Happy new year. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  const { json } = await world.site('POST', '/broadcasts', { name: 'New year', subject: 'A new year', body })
  await world.site('POST', `/broadcasts/${json.id}/schedule`, { scheduledAt: '2036-12-31T08:00:00Z' })
  const { page, close } = await world.open(`/app/default/broadcasts/${json.id}`)
  await page.getByText(/^It is scheduled and starts by itself on 31 Dec 2036, /).waitFor()
  await close()
})

/** A draft that could be sent, and its page. */
async function openDraft(name: string, options: OpenOptions = {}) {
  const body = '<p>Hello. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'
  const { id } = (await world.site('POST', '/broadcasts', { name, subject: 'Hello', body })).json
  const opened = await world.open(`/app/default/broadcasts/${id}`, options)
  await settled(opened.page)
  const { page } = opened
  const named = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  return {
    ...opened,
    named,
    field: page.getByLabel(/^Date and time/),
    kind: page.getByLabel('It starts'),
    dialog: page.getByRole('dialog'),
    checks: page.getByRole('region', { name: 'Before it goes out' }),
    act: (verb: string, json: object = {}) => world.site('POST', `/broadcasts/${id}/${verb}`, json),
    /** The focus is where one goes on, and not nowhere. */
    isFocusHeld: () => page.locator('main:focus, main h1:focus').waitFor(),
  }
}

const FAR = '2036-12-31T09:30'

test('a time that was chosen is there after a reload, and when the plan is taken back', { skip }, async () => {
  const { page, kind, field, dialog, named, isFocusHeld, close } = await openDraft('Kept time')
  await kind.selectOption('at')
  await field.fill(FAR)
  await page.reload()
  await settled(page)
  assert.equal(await field.inputValue(), FAR)
  await named('Schedule…').press('Enter')
  await dialog.getByText('It starts on 31 Dec 2036').waitFor()
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).press('Enter')
  await page.getByText(/^It is scheduled and starts by itself on 31 Dec 2036/).waitFor()
  await isFocusHeld()
  // Its numbers may say that it is a draft before the page itself is one: the head of the page that comes has the focus all the same.
  const held = await holdRequests(page, 'GET', '/broadcasts/*')
  await named('Make it a draft again').press('Enter')
  await named('Make it a draft again').waitFor({ state: 'detached' })
  await held.letGo()
  await named('Schedule…').waitFor()
  await isFocusHeld()
  assert.equal(await field.inputValue(), FAR)
  await close()
})

test('no time and one that has passed are said at the field, among the checks, and where it would be scheduled', {
  skip,
}, async () => {
  const { page, kind, field, dialog, named, checks, faults, close } = await openDraft('Passed time')
  const passed = 'This time has passed: choose one to come.'
  const none = 'Choose a date and a time.'
  await kind.selectOption('at')
  for (const [time, told] of [
    ['', none],
    ['2020-01-01T09:00', passed],
  ] as const) {
    await field.fill(time)
    await panel('When', page).getByText(told).waitFor()
    await panel('When', page).getByText('1 thing to mend').waitFor()
    await checks.getByText(told).waitFor()
    assert.equal(await checks.getByText('Nothing keeps it').count(), 0)
    await named('Schedule…').click()
    await dialog.getByText(`One thing keeps it from being sent: ${told}`).waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Schedule', exact: true }).isDisabled())
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await page.reload()
  await settled(page)
  await checks.getByText(passed).waitFor()
  await kind.selectOption('local')
  await field.fill('')
  await checks.getByText(none).waitFor()
  await field.fill('2020-01-01T09:00')
  await checks.getByText('This time has passed in Europe/Berlin: choose one to come.').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('of a time in each zone it is said for whom it has passed, and it is paused and goes on by keys', {
  skip,
}, async () => {
  const { page, kind, field, dialog, named, checks, isFocusHeld, close } = await openDraft('Each zone')
  await kind.selectOption('local')
  assert.match(await field.inputValue(), /T09:00$/)
  await page.getByText(/It reaches the first zone of the earth on /).waitFor()
  await checks.getByText('Nothing keeps it').waitFor()
  assert.equal(await checks.getByText('people get it at once').count(), 0)
  const soon = await page.evaluate<string>(
    `new Date(Date.now() + 7_200_000).toLocaleString('sv', { timeZone: 'Europe/Berlin' }).slice(0, 16).replace(' ', 'T')`,
  )
  await field.fill(soon)
  const atOnce = /Where this time has passed already, as in \w+ and \w+, people get it at once\./
  await checks.getByText(atOnce).waitFor()
  await named('Schedule…').click()
  await dialog.getByText(atOnce).waitFor()
  await dialog.getByText(/It starts as soon as you have confirmed it, and reaches the last zone/).waitFor()
  assert.equal(await dialog.getByText(/first zone/).count(), 0)
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page.getByText('It is being sent.').first().waitFor()
  await named('Pause').press('Enter')
  await named('Resume').waitFor()
  await isFocusHeld()
  await named('Resume').press('Enter')
  await named('Pause').waitFor()
  await isFocusHeld()
  await close()
})

test('one that somebody else makes a draft again is one on every page, with its time', { skip }, async () => {
  const { page, kind, field, act, close } = await openDraft('Taken back')
  await act('schedule', { scheduledAt: '2036-12-31T08:30:00Z' })
  await page.reload()
  await page.getByText(/^It is scheduled/).waitFor()
  await act('unschedule')
  await kind.waitFor()
  assert.equal(await field.inputValue(), FAR)
  await act('schedule', { localTime: '2036-03-30T02:30', timeZone: 'Asia/Tokyo' })
  await page.reload()
  await page.getByText(/^It is scheduled/).waitFor()
  await act('unschedule')
  await kind.waitFor()
  assert.equal(await field.inputValue(), '2036-03-30T02:30')
  assert.equal(await page.getByLabel('Zone of contacts that have none').inputValue(), 'Asia/Tokyo')
  await close()
})

test('words that came too late for a plan are said to be left out, and come back with the draft', {
  skip,
}, async () => {
  const { page, named, act, isFocusHeld, close } = await openDraft('Too late')
  const subject = page.getByLabel('Subject')
  const told = page.getByText('It was scheduled before what you wrote last was saved: your words are not in it.')
  await act('schedule', { scheduledAt: '2036-12-31T08:30:00Z' })
  await subject.fill('Mine')
  await told.waitFor()
  await isFocusHeld()
  await named('Make it a draft again').press('Enter')
  await named('Keep mine').click()
  await page.getByText(/^Saved/).waitFor()
  assert.equal(await subject.inputValue(), 'Mine')
  await act('schedule', { scheduledAt: '2036-12-31T08:30:00Z' })
  await page.reload()
  await page.getByText(/^It is scheduled/).waitFor()
  assert.equal(await told.count(), 0)
  await close()
})

test('a time in each zone is told as dates are', { skip }, async () => {
  const { page, act, close } = await openDraft('Told date')
  await act('schedule', { localTime: '2036-03-30T02:30', timeZone: 'Asia/Tokyo' })
  await page.reload()
  await page.getByText(/^It is scheduled and is due on 30 Mar 2036, 02:30 in each contact’s zone\.$/).waitFor()
  await close()
})

test('what cancels a broadcast says so, and what keeps it does', { skip }, async () => {
  const { page, dialog, named, act, close } = await openDraft('To cancel')
  await act('schedule', { scheduledAt: '2036-12-31T08:30:00Z' })
  await page.reload()
  await named('Cancel').click()
  assert.equal(await dialog.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
  await dialog.getByRole('button', { name: 'Keep it' }).click()
  await dialog.waitFor({ state: 'detached' })
  await named('Cancel').click()
  await dialog.getByRole('button', { name: 'Cancel the broadcast' }).click()
  await page.locator('main').getByText('Canceled', { exact: true }).waitFor()
  await close()
})

test('a browser in UTC sends what its select of zones shows', { skip }, async () => {
  const { page, kind, close } = await openDraft('In UTC', { zone: 'UTC' })
  await kind.selectOption('local')
  assert.equal(await page.getByLabel('Zone of contacts that have none').inputValue(), 'UTC')
  await close()
})

test('a change after a rest is seen at once, and words that are typed on once they rest', { skip }, async () => {
  const { json } = await world.site('POST', '/templates', { name: 'Looked at', subject: 'One', body: '<p>Hello</p>' })
  const subjects: string[] = []
  const { page: own, close } = await world.open(`/app/default/templates/${json.id}`, {
    before: async (shown) => {
      await shown.clock.install()
      shown.on('request', (request) => {
        if (request.url().endsWith('/templates/preview')) subjects.push(request.postDataJSON().subject)
      })
    },
  })
  await settled(own)
  await own.clock.pauseAt(Date.now() + 3_600_000)
  const subject = own.getByLabel('Subject')
  const asked = (all: readonly string[], withinMs: number) => {
    let ms = 0
    return eventually(`asked for ${all}`, async () => {
      if (ms++ < withinMs) await own.clock.runFor(1)
      return subjects.join() === all.join()
    })
  }
  await subject.fill('Two')
  await asked(['One', 'Two'], 100)
  await subject.fill('Thre')
  await own.clock.runFor(50)
  await subject.fill('Three')
  await asked(['One', 'Two', 'Three'], 1_000)
  await subject.fill('Fou')
  await own.clock.runFor(50)
  await subject.fill('Four')
  await asked(['One', 'Two', 'Three', 'Four'], 1_000)
  await close()
})

test('from the login to the last person, all of it by keys: nothing is clicked', { skip }, async () => {
  const { page: own, faults, close } = await world.open('/app/default', { cookie: null })
  const { press, write } = byKeys(own)
  await write(own.getByLabel('Email'), world.instance.email)
  await write(own.getByLabel('Password'), world.instance.password)
  await own.keyboard.press('Enter')
  await own.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await settled(own)
  await own.keyboard.press('g')
  await own.keyboard.press('b')
  await own.locator('h1', { hasText: 'Broadcasts' }).waitFor()
  await press(own.getByRole('link', { name: 'New broadcast' }).first())
  await write(own.getByLabel('Name'), 'By keys alone')
  await press(own.getByRole('button', { name: 'Begin with this: Monthly letter' }))
  await own.getByRole('heading', { name: 'By keys alone', level: 1 }).waitFor()
  await write(own.getByLabel('Subject'), 'Hello')
  await own.getByText(/^Saved/).waitFor()
  await press(own.getByRole('button', { name: 'Send…' }))
  await press(own.getByRole('dialog').getByRole('button', { name: /^Send to \d+ people/ }))
  await own.locator('main').getByText('Sent', { exact: true }).waitFor()
  await own.getByRole('region', { name: 'Everybody' }).getByText('Adds up to 320.').waitFor()
  assert.deepEqual(faults, [])
  await close()
})
