import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { openWorld, type World } from './world.ts'

const skip = WITHOUT_BROWSER
/** Longer than the list waits before it looks again. */
const A_WHILE_MS = 6_000

let world: World
before(async () => {
  if (!skip) world = await openWorld()
})
after(() => world?.close())

async function arrives(subject: string): Promise<string> {
  const [row] = await world.instance.sql<{ id: string }>(
    `insert into caught_mails (workspace_id, mail_from, recipients, subject, from_text, to_text, raw, bytes, received_at)
     values (1, '', '{ada@example.com}', $1, 'Shop', 'Ada', 'Subject: x\r\n\r\nx', 14, now()) returning id`,
    [subject],
  )
  return row!.id
}

/** The list as somebody has it open, whose time passes by hand. */
async function openList() {
  const shown = await world.open('/app/mailbox/default', { before: (page) => page.clock.install() })
  await shown.page.getByRole('heading', { name: 'Mailbox' }).waitFor()
  return shown
}

test('what comes is listed by itself, and the focus stays on the mail that has it', { skip }, async () => {
  await arrives('The first')
  const { page, close } = await openList()
  const first = page.getByRole('link', { name: 'The first' })
  await first.focus()
  await arrives('The second')
  await eventually('the second is listed', async () => {
    await page.clock.runFor(A_WHILE_MS)
    return (await page.getByRole('link', { name: 'The second' }).count()) === 1
  })
  assert.ok(await first.evaluate((link) => link.matches(':focus')))
  assert.match(await page.title(), /^Mailbox \(2\)/)
  await close()
})

test('who has chosen a mail gets to it, however long that takes', { skip }, async () => {
  const id = await arrives('A slow one')
  // By the browser's own clock: one of ours stands still while a page is on its way.
  const { page, close } = await world.open('/app/mailbox/default')
  const path = `/app/mailbox/default/${id}`
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(`**${path}`, async (route) => {
    asked.resolve()
    await released.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'A slow one' }).click({ noWaitAfter: true })
  await asked.promise
  const looked = page.waitForRequest('**/app/mailbox/default')
  await looked
  released.resolve()
  await page.waitForURL(`**${path}`)
  await close()
})

test('who types is not disturbed, and whose session has ended is led to the login', { skip }, async () => {
  const { page, close } = await openList()
  const search = page.getByRole('searchbox', { name: 'Search' })
  await search.fill('half a wo')
  await arrives('While somebody types')
  await page.clock.runFor(A_WHILE_MS)
  assert.equal(await search.inputValue(), 'half a wo')
  await search.fill('')
  await search.blur()
  await page.context().clearCookies()
  await eventually('the login is shown', async () => {
    await page.clock.runFor(A_WHILE_MS).catch(() => undefined)
    return page.url().includes('/app/login')
  })
  await close()
})
