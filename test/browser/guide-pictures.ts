import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { pictureAutomations } from './automation-pictures.ts'
import { openWorld, settled } from './world.ts'

/*
 * `npm run pictures`: the walks of docs/guides/first-newsletter.md and automations.md through the real pages, on a fresh
 * workspace, and a picture at each of their steps. A page that no longer fits the words of a guide ends it with an error.
 * `npm run pictures -- automations` takes those of one.
 */

const ROOT = path.join(import.meta.dirname, '..', '..')
const PICTURES = path.join(ROOT, 'docs', 'guides', 'pictures')
const SAMPLE = path.join(ROOT, 'docs', 'examples', 'contacts.csv')
const WIDTH = 1_120
const HEIGHT = 720

const wanted = process.argv[2]
const world = await openWorld()
const { page } = await world.open('/healthz', { width: WIDTH })
await page.setViewportSize({ width: WIDTH, height: HEIGHT })

const button = (name: string | RegExp, on: Page | Locator = page) => on.getByRole('button', { name })

/** Keeps what the window shows, with `at` brought into sight. */
async function picture(name: string, at?: Locator): Promise<void> {
  await at?.scrollIntoViewIfNeeded()
  await page.mouse.move(0, 0)
  await page.screenshot({ path: path.join(PICTURES, `${name}.png`) })
  console.log(name)
}

async function goTo(where: string): Promise<void> {
  await page.goto(`/app/default${where}`)
  await settled(page)
  // The band above every page comes with a script of its own.
  await page.getByRole('complementary', { name: 'Mail stays here' }).waitFor()
}

try {
  if (wanted === undefined) await rm(PICTURES, { recursive: true, force: true })
  await mkdir(PICTURES, { recursive: true })
  await world.site('PATCH', '', { name: 'Fernwood' })
  await world.site('PATCH', '/sending-settings', { postalAddress: 'Fernwood, 12 Mill Lane, Bristol' })
  await world.people.call('PATCH', '/site/auth/me', { cookie: world.cookie, json: { name: 'Ada' } })
  if (wanted !== 'automations') {
    await seeAMailArrive()
    await bringContacts()
    await makeASegment()
    await writeIt()
    await sendIt()
    await readTheReport()
  }
  if (wanted !== 'first-newsletter') await pictureAutomations({ world, page, picture, goTo })
} finally {
  await world.close()
}

async function seeAMailArrive(): Promise<void> {
  await goTo('')
  await picture('overview')
  await button('Send me one').click()
  await page.getByText('1 of 6').waitFor()
  await page.goto('/app/mailbox')
  await eventually('the mail is in the mailbox', async () => {
    await page.reload()
    return (await page.getByText('No mail yet.').count()) === 0
  })
  await picture('mailbox')
}

async function bringContacts(): Promise<void> {
  await goTo('/contacts/imports/new')
  await page.locator('input[type=file]').setInputFiles(SAMPLE)
  await page.locator('h1', { hasText: 'contacts.csv' }).waitFor()
  await settled(page)
  await picture('import-columns')
  await page.getByRole('radio', { name: /Yes, everybody in it agreed/ }).check()
  await button('Import').click()
  await page.getByText('Done', { exact: true }).waitFor()
  await settled(page)
  await picture('import-done')
}

async function makeASegment(): Promise<void> {
  await goTo('/segments/new')
  await page.getByLabel('Field of rule 1').selectOption({ label: 'plan' })
  await page.getByLabel('Value of rule 1', { exact: true }).fill('pro')
  await page.getByLabel('Name', { exact: true }).fill('On the pro plan')
  await page.getByText(/^[\d,]+ contacts$/).waitFor()
  await picture('segment')
  await button('Create segment').click()
  await page.getByRole('heading', { name: 'On the pro plan', level: 1 }).waitFor()
}

async function writeIt(): Promise<void> {
  await page.getByRole('link', { name: 'Write to them' }).click()
  await page.getByText('It goes to the segment “On the pro plan”.').waitFor()
  await page.getByLabel('Name').fill('November letter')
  await page.frameLocator('main iframe >> nth=2').locator('a, p, td').first().waitFor()
  await settled(page)
  await picture('gallery')
  await button('Begin with this: Monthly letter').click()
  await page.getByRole('heading', { name: 'November letter', level: 1 }).waitFor()
  await page.frameLocator('iframe[title="The mail"]').locator('a, p, td').first().waitFor()
  await page.getByText(/^Saved/).waitFor()
  await settled(page)
  await picture('compose')
}

async function sendIt(): Promise<void> {
  await button('Send…').click()
  await button(/^Send to [\d,]+ /, page.getByRole('dialog')).waitFor()
  await settled(page)
  await picture('send')
  const dialog = page.getByRole('dialog')
  // Sending to many asks for their number, typed.
  const typed = dialog.locator('label code')
  if ((await typed.count()) > 0) await dialog.getByRole('textbox').fill((await typed.textContent()) ?? '')
  await button(/^Send to /, dialog).click()
  await page.getByRole('region', { name: 'Everybody' }).waitFor()
}

async function readTheReport(): Promise<void> {
  await page.getByText('Adds up to').waitFor()
  await page.locator('main').getByText('Sent', { exact: true }).waitFor()
  await settled(page)
  await picture('report')
  await page.getByRole('link', { name: 'Recipients' }).click()
  await page.getByRole('link', { name: 'Why?' }).first().click()
  await page.getByText(/^The mail server took it/).waitFor()
  await settled(page)
  await picture('why')
}
