import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import {
  addStep,
  assertOnlyDraftsRefused,
  BODY,
  draftsOf,
  EMPTY,
  holdReads,
  kindsOf,
  refusedOf,
} from './automation-edits.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* Drafts of automations: beside somebody else, tried on people and on scenarios before they are in force, and with people of the past. */

const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

const { made, definitionOf, savedAs } = draftsOf(() => world)

test('two who edit one draft never overwrite each other unseen, and what either wrote comes back', {
  skip,
}, async () => {
  const id = await made('Shared')
  const { page, close } = await world.open(`/app/default/automations/${id}/edit`)
  await settled(page)
  const theirs = { ...EMPTY, start: 'theirs', nodes: { theirs: { type: 'tag', add: ['theirs'], to: 'end' } } }
  const seeThem = await holdReads(page)
  await world.site('PATCH', `/automations/${id}`, { definition: theirs })
  await addStep(page, 'People come in', 'wait')
  await page.getByText('Somebody else has changed this while you were writing').waitFor()
  assert.deepEqual(await definitionOf(id), theirs)
  await seeThem()
  await page.getByRole('button', { name: 'Take theirs' }).click()
  await page.getByRole('treeitem', { name: /^Tags.*add theirs/ }).waitFor()
  await world.instance.sql(
    `update automation_revisions set actor_id = '0', actor_name = 'Grace' where automation_id = $1`,
    [id],
  )
  // One's own is a step back, and is not lost.
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  const mine = await savedAs(id, 'mine is saved over it', ({ nodes }) => !('theirs' in nodes))
  assert.deepEqual(kindsOf(mine), ['delay'])
  await page.getByRole('button', { name: 'History', exact: true }).click()
  const history = page.getByRole('dialog', { name: 'History of the draft' })
  const entry = history.getByRole('listitem').filter({ has: page.getByText('Grace') })
  await entry.getByRole('button', { name: 'Compare' }).click()
  await entry.getByText(/^Removed: Tags/).waitFor()
  await entry.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('treeitem', { name: /^Tags.*add theirs/ }).waitFor()
  assert.deepEqual(await definitionOf(id), theirs)
  await close()
})

test('in two browsers that edit one draft each is told of the other before anything is written over', {
  skip,
}, async () => {
  const id = await made('In two browsers')
  const open = async () => {
    const opened = await world.open(`/app/default/automations/${id}/edit`)
    await settled(opened.page)
    return opened
  }
  const [one, other] = [await open(), await open()]
  const conflict = (page: Page) => page.getByText('Somebody else has changed this while you were writing').waitFor()
  const seeFirst = await holdReads(other.page)
  await addStep(one.page, 'People come in', 'wait')
  const first = await savedAs(id, 'the wait is saved', ({ nodes }) => Object.keys(nodes).length === 1)
  await addStep(other.page, 'People come in', 'goal')
  await conflict(other.page)
  assert.deepEqual(await definitionOf(id), first)
  await seeFirst()
  const seeSecond = await holdReads(one.page)
  await other.page.getByRole('button', { name: 'Take theirs' }).click()
  await addStep(other.page, 'Wait', 'goal')
  const second = await savedAs(id, 'both are saved', ({ nodes }) => Object.keys(nodes).length === 2)
  assert.deepEqual(kindsOf(second), ['delay', 'goal'])
  // The first one knows nothing of the goal yet.
  await one.page.getByLabel('Wait for').fill('4')
  await conflict(one.page)
  assert.deepEqual(await definitionOf(id), second)
  await seeSecond()
  await one.page.getByRole('button', { name: 'Keep mine' }).click()
  const third = await savedAs(id, 'what was chosen is saved', ({ nodes }) => JSON.stringify(nodes).includes('"days":4'))
  assert.deepEqual(kindsOf(third), ['delay'])
  // What was written over is in the history all the same.
  const { items } = (await world.site('GET', `/automations/${id}/revisions`)).json
  assert.ok(items.length > 0, 'the draft has a history')
  await one.close()
  await other.close()
})

