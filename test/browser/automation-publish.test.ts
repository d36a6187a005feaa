import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { addStep, assertOnlyDraftsRefused, BODY, draftsOf, EMPTY, refusedOf } from './automation-edits.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/* The dialog that puts a draft in force: what it says before, and what it refuses. */

const skip = WITHOUT_BROWSER
let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

const { made, savedAs } = draftsOf(() => world)
const RARE = { rules: [{ field: 'tag', operator: 'has', value: 'rare' }] }
const standAt = (id: string, at: string) =>
  eventually(`one stands at ${at}`, async () =>
    (await world.site('GET', `/automations/${id}/counts`)).json.nodes.some(
      (one: { node: string; here: number }) => one.node === at && one.here === 1,
    ),
  )
const linesOf = async (of: Locator) =>
  (await of.allInnerTexts())
    .join('')
    .split('\n')
    .filter((line) => line.trim() !== '')

test('what comes into force the first time is told way by way, each with its own steps and where it leads', {
  skip,
}, async () => {
  const mail = (subject: string) => ({ type: 'email', subject, body: BODY, to: 'thanks' })
  const id = await made('Told by ways', {
    ...EMPTY,
    start: 'choice',
    nodes: {
      choice: { type: 'branch', ways: [{ if: RARE, to: 'rare' }], else: 'asked' },
      rare: mail('For the rare'),
      asked: { type: 'wait', for: [{ event: 'order.paid', to: 'end' }], timeout: 'P3D', late: 'thanks' },
      thanks: { type: 'tag', add: ['thanked'], to: 'end' },
    },
  })
  const { page, close } = await world.open(`/app/default/automations/${id}`, { width: 360 })
  // The outline of its page says of each way where it ends, as the builder's does.
  const outline = page.getByRole('table', { name: 'Steps' })
  await outline.getByText('Ends here').first().waitFor()
  await page.getByRole('button', { name: 'Activate…' }).click()
  const told = page.getByRole('dialog').getByRole('list', { name: 'Changes' })
  const way = (name: string) =>
    told
      .getByRole('listitem')
      .filter({ has: page.locator(':scope > span', { hasText: name }) })
      .last()
  await told.getByText('Mail: For the rare').waitFor()
  assert.deepEqual(await linesOf(way('If tagged')), [
    'If tagged “rare”:',
    'Mail: For the rare',
    'Then on to: Tags: add thanked',
  ])
  assert.deepEqual(await linesOf(way('order.paid')), ['order.paid:', 'Then they are through'])
  assert.deepEqual(await linesOf(way('Nothing within 3 days')), [
    'Nothing within 3 days:',
    'Then on to: Tags: add thanked',
  ])
  const whole = await linesOf(told)
  assert.equal(whole[0], 'People come in: by hand.')
  assert.match(whole[1] ?? '', /^Branch: /)
  assert.equal(whole.at(-1), 'Tags: add thanked')
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
  await close()
})

