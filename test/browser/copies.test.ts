import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
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
