import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { holdRequests } from './hold-requests.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * What is made of a text while it is written says what its page says, and goes to whom its page says.
 */

const skip = WITHOUT_BROWSER
const BODY = '<p>Old words. <a href="{{ unsubscribe_url }}">Unsubscribe</a></p>'

let world: World
let segments: string[]
before(async () => {
  if (skip) return
  world = await openWorld()
  segments = []
  for (const name of ['Customers', 'Colleagues']) {
    const definition = JSON.stringify({
      combinator: 'and',
      rules: [{ field: 'first_name', operator: '=', value: name }],
    })
    segments.push(String((await world.site('POST', '/segments', { name, definition })).json.id))
  }
})
after(() => world?.close())

const broadcast = async (id: string) => (await world.site('GET', `/broadcasts/${id}`)).json
const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1)!

async function draftFor(audience: object): Promise<string> {
  const { id } = (await world.site('POST', '/broadcasts', { name: 'News', subject: 'Old subject', body: BODY })).json
  await world.site('PUT', `/broadcasts/${id}/audience`, audience)
  return id
}

async function choose(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

test('a template that is sent as a broadcast says what it says on its page', { skip }, async () => {
  const { id } = (await world.site('POST', '/templates', { name: 'Letter', subject: 'Old subject', body: BODY })).json
  const { page, close } = await world.open(`/app/default/templates/${id}`)
  await settled(page)
  await page.getByLabel('Subject').fill('A subject that is saved')
  await page.getByText(/^Saved/).waitFor()
  await eventually('it is saved', async () => {
    const { json } = await world.site('GET', `/templates/${id}`)
    return json.subject === 'A subject that is saved'
  })
  await page.getByLabel('Name', { exact: true }).fill('Typed a moment ago')
  await choose(page, 'Send as a broadcast')
  await page.waitForURL(/\/broadcasts\/\d+$/)
  const { name, subject } = await broadcast(idOf(page))
  assert.deepEqual({ name, subject }, { name: 'Typed a moment ago', subject: 'A subject that is saved' })
  await close()
})

test('a copy of a draft has its words and its audience from the first moment', { skip }, async () => {
  const audience = { segmentIds: [segments[0]!], excludedSegmentIds: [segments[1]!] }
  const id = await draftFor(audience)
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  // A second request for the audience would not arrive.
  await page.route(/\/audience$/, (route) => route.abort())
  await page.getByLabel('Subject').fill('Typed a moment ago')
  await choose(page, 'Duplicate')
  const copies = async () =>
    (await world.site('GET', '/broadcasts?search=News%20(copy)')).json.items as { id: string }[]
  await eventually('there is a copy', async () => (await copies()).length === 1)
  const { subject, segmentIds, excludedSegmentIds } = await broadcast((await copies())[0]!.id)
  assert.deepEqual({ subject, segmentIds, excludedSegmentIds }, { subject: 'Typed a moment ago', ...audience })
  await close()
})

test('a draft whose integration is gone shows that, and all else of it is saved', { skip }, async () => {
  const id = await draftFor({ segmentIds: [] })
  await throughGone(id)
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  const way = page.getByLabel('Goes through')
  await way.locator('option:checked', { hasText: 'An integration that is gone' }).waitFor({ state: 'attached' })
  await page.getByLabel('Subject').fill('A subject of today')
  await eventually('it is saved', async () => (await broadcast(id)).subject === 'A subject of today')
  await way.selectOption({ label: 'The default integration' })
  await eventually('it goes another way', async () => (await broadcast(id)).integrationId === null)
  assert.deepEqual(faults, [])
  await close()
})

test('a copy is made without what is gone since, and says what that was and whom it goes to', { skip }, async () => {
  const name = `${'n'.repeat(192)}😀 more`
  const { id } = (await world.site('POST', '/broadcasts', { name, subject: 'Of old', body: BODY })).json
  await throughGone(id)
  // As of a broadcast that went out long ago.
  await world.instance.sql(
    'update broadcasts set topic_id = 99999, segment_ids = $2, excluded_segment_ids = $3 where id = $1',
    [...[id, '{99998}', `{${segments[1]},99997}`]],
  )
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await choose(page, 'Duplicate')
  await page.waitForURL((url) => /\/broadcasts\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${id}`))
  const words = [
    'A copy without what is gone: the integration it went through, its topic, 1 segment that it went to, 1 segment that was left out.',
    'It goes to others now: as it is, to everybody.',
  ].join(' ')
  await page.getByRole('region', { name: 'Messages' }).getByText(words).waitFor()
  const copy = await broadcast(idOf(page))
  assert.deepEqual(
    [copy.name, copy.subject, copy.integrationId, copy.topicId, copy.segmentIds, copy.excludedSegmentIds],
    [`${'n'.repeat(192)} (copy)`, 'Of old', null, null, [], [segments[1]]],
  )
  await close()
})

/** Leads it through an integration that is deleted then. */
async function throughGone(id: string): Promise<void> {
  const config = { kind: 'smtp', host: '127.0.0.1', port: 1, tls: 'none', from: 'news@sender.example' }
  const { json } = await world.site('POST', '/integrations', { name: 'Old relay', config })
  await world.site('PATCH', `/broadcasts/${id}`, { integrationId: json.id })
  await world.site('DELETE', `/integrations/${json.id}`)
}

test('whom a draft leaves out is saved beside whom it goes to, also after the server was away', { skip }, async () => {
  const [customers, colleagues] = segments as [string, string]
  const id = await draftFor({ segmentIds: [customers] })
  const { page, context, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await context.setOffline(true)
  await page.getByRole('group', { name: 'But not to' }).getByLabel('Colleagues').check()
  await page.getByText(/^The server is away/).waitFor()
  await page.close()
  await context.setOffline(false)
  const again = await context.newPage()
  await again.goto(`/app/default/broadcasts/${id}`)
  await eventually('it is saved', async () => (await broadcast(id)).excludedSegmentIds.length === 1)
  const { segmentIds, excludedSegmentIds } = await broadcast(id)
  assert.deepEqual({ segmentIds, excludedSegmentIds }, { segmentIds: [customers], excludedSegmentIds: [colleagues] })
  await close()
})

test('the last look before sending names whom it goes to, of the draft that was saved and no other', {
  skip,
}, async () => {
  const contacts = ['Customers', 'Colleagues'].flatMap((firstName) =>
    [1, 2].map((n) => ({ email: `${firstName.toLowerCase()}${n}@audience.example`, firstName })),
  )
  await world.site('POST', '/contacts/batch', { contacts })
  const id = await draftFor({ segmentIds: [segments[0]!] })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  const dialog = page.getByRole('dialog')
  const fact = (name: string) => dialog.locator('dl > div').filter({ hasText: new RegExp(`^${name}`) })
  const goesTo = page.getByRole('group', { name: 'Goes to' })
  await page.getByText('would get it now').waitFor()

  // As many others: what was counted before the change is no number of theirs.
  const look = await holdRequests(page, 'GET', '/broadcasts/*/preflight')
  await goesTo.getByLabel('Colleagues').check()
  await goesTo.getByLabel('Customers').uncheck()
  await page.getByRole('button', { name: 'Send…' }).click()
  await fact('Goes to').getByText('Its people are being counted').waitFor()
  const unknown = dialog.getByRole('button', { name: 'Send to its audience' })
  assert.equal(await unknown.isDisabled(), true)
  await look.letGo()
  await fact('Goes to').getByText('Colleagues (2 people)', { exact: true }).waitFor()

  // Somebody else chooses as many others, and leaves some out, while the dialog stands open.
  await world.site('PUT', `/broadcasts/${id}/audience`, {
    segmentIds: [segments[0]!],
    excludedSegmentIds: [segments[1]!],
  })
  await dialog.getByRole('button', { name: 'Send to 2 people' }).click()
  await dialog.getByText('It was changed since it was looked at: look at it again.').waitFor()
  assert.equal((await broadcast(id)).status, 'draft')
  await fact('Goes to').getByText('Customers (2 people)', { exact: true }).waitFor()
  await fact('But not to').getByText('Colleagues', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Send to 2 people' }).click()
  await page.getByRole('region', { name: 'Everybody' }).waitFor()
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('409')),
    [],
  )
  await close()
})

test('a plan names whom it goes to, before it is made and after', { skip }, async () => {
  const { json: topic } = await world.site('POST', '/topics', { name: 'Monthly letter' })
  const id = await draftFor({ segmentIds: segments })
  await world.site('PATCH', `/broadcasts/${id}`, { topicId: topic.id })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByLabel('It starts').selectOption('at')
  await page.getByLabel(/^Date and time/).fill('2036-12-31T09:30')
  await page.getByRole('button', { name: 'Schedule…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Customers, Colleagues \(\d people\)$/).waitFor()
  await dialog.getByText('Monthly letter', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click()
  await page.getByText(/^It is scheduled and starts by itself/).waitFor()
  const audience = page.getByRole('region', { name: 'Audience' })
  await audience.getByText(/^Customers, Colleagues \(\d people\)$/).waitFor()
  await audience.getByText('Monthly letter', { exact: true }).waitFor()
  assert.deepEqual(faults, [])
  await close()
})

test('while nobody can say whom it goes to nothing is sent, and the last look says so until it can be told', {
  skip,
}, async () => {
  const id = await draftFor({ segmentIds: [segments[0]!] })
  const { page, close } = await world.open('/healthz')
  const look = '**/site/workspaces/*/broadcasts/*/preflight'
  const body = JSON.stringify({ status: 500, title: 'An error of the server', code: 'internal' })
  await page.route(look, (route) => route.fulfill({ status: 500, contentType: 'application/problem+json', body }))
  await page.goto(`/app/default/broadcasts/${id}`)
  await page.getByText('The people could not be counted.').waitFor()
  await page.getByRole('button', { name: 'Send…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Whom it goes to could not be looked up.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Send to its audience' }).isDisabled(), true)
  await page.unroute(look)
  await dialog.getByRole('button', { name: 'Look again' }).click()
  await dialog.getByText(/^Customers \(\d people\)$/).waitFor()
  assert.equal(await dialog.getByRole('button', { name: /^Send to \d people$/ }).isEnabled(), true)
  await close()
})

test('of more segments than are listed those that are chosen are seen, and others are found by their name', {
  skip,
}, async () => {
  await world.instance.sql(
    `insert into segments (workspace_id, name, definition) select 1, 'Season ' || n, '' from generate_series(1, 205) n`,
  )
  const named = async (name: string) => (await world.site('GET', `/segments?search=${name}`)).json.items[0].id
  const id = await draftFor({
    segmentIds: [await named('Season%20204')],
    excludedSegmentIds: [await named('Season%20205')],
  })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  const choice = (legend: string, name: string) =>
    page.getByRole('group', { name: legend }).getByLabel(name, { exact: true })
  assert.equal(await choice('Goes to', 'Season 204').isChecked(), true)
  assert.equal(await choice('But not to', 'Season 205').isChecked(), true)
  await choice('But not to', 'Season 205').uncheck()
  await page.getByLabel('Find segments').fill('son 203')
  await choice('Goes to', 'Season 203').check()
  await page.getByLabel('Find segments').fill('')
  await choice('Goes to', 'Customers').waitFor()
  assert.equal(await choice('Goes to', 'Season 203').isChecked(), true)
  await eventually('all of it is saved', async () => {
    const { segmentIds, excludedSegmentIds } = await broadcast(id)
    return segmentIds.length === 2 && excludedSegmentIds.length === 0
  })
  assert.deepEqual(faults, [])
  await close()
})

test('the segments that a draft goes to are in sight when it is opened, however many there are before them', {
  skip,
}, async () => {
  await world.instance.sql(
    `insert into segments (workspace_id, name, definition) select 1, 'Autumn ' || n, '' from generate_series(1, 20) n`,
  )
  const { json } = await world.site('GET', '/segments?pageSize=200')
  const [to, notTo] = json.items.slice(-2)
  const id = await draftFor({ segmentIds: [to.id], excludedSegmentIds: [notTo.id] })
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  for (const [legend, { name }] of [
    ['Goes to', to],
    ['But not to', notTo],
  ]) {
    const chosen = page.getByRole('group', { name: legend }).getByLabel(name, { exact: true })
    assert.equal(await chosen.isChecked(), true)
    const isInSight = await chosen.evaluate((input) => {
      const box = input.closest('fieldset > div')!
      return input.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom
    })
    assert.equal(isInSight, true, legend)
  }
  await close()
})