test('what somebody changed meanwhile does not come into force unseen', { skip }, async () => {
  const start = (subject: string) => ({
    start: 'mail',
    nodes: { mail: { type: 'email', subject, body: BODY, to: 'end' } },
  })
  const id = await made('Read first', { ...EMPTY, ...start('As I read it') })
  const { page, close } = await world.open(`/app/default/automations/${id}`)
  await page.getByRole('button', { name: 'Activate…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Mail: As I read it').waitFor()
  await dialog.getByText('People come in: by hand.').waitFor()
  await world.site('PATCH', `/automations/${id}`, { definition: { ...EMPTY, ...start('Theirs') } })
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  await dialog.getByText(/Somebody changed this automation/).waitFor()
  assert.equal((await world.site('GET', `/automations/${id}`)).json.status, 'draft')
  await dialog.getByRole('button', { name: 'Show it as it is now' }).click()
  await dialog.getByText('Mail: Theirs').waitFor()
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  await page.getByText('It is in force: people may come in.').waitFor()
  await close()
})

test('a version that is published while its draft is changed is said to be published, and takes nobody in', {
  skip,
}, async () => {
  const id = await made('Closed')
  await world.site('POST', `/automations/${id}/activate`)
  await world.site('POST', `/automations/${id}/deactivate`)
  await world.site('PATCH', `/automations/${id}`, {
    definition: { ...EMPTY, enter: { on: [{ manual: true }], holdout: 500 } },
  })
  const { page, close } = await world.open(`/app/default/automations/${id}`)
  await page.route('**/automations/*/publish', async (route) => {
    const response = await route.fetch()
    await world.site('PATCH', `/automations/${id}`, { definition: EMPTY })
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'Activate…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click()
  await dialog.getByText('The version is published, but nobody comes in yet.').waitFor()
  assert.equal((await world.site('GET', `/automations/${id}`)).json.publishedVersion, 2)
  await close()
})

test('publishing says what becomes of those inside, and asks where those go on whose step is no more', {
  skip,
}, async () => {
  const id = await made('With people', {
    ...EMPTY,
    start: 'rest',
    nodes: {
      rest: { type: 'delay', days: 3, to: 'choice' },
      choice: { type: 'branch', ways: [{ if: RARE, to: 'mail' }], else: 'end' },
      mail: { type: 'email', subject: 'Hi', body: BODY, to: 'end' },
    },
  })
  await world.site('POST', `/automations/${id}/activate`)
  const ada = await world.site('POST', '/contacts', { email: 'ada.inside@example.com' })
  await world.site('POST', `/automations/${id}/enroll`, { contactIds: [ada.json.id] })
  await eventually('somebody waits', async () =>
    (await world.site('GET', `/automations/${id}/counts`)).json.nodes.some(
      ({ node, here }: { node: string; here: number }) => node === 'rest' && here === 1,
    ),
  )
  const { page, faults, close } = await world.open(`/app/default/automations/${id}/edit`)
  const refused = refusedOf(page)
  await settled(page)
  await page.getByRole('treeitem', { name: /^Wait.*1 here/ }).click()
  await page.getByText(/are of all who have ever left a step/).waitFor()
  await page.getByRole('combobox', { name: 'Who has passed' }).selectOption('24h')
  await page.getByText(/are of those who have left a step since/).waitFor()
  assert.match(page.url(), /last=24h/)
  await page.getByRole('treeitem', { name: /^Wait.*0 passed.*1 here/ }).waitFor()
  await page.getByRole('button', { name: 'Remove this step' }).click()
  await addStep(page, 'People come in', 'tags')
  await page.getByRole('combobox', { name: 'Tags to add' }).fill('soon')
  await page.keyboard.press('Enter')
  await savedAs(id, 'the draft is saved', ({ nodes }) => JSON.stringify(nodes).includes('"soon"'))
  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Removed: Wait/).waitFor()
  await dialog.getByRole('group', { name: '1 person came in by an earlier version' }).waitFor()
  // What goes out within a day is said first, and again as soon as those inside are to do something else.
  const nextDay = dialog.getByRole('status', { name: 'The next 24 hours' })
  await nextDay.getByText(/^For those inside no mail goes out.* in the next 24 hours/).waitFor()
  const [first, changes] = [await nextDay.boundingBox(), await dialog.getByText('What has changed').boundingBox()]
  assert.ok(first!.y < changes!.y, 'it stands above everything else')
  // Who stays needs no place, though their step is no more.
  await dialog.getByRole('cell', { name: 'Stay in their version' }).waitFor()
  await eventually('it may be published', () =>
    dialog.getByRole('button', { name: 'Publish', exact: true }).isEnabled(),
  )
  await dialog.getByRole('radio', { name: /Come along/ }).check()
  await dialog.getByText('Their step is no more.').waitFor()
  await dialog.getByText('Not yet: choose first where those go on whose step is no more.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: /^Publish/ }).isDisabled(), true)
  const place = dialog.getByLabel('Where those at Wait: 3 days go on')
  // Nobody knows beforehand which way they go there: no less is promised than may be.
  await place.selectOption('choice')
  await nextDay
    .getByText(/^0 to 1 mails to those inside within the next 24 hours, instead of 0;.*depends on the ways/)
    .waitFor()
  await place.selectOption({ label: 'At: Mail: Hi' })
  await nextDay.getByText(/^1 mail to those inside within the next 24 hours, instead of 0;.*instead of 0\.$/).waitFor()
  await dialog.getByRole('button', { name: 'Publish, and take 1 person along' }).click()
  await page.getByText('The new version is in force.').waitFor()
  const after = await world.site('GET', `/automations/${id}`)
  assert.deepEqual([after.json.publishedVersion, after.json.draftChanged], [2, false])
  // Whoever is inside came along, once their turn has come: nothing is to be decided about anybody.
  await eventually('they are in the version in force', async () => {
    const { json } = await world.site('POST', `/automations/${id}/publish-preview`, { inside: 'stay' })
    return json.people.inside === 0
  })
  await page.getByRole('button', { name: 'Publish…' }).click()
  await dialog.getByText('Nothing to publish: it is as version 2, which is in force.').waitFor()
  assert.equal(await dialog.getByRole('group').count(), 0)
  assert.equal(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled(), true)
  // A slow machine saves the step before its tag is typed, which is refused.
  assertOnlyDraftsRefused(faults, refused)
  await close()
})

test('who is taken along into a newer version is said to be moved, and counted as neither come nor gone on', {
  skip,
}, async () => {
  const waiting = (days: number) => ({ ...EMPTY, start: 'rest', nodes: { rest: { type: 'delay', days, to: 'end' } } })
  const id = await made('Moved twice', waiting(2))
  await world.site('POST', `/automations/${id}/activate`)
  const contacts = ['ada.moved@example.com', 'bob.moved@example.com'].map((email) => ({ email }))
  const { json: added } = await world.site('POST', '/contacts/batch', { contacts })
  const contactIds = added.results.map(({ contactId }: { contactId: string }) => contactId)
  await world.site('POST', `/automations/${id}/enroll`, { contactIds })
  const standIn = (version: number) =>
    eventually(`both stand in version ${version}`, async () =>
      (await world.site('GET', `/automations/${id}/counts`)).json.nodes.some(
        (one: { version: number; here: number }) => one.version === version && one.here === 2,
      ),
    )
  await standIn(1)
  for (const [days, version] of [
    [3, 2],
    [4, 3],
  ] as const) {
    await world.site('PATCH', `/automations/${id}`, { definition: waiting(days) })
    await world.site('POST', `/automations/${id}/publish`, { inside: 'move' })
    await standIn(version)
  }
  const { page, faults, close } = await world.open(`/app/default/automations/${id}?contact=${contactIds[0]}`)
  const row = page.getByRole('table', { name: 'Steps' }).getByRole('row', { name: /^Wait/ })
  await row.waitFor()
  // The step, who is here now, who came, went on and ended.
  assert.deepEqual((await row.getByRole('cell').allInnerTexts()).slice(1), ['2', '2', '0', '0'])
  const told = page.getByRole('region', { name: 'The explanation' })
  await told.getByText('Came in, in version 1', { exact: true }).waitFor()
  await told.getByText('Moved to version 2', { exact: true }).waitFor()
  await told.getByText('Moved to version 3', { exact: true }).waitFor()
  assert.equal(await told.getByText(/on to/i).count(), 0)
  await told.getByRole('link', { name: 'This way by itself' }).click()
  const trace = page.getByRole('table', { name: 'Step by step' })
  await trace.getByText('Moved to version 3', { exact: true }).waitFor()
  await page.goto(`${world.instance.baseUrl}/app/default/automations/${id}?version=3`)
  await page.getByText('Version 3, and its people alone; 2 of them came along from older ones').waitFor()
  // What somebody else publishes meanwhile can be chosen, too.
  await world.site('PATCH', `/automations/${id}`, { definition: waiting(5) })
  await world.site('POST', `/automations/${id}/publish`, { inside: 'move' })
  await standIn(4)
  await page.getByLabel('Version', { exact: true }).locator('option[value="4"]').waitFor({ state: 'attached' })
  await page.goto(`${world.instance.baseUrl}/app/default/automations/${id}/edit`)
  await page.getByRole('treeitem', { name: /^Wait.*0 passed.*2 here/ }).waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('a way is told by the steps and rules that it went by, whatever later versions made of them', {
  skip,
}, async () => {
  const steps = (above: number, rest: object) => ({
    ...EMPTY,
    enter: { on: [{ event: 'told.began' }] },
    start: 'who',
    nodes: {
      who: {
        type: 'branch',
        ways: [
          { if: { combinator: 'and', rules: [{ field: 'event.total', operator: '>', value: above }] }, to: 'end' },
        ],
        else: Object.keys(rest)[0],
      },
      ...rest,
    },
  })
  const id = await made('Told as it was', steps(24, { rest: { type: 'delay', days: 2, to: 'end' } }))
  await world.site('POST', `/automations/${id}/activate`)
  const { json: ada } = await world.site('POST', '/contacts', { email: 'ada.was@example.com' })
  const { baseUrl, token } = world.instance
  const events = [{ action: 'told.began', email: 'ada.was@example.com', properties: { total: 20 } }]
  await send('POST', `${baseUrl}/api/events`, { token, json: { events } })
  await standAt(id, 'rest')
  await world.site('PATCH', `/automations/${id}`, {
    definition: steps(99, { pause: { type: 'delay', days: 9, to: 'end' } }),
  })
  await world.site('POST', `/automations/${id}/publish`, { inside: 'move', map: { rest: 'pause' } })
  await standAt(id, 'pause')
  const { page, faults, close } = await world.open(`/app/default/automations/${id}?contact=${ada.id}`)
  const told = page.getByRole('region', { name: 'The explanation' })
  await told.getByText('Does not hold: the event’s total is more than 24').waitFor()
  await told.getByText('Everybody else, on to Wait: 2 days').waitFor()
  await told.getByText('Moved to version 2, to Wait: 9 days', { exact: true }).waitFor()
  await told.getByText('Now at “Wait: 9 days”').waitFor()
  // The step that is no more keeps its numbers, behind a button once nobody stands there.
  const table = page.getByRole('table', { name: 'Steps' })
  await table.getByRole('row', { name: /^Wait 9 days/ }).waitFor()
  assert.equal(await table.getByText('Of an older version').count(), 0)
  await page.getByRole('button', { name: 'And 1 step of older versions' }).click()
  const gone = table.getByRole('row', { name: /^Wait: 2 days/ })
  assert.deepEqual((await gone.getByRole('cell').allInnerTexts()).slice(1), ['0', '1', '1', '0'])
  await told.getByRole('link', { name: 'This way by itself' }).click()
  const trace = page.getByRole('table', { name: 'Step by step' })
  await trace.getByText('Does not hold: the event’s total is more than 24').waitFor()
  const row = trace.getByRole('row', { name: /^Wait: 2 days.*Moved to version 2, to Wait: 9 days/ })
  await row.waitFor()
  await trace.getByText('Everybody else, on to Wait: 2 days').waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('publishing names steps by what they do for those who stand there, from top to bottom, and says that it is paused', {
  skip,
}, async () => {
  const resting = (nodes: object) => ({ ...EMPTY, start: Object.keys(nodes)[0], nodes })
  const id = await made('Stayed behind', resting({ zz: { type: 'delay', days: 2, to: 'end' } }))
  await world.site('POST', `/automations/${id}/activate`)
  const { json: added } = await world.site('POST', '/contacts', { email: 'ada.behind@example.com' })
  await world.site('POST', `/automations/${id}/enroll`, { contactIds: [added.id] })
  await standAt(id, 'zz')
  const next = { z: { type: 'delay', days: 9, to: 'y' }, y: { type: 'delay', days: 5, to: 'end' } }
  await world.site('PATCH', `/automations/${id}`, { definition: resting(next) })
  await world.site('POST', `/automations/${id}/publish`, { inside: 'stay' })
  const last = { ...next, y: { type: 'delay', days: 5, to: 'a' }, a: { type: 'tag', add: ['kept'], to: 'end' } }
  await world.site('PATCH', `/automations/${id}`, { definition: resting(last) })
  await world.site('POST', `/automations/${id}/pause`)
  const { page, faults, close } = await world.open(`/app/default/automations/${id}/edit?node=z`)
  await settled(page)
  const choices = (label: RegExp) => page.getByLabel(label).locator('option').allInnerTexts()
  await page.getByRole('treeitem', { name: /^Wait 9 days/ }).click()
  assert.deepEqual(await choices(/^Then$/), ['The end', 'Wait: 5 days', 'Tags: add kept'])
  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^It is paused, and stays so/).waitFor()
  await dialog.getByRole('cell', { name: 'Wait: 2 days' }).waitFor()
  // Of what is in force nothing is removed.
  assert.deepEqual(await linesOf(dialog.getByRole('list', { name: 'Changes' })), [
    'New: Tags: add kept.',
    'Changed: Wait: 5 days (what follows).',
  ])
  await dialog.getByRole('radio', { name: /Come along/ }).check()
  await dialog.getByLabel('Where those at Wait: 2 days go on').waitFor()
  assert.deepEqual((await choices(/^Where those at/)).slice(3), [
    'At: Wait: 9 days',
    'At: Wait: 5 days',
    'At: Tags: add kept',
  ])
  assert.deepEqual(faults, [])
  await close()
})
