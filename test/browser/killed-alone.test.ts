import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { startAloneInstance } from '../support/tested-instance.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * `npm start` as one has it at first, with the database that it brings, killed by `kill -9` and started again under pages that
 * are open: what was typed is saved, what was pressed is done once, and nobody has to log in again.
 */

const PEOPLE = 40
const BODY = '<p>Hello. <a href="{{ unsubscribe_url }}">No more</a></p>'
const AWAY = 'The server is away. Kept in this browser, tried again'
const skip = WITHOUT_BROWSER

let world: World
let isDead = false
before(async () => {
  if (skip) return
  world = await openWorld({}, startAloneInstance)
  const contacts = Array.from({ length: PEOPLE }, (_, n) => ({ email: `reader${n}@example.com` }))
  await world.site('POST', '/contacts/batch', { contacts })
})
// A test that fails in between leaves the others a server.
afterEach(() => (isDead ? startAgain() : undefined))
after(() => world?.close())

async function kill(): Promise<void> {
  isDead = true
  await world.instance.kill()
}

async function startAgain(more: Record<string, string> = {}): Promise<void> {
  await world.instance.startAgain(more)
  isDead = false
}

const read = async (path: string) => (await world.site('GET', path)).json
const drafted = async (subject: string): Promise<string> =>
  (await world.site('POST', '/broadcasts', { name: subject, subject, body: BODY })).json.id
const saved = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^Saved/ })
    .first()
    .waitFor()

/** Nothing but that the server was away, or said so: never that nobody is logged in. */
function assertNothingElse(faults: readonly string[]): void {
  const away = /^console: Failed to load resource: (?:net::ERR_|.* status of 503)/
  assert.deepEqual(
    faults.filter((fault) => !away.test(fault)),
    [],
  )
}

test('subject and text of a broadcast that are typed over a kill are both saved, character for character', {
  skip,
}, async () => {
  const id = await drafted('Both')
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByLabel('Subject').press('End')
  await page.keyboard.type(' are')
  await kill()
  await page.keyboard.type(' typed')
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await page.getByRole('textbox', { name: 'Mail, MJML or HTML with Liquid' }).click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type(', no blocks, ünder “it”')
  await page.getByText(AWAY).waitFor()
  await startAgain()
  await page.keyboard.type(' & more')
  await saved(page)
  const typed = async () => {
    const { subject, body } = await read(`/broadcasts/${id}`)
    return [subject, body]
  }
  await eventually('both are saved', async () => String((await typed())[1]).endsWith(' & more'))
  assert.deepEqual(await typed(), ['Both are typed', `${BODY}, no blocks, ünder “it” & more`])
  assertNothingElse(faults)
  await close()
})

/** Everybody has the mail, once; the bar of the page adds up, and offers nothing that would send it again. */
async function isSentOnce(page: Page, subject: string): Promise<void> {
  await page.getByRole('region', { name: 'Everybody' }).getByText(`Adds up to ${PEOPLE}.`).waitFor()
  await page.locator('main').getByText('Sent', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Send…' }).count(), 0)
  const [found] = await world.instance.sql<{ mails: number; people: number }>(
    `select count(*)::int as mails, count(distinct recipients)::int as people from caught_mails where subject = $1`,
    [subject],
  )
  assert.deepEqual(found, { mails: PEOPLE, people: PEOPLE })
}

test('a send over whose answer the process dies is carried out once, and the page goes on to it by itself', {
  skip,
}, async () => {
  const id = await drafted('Unanswered')
  const { page, faults, close } = await world.open(`/app/default/broadcasts/${id}`)
  await settled(page)
  await page.getByRole('button', { name: 'Send…' }).click()
  const button = page.getByRole('dialog').getByRole('button', { name: `Send to ${PEOPLE} people` })
  await button.waitFor()
  await kill()
  // So patient that a request may be under way for some seconds after its process died.
  await startAgain({ POSTROOM_CRASH_POINT: 'key_before_answer', POSTROOM_PATIENCE: '4' })
  const { status } = await read(`/broadcasts/${id}`)
  assert.equal(status, 'draft')
  await button.click()
  isDead = true
  await world.instance.dies()
  await startAgain()
  // It is sent again under its key by itself for some time, and then by whoever presses.
  await eventually('the dialog has gone', async () => {
    await button.click({ timeout: 2_000 }).catch(() => undefined)
    return (await page.getByRole('dialog').count()) === 0
  })
  await isSentOnce(page, 'Unanswered')
  assertNothingElse(faults.filter((fault) => !fault.includes('status of 409')))
  await close()
})