test('nothing is brought back over a draft that the server has not taken', { skip }, async () => {
  const id = await made('Half written')
  await world.instance.sql(
    `update automation_revisions set actor_id = '0', actor_name = 'Grace' where automation_id = $1`,
    [id],
  )
  const tagged = { ...EMPTY, start: 'tag', nodes: { tag: { type: 'tag', add: ['mine'], to: 'end' } } }
  await world.site('PATCH', `/automations/${id}`, { definition: tagged })
  const { page, close } = await world.open(`/app/default/automations/${id}/edit`)
  await settled(page)
  await addStep(page, 'People come in', 'mail')
  const toMend = page.getByRole('list', { name: 'What is to be mended' })
  await page
    .getByRole('list', { name: 'What is still to be filled in' })
    .getByText('Mail: Still needs a subject.')
    .waitFor()
  const openHistory = page.getByRole('button', { name: 'History', exact: true })
  const refused = page.waitForResponse((answer) => answer.status() === 422)
  await openHistory.click()
  await refused
  // Whoever tries to go on is told as of a fault.
  await toMend.getByText('Mail: Still needs a subject.').waitFor()
  await settled(page)
  const history = page.getByRole('dialog', { name: 'History of the draft' })
  assert.equal(await history.count(), 0)
  await page.goto(`${page.url().split('?')[0]}?history=open`)
  await history.getByText('nothing can be restored before it is').waitFor()
  const restore = history.getByRole('button', { name: 'Restore' })
  await restore.waitFor()
  assert.equal(await restore.isDisabled(), true)
  await page.keyboard.press('Escape')
  await page.getByRole('treeitem', { name: /^Mail/ }).click()
  await page.getByLabel('Subject', { exact: true }).fill('Whole')
  await openHistory.click()
  await restore.click()
  await history.waitFor({ state: 'hidden' })
  await page.getByRole('treeitem', { name: /^Mail/ }).waitFor({ state: 'detached' })
  assert.deepEqual(await definitionOf(id), EMPTY)
  await close()
})

