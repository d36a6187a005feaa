import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { BODY, draftsOf } from './automation-edits.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * The server is killed, `kill -9`, while somebody writes and while somebody sends: nothing that was typed is lost, nothing is
 * said of others that was one's own doing, and nobody gets anything twice.
 */

const PEOPLE = 120
/** So slow that a broadcast is under way when the server dies, and over soon after. */
const PER_SECOND = 30
const AWAY = 'The server is away. Kept in this browser, tried again'
const THEIRS = /Somebody else has changed this/
const skip = WITHOUT_BROWSER

let world: World
before(async () => {
  if (skip) return
  world = await openWorld()
  const contacts = Array.from({ length: PEOPLE }, (_, n) => ({ email: `reader${n}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts })
  const [mailbox] = (await world.site('GET', '/integrations')).json.items
  await world.site('PATCH', `/integrations/${mailbox.id}`, { maxPerSecond: PER_SECOND })
})
let isDead = false
async function kill(): Promise<void> {
  isDead = true
  await world.instance.kill()
}
async function startAgain(): Promise<void> {
  await world.instance.startAgain()
  isDead = false
}
// A test that fails in between leaves the others a server.
afterEach(() => (isDead ? startAgain() : undefined))
after(() => world?.close())

const { made, definitionOf } = draftsOf(() => world)

const drafted = async (kind: 'broadcasts' | 'templates', name: string): Promise<string> =>
  (await world.site('POST', `/${kind}`, { name, subject: 'Hello', body: BODY })).json.id
const read = async (path: string) => (await world.site('GET', path)).json

/** Has the server carry out the first such request, and die before anybody hears of it. */
async function dieBehind(page: Page, method: string, path: string): Promise<() => Promise<void>> {
  let died: () => void = () => undefined
  const dead = new Promise<void>((resolve) => {
    died = resolve
  })
  let isFirst = true
  await page.route(path, async (route) => {
    if (route.request().method() !== method || !isFirst) return route.fallback()
    isFirst = false
    await route.fetch()
    await kill()
    await route.abort('connectionreset')
    died()
  })
  return () => dead
}

/** Nothing but that the server was away. */
function assertNothingElse(faults: readonly string[]): void {
  assert.deepEqual(
    faults.filter((fault) => !fault.startsWith('console: Failed to load resource: net::ERR_')),
    [],
  )
}

const saved = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved/ })
    .first()
    .waitFor()

test('what is typed while the server is dead is on the page, is saved when it is back, and is there after a reload', {
  skip,
}, async () => {
  const id = await drafted('broadcasts', 'In mid-edit')
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByLabel('Subject').press('End')
  await page.keyboard.type(', before')
  await kill()
  await page.keyboard.type(' and after')
  await page.getByText(AWAY).waitFor()
  assert.equal(await page.getByLabel('Subject').inputValue(), 'Hello, before and after')
  await startAgain()
  await saved(page)
  assert.equal((await read(`/broadcasts/${id}`)).subject, 'Hello, before and after')
  await page.reload()
  await settled(page)
  assert.equal(await page.getByLabel('Subject').inputValue(), 'Hello, before and after')
  assertNothingElse(faults)
  await close()
})

test('a page that is reloaded while the server is dead brings back what was typed', { skip }, async () => {
  const id = await drafted('broadcasts', 'Closed in between')
  const { page, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await kill()
  await page.getByLabel('Subject').fill('Kept in the browser')
  await page.getByText(AWAY).waitFor()
  await page.close({ runBeforeUnload: false })
  await startAgain()
  const again = await page.context().newPage()
  await again.goto(`/app/default/broadcasts/${id}`)
  await settled(again)
  assert.equal(await again.getByLabel('Subject').inputValue(), 'Kept in the browser')
  await saved(again)
  assert.equal((await read(`/broadcasts/${id}`)).subject, 'Kept in the browser')
  await close()
})

test('a save whose answer died with the server is one’s own: what is typed on top of it goes in, and nobody else is named', {
  skip,
}, async () => {
  const id = await drafted('templates', 'Unanswered')
  const { page, faults, close } = await world.open(`/app/default/templates/${id}`)
  await settled(page)
  const dead = await dieBehind(page, 'PATCH', '**/site/workspaces/default/templates/*')
  await page.getByLabel('Subject').fill('First')
  await dead()
  await page.getByLabel('Subject').fill('First and second')
  await page.getByText(AWAY).waitFor()
  await startAgain()
  await saved(page)
  assert.equal(await page.getByText(THEIRS).count(), 0)
  assert.equal((await read(`/templates/${id}`)).subject, 'First and second')
  await page.reload()
  await settled(page)
  assert.equal(await page.getByLabel('Subject').inputValue(), 'First and second')
  assertNothingElse(faults.filter((fault) => !fault.includes('412')))
  await close()
})

test('what somebody else writes after a save that died unanswered is told, and not written over', {
  skip,
}, async () => {
  const id = await drafted('templates', 'Two of us')
  const { page, close } = await world.open(`/app/default/templates/${id}`)
  await settled(page)
  const dead = await dieBehind(page, 'PATCH', '**/site/workspaces/default/templates/*')
  await page.getByLabel('Subject').fill('Mine')
  await dead()
  await startAgain()
  await world.site('PATCH', `/templates/${id}`, { subject: 'Theirs' })
  await page.getByLabel('Subject').fill('Mine again')
  await page.getByText(THEIRS).waitFor()
  assert.equal((await read(`/templates/${id}`)).subject, 'Theirs')
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await saved(page)
  assert.equal((await read(`/templates/${id}`)).subject, 'Mine again')
  await close()
})

test('a step that is added to an automation while the server is dead is in its draft when it is back', {
  skip,
}, async () => {
  const id = await made('In mid-build')
  const { page, faults, close } = await world.open(`/app/default/automations/${id}/edit`)
  await settled(page)
  await kill()
  await page.getByRole('button', { name: 'Add a step behind: People come in', exact: true }).first().click()
  await page.getByLabel('What is to happen').fill('wait')
  await page.keyboard.press('Enter')
  await page.getByLabel('Wait for').fill('3')
  await page.getByText(AWAY).waitFor()
  await startAgain()
  await saved(page)
  assert.deepEqual(
    Object.values((await definitionOf(id)).nodes).map(({ type }) => type),
    ['delay'],
  )
  assertNothingElse(faults)
  await close()
})

/**
 * Waits for the end of a broadcast on its page, which was open all the time, and holds it to the mails: each person has one
 * at most, and whoever has none was at the very server that died, which is told as uncertain and not tried again.
 */
async function endsWell(page: Page, subject: string): Promise<void> {
  await page.getByRole('region', { name: 'Everybody' }).getByText(`Adds up to ${PEOPLE}.`).waitFor()
  await page.locator('main').getByText('Sent', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send…' }).count(), 0)
  const [found] = await world.instance.sql<{ mails: number; people: number; told: number; silent: number }>(
    `with sent as (
      select m.destination, m.state from messages m join broadcasts b on m.source_kind = 'broadcast' and m.source_id = b.id
      where b.subject = $1
    ), caught as (select unnest(recipients) as destination from caught_mails where subject = $1)
    select (select count(*)::int from caught) as mails, (select count(distinct destination)::int from caught) as people,
      (select count(*)::int from sent where state in ('accepted', 'uncertain')) as told,
      (select count(*)::int from sent where state <> 'uncertain' and destination not in (select destination from caught)) as silent`,
    [subject],
  )
  assert.equal(found!.mails, found!.people)
  assert.deepEqual([found!.told, found!.silent], [PEOPLE, 0])
}

test('a broadcast whose sending was told to nobody, as the server died, goes to each person once', {
  skip,
}, async () => {
  const id = await drafted('broadcasts', 'In mid-send')
  await world.site('PATCH', `/broadcasts/${id}`, { subject: 'Sent unheard' })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Send…' }).click()
  const dialog = page.getByRole('dialog')
  const dead = await dieBehind(page, 'POST', '**/site/workspaces/default/broadcasts/*/send')
  await dialog.getByRole('button', { name: `Send to ${PEOPLE} people` }).click()
  await dead()
  await dialog.getByRole('alert').waitFor()
  await startAgain()
  // Whoever does not know whether it was sent presses again: it is the same act.
  const again = dialog.getByRole('button', { name: `Send to ${PEOPLE} people` })
  await again.click({ timeout: 10_000 }).catch(() => undefined)
  await dialog.waitFor({ state: 'detached' })
  await endsWell(page, 'Sent unheard')
  assertNothingElse(faults)
  await close()
})

test('a broadcast is watched while the server dies under it: the page goes on by itself, and the sums are right', {
  skip,
}, async () => {
  const id = await drafted('broadcasts', 'Under way')
  await world.site('PATCH', `/broadcasts/${id}`, { subject: 'Sent in two' })
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Send…' }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Send to ${PEOPLE} people` })
    .click()
  await page.getByRole('region', { name: 'Everybody' }).waitFor()
  await eventually('some have it', async () => {
    const [row] = await world.instance.sql<{ n: number }>(
      `select count(*)::int as n from caught_mails where subject = 'Sent in two'`,
    )
    return row!.n > 0
  })
  await kill()
  await startAgain()
  await endsWell(page, 'Sent in two')
  assertNothingElse(faults)
  await close()
})