test('people of the past are counted first, brought in at a pace that is told and taken back, and then all of them', {
  skip,
}, async () => {
  const { baseUrl, token } = world.instance
  const people = Array.from({ length: 20 }, (_, n) => `past${n}@example.com`)
  await world.site('POST', '/contacts/batch', { contacts: people.map((email) => ({ email })) })
  const happened = { events: people.map((email) => ({ action: 'trial.began', email })) }
  assert.equal((await send('POST', `${baseUrl}/api/events`, { token, json: happened })).status, 204)
  await eventually('all of it has happened', async () => {
    const kept = await world.instance.sql(`select from events where name = 'trial.began' and contact_id is not null`)
    return kept.length === people.length
  })
  const id = await made('Of the past', {
    ...EMPTY,
    enter: { on: [{ event: 'trial.began' }] },
    start: 'rest',
    nodes: { rest: { type: 'delay', days: 3, to: 'end' } },
  })
  await world.site('POST', `/automations/${id}/activate`)
  const entered = async () => (await world.site('GET', `/automations/${id}/counts`)).json.entered as number
  const { page, faults, close } = await world.open(`/app/default/automations/${id}`)
  const dialog = page.getByRole('dialog', { name: 'Bring in people of the past' })
  const ask = async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Bring in people of the past…' }).click()
    await dialog.getByLabel('Days back').fill('7')
  }
  await settled(page)
  await ask()
  await dialog.getByText('20 events of 20 people, 0 of whom have come in before.').waitFor()
  assert.equal(await entered(), 0, 'nothing has happened by asking')
  // One at once, and the next a minute later: it lasts until somebody takes it back.
  await dialog.getByLabel('Events a minute, at most').fill('1')
  await dialog.getByRole('button', { name: 'Go through 20 events' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const progress = page.getByText(/People of the past are being brought in: \d+ of 20 events so far/)
  await progress.waitFor()
  await eventually('the first is in', async () => (await entered()) > 0)
  await page.getByRole('button', { name: 'Take it back' }).click()
  await progress.waitFor({ state: 'detached' })
  const { last } = (await world.site('GET', `/automations/${id}/backfill`)).json
  assert.deepEqual([last.state, last.perMinute, last.asOf], ['revoked', 1, 'now'])
  const before = await entered()
  assert.ok(before > 0 && before < people.length, `${before} have come in`)
  await ask()
  await dialog.getByText(`${people.length - before} events of ${people.length - before} people`).waitFor()
  await dialog.getByRole('radio', { name: /As of their event/ }).check()
  await dialog.getByRole('button', { name: `Go through ${people.length - before} events` }).click()
  await dialog.waitFor({ state: 'hidden' })
  await eventually('everybody is in', async () => (await entered()) === people.length)
  assert.equal((await world.site('GET', `/automations/${id}/backfill`)).json.last.asOf, 'then')
  assert.deepEqual(faults, [])
  await close()
})

test('one person goes through the draft by page, and the team reads their mail', { skip }, async () => {
  const id = await made('Tested by page', {
    ...EMPTY,
    start: 'rest',
    nodes: {
      rest: { type: 'delay', days: 2, to: 'warm' },
      warm: { type: 'tag', add: ['warm'], to: 'mail' },
      mail: { type: 'email', subject: 'Hello {{ first_name }}', body: BODY, to: 'end' },
    },
  })
  const grace = { email: 'grace.tested@example.com', firstName: 'Grace' }
  await world.site('POST', '/contacts', grace)
  const { page, faults, close } = await world.open(`/app/default/automations/${id}/edit`)
  await settled(page)
  await page.getByRole('button', { name: 'Test on one person' }).click()
  const dialog = page.getByRole('dialog', { name: 'Test on one person' })
  await dialog.getByLabel('As whom').fill('nobody.tested@example.com')
  await dialog.getByRole('button', { name: 'Begin the test' }).click()
  await dialog.getByText('Nobody here has the address nobody.tested@example.com.').waitFor()
  await dialog.getByLabel('As whom').fill(grace.email)
  await dialog.getByRole('button', { name: 'Begin the test' }).click()
  await dialog.getByText(`One mail is on the way to ${world.instance.email}. They come to the end.`).waitFor()
  assert.deepEqual(
    (await dialog.getByRole('listitem').allInnerTexts()).map((text) => text.replaceAll('\n', ' ')),
    [
      'Wait: 2 days after 2 d',
      'Tags: add warm after 2 d, not done in a test',
      'Mail: Hello {{ first_name }} after 2 d, sent',
    ],
  )
  await dialog.getByRole('button', { name: 'Done' }).click()
  const { entered } = (await world.site('GET', `/automations/${id}/counts`)).json
  assert.equal(entered, 0)
  assert.deepEqual(faults, [])
  await close()
})

test('scenarios are written, played and mended by page, and keep a draft that fails them from being published', {
  skip,
}, async () => {
  const id = await made('Told by page', {
    ...EMPTY,
    enter: { on: [{ event: 'cart.updated' }] },
    start: 'rest',
    nodes: {
      rest: { type: 'delay', days: 2, to: 'mail' },
      mail: { type: 'email', subject: 'You left something behind', body: BODY, to: 'end' },
    },
  })
  const { page, faults, close } = await world.open(`/app/default/automations/${id}/edit?view=scenarios`)
  const refused = refusedOf(page)
  await page.getByRole('button', { name: 'Add a scenario' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Is reminded')
  await page.getByText('The workspace', { exact: true }).click()
  await page.getByLabel('Has quiet hours, and mails go when they end').check()
  await page.getByLabel('Quiet until').fill('12:00')
  // A newsletter of two days before has a place under the cap of the workspace.
  await page.getByLabel('Has a limit to how much one person gets').check()
  await page.getByRole('button', { name: 'Add something that happens' }).click()
  // What has no name yet is said by its place on the page.
  await page
    .getByRole('list', { name: 'What is to be mended in scenarios' })
    .getByText('“Is reminded”, what happens, 2: it must not be blank.')
    .waitFor()
  await page.getByLabel('What happens, 2: what').selectOption({ label: 'Other marketing mail' })
  await page.getByLabel('What happens, 2: which').fill('Newsletter of May')
  await page.getByLabel('What happens, 2: priority').selectOption('high')
  await page.getByLabel('How long before or after', { exact: true }).fill('2')
  await page.getByRole('button', { name: 'Run it, and expect what happens' }).click()
  await page.getByLabel('What you expect, 1: which').waitFor()
  await page.getByText('Not run yet.').waitFor()
  // Each unit has a name of its own, however many moments there are.
  const units = page.getByRole('combobox', { name: 'Unit of How long after the start' })
  await eventually('the first thing, the mail and the end have one', async () => (await units.count()) === 3)
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText('It passes.').waitFor()
  await eventually('the scenario is saved', async () => {
    const [scenario] = (await world.site('GET', `/automations/${id}`)).json.scenarios
    const mail = scenario?.expect.find((one: object) => 'mail' in one)
    return scenario?.workspace?.quietHours.until === '12:00' && /^PT5\dH$/.test(mail?.at)
  })
  const [written] = (await world.site('GET', `/automations/${id}`)).json.scenarios
  assert.deepEqual(written.given[1], { mailed: 'Newsletter of May', priority: 'high', at: '-P2D' })
  // A moment may be a date as well, of the reader's clock.
  const told = page.getByLabel('What you expect, 2: counted how')
  const isMailed = async (at: RegExp) => {
    const [{ expect }] = (await world.site('GET', `/automations/${id}`)).json.scenarios
    return at.test(expect.find((one: object) => 'mail' in one).at)
  }
  await told.selectOption({ label: 'on a date' })
  const date = page.getByLabel('Date and time (Europe/Berlin)')
  assert.match(await date.inputValue(), /^2026-06-0\dT\d\d:00$/)
  const seen = await date.inputValue()
  await date.fill('2026-07-01T09:30')
  await eventually('the date is saved', () => isMailed(/^2026-07-01T07:30:00Z$/))
  await date.fill(seen)
  await told.selectOption({ label: 'after the start' })
  await eventually('the span is saved again', () => isMailed(/^PT5\dH$/))
  // Closed, it says in words what it says.
  await page.getByRole('button', { name: 'Close Is reminded' }).click()
  await page.getByText('Gets “Newsletter of May” 2 days before', { exact: true }).waitFor()
  await page.getByText(/Mail: You left something behind after 5\d hours/).waitFor()
  // The wait becomes longer: the mail comes at another time than is expected.
  await page.getByRole('link', { name: 'Outline', exact: true }).click()
  await page.locator('[aria-current=page]', { hasText: 'Outline' }).waitFor()
  assert.equal(new URL(page.url()).search, '')
  await page.getByRole('treeitem', { name: /^Wait/ }).click()
  await page.getByLabel('Wait for').fill('3')
  await savedAs(id, 'the longer wait is saved', ({ nodes }) => nodes.rest!.days === 3)
  await page.getByRole('link', { name: 'Scenarios', exact: true }).click()
  await page.getByText('Changed since they were last run.').waitFor()
  await page.getByRole('button', { name: 'Run all' }).click()
  await page.getByText('It fails.').waitFor()
  await page.getByRole('cell', { name: 'Mail: You left something behind' }).getByRole('button').click()
  await page.getByRole('button', { name: /^Mail You left something behind Fails: Is reminded/ }).waitFor()
  // The card and the panel of a mail show it.
  await page.locator('[data-mail-picture] iframe').nth(1).waitFor()
  await page.getByRole('button', { name: 'Activate…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  await dialog
    .getByRole('list', { name: 'Scenarios that fail' })
    .getByText(/Is reminded/)
    .waitFor()
  assert.equal((await world.site('GET', `/automations/${id}`)).json.status, 'draft')
  // The link leads away from what it stands in, and shows what fails: from wherever it is followed, and as often.
  for (const view of ['canvas', 'scenarios']) {
    assert.equal(new URL(page.url()).searchParams.get('view'), view)
    await dialog.getByRole('link', { name: 'Look at the scenarios' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.waitForURL(/\?view=scenarios$/)
    await page.getByText('It fails.').waitFor()
    await page.getByRole('button', { name: 'Activate…' }).click()
    await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  }
  await dialog.getByRole('button', { name: 'Publish all the same' }).click()
  await page.getByText('It is in force: people may come in.').waitFor()
  assert.equal(await page.getByText('in a moment').count(), 0, 'what was saved was saved before')
  const audited = await world.site('GET', `/audit-entries?action=automation.activate&targetId=${id}`)
  assert.deepEqual(audited.json.items[0].diff.despiteScenarios, { from: null, to: ['Is reminded'] })
  // A slow machine saves what more happens before it is said what that is, which is refused.
  assertOnlyDraftsRefused(
    faults.filter((fault) => !fault.includes('409')),
    refused,
  )
  await close()
})
