import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { standsStill, waitForReads } from './layout-shift.ts'
import { allRows, pathOf, type Row, shareOfRun } from './route-rows.ts'
import { violationsOf } from './violations.ts'
import { openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * Pages by their rows: accessible in light and dark, at three widths without sideways scrolling, with no error in the
 * console and nothing that the policy refused, the same after a reload, standing still while they load, and whole for
 * somebody who may only read.
 */

/** Of the server, but nothing of the dashboard: where each page begins. */
const QUIET_PATH = '/healthz'
const WIDTHS = [360, 768, 1_280]
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const skip = WITHOUT_BROWSER
/** An answer of a server that has a fault. */
const FAULT = {
  status: 500,
  contentType: 'application/problem+json',
  body: '{"title":"Something is broken here","status":500,"code":"internal-error","requestId":"r-1"}',
}

/** Rules about colours: the rest is the same in the dark. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']
/** Instants as machines write them, in text that people read: not in what is told as code, or was made for a program. */
const RAW_INSTANTS = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!/\\d{4}-\\d\\d-\\d\\dT\\d\\d:/.test(node.data)) continue
    const parent = node.parentElement
    if (parent.closest('pre, code, dd, [role=textbox]') === null && parent.checkVisibility()) found.push(node.data)
  }
  return found
})()`
/** Of all that the page which is left shows. */
const LEFT = 'data-left'
/** Goes to an address as a link does, and says how much there is to leave. */
const follow = (path: string) => `(() => {
  const shown = document.querySelectorAll('main > *')
  for (const part of shown) part.setAttribute('${LEFT}', '')
  history.pushState({}, '', ${JSON.stringify(path)})
  return shown.length
})()`
/** Buttons and badges of which a part is not seen, sideways: cut off by what they stand in, or squeezed. */
export const CUT = `(() => {
  const holds = (one) => getComputedStyle(one).overflowX !== 'visible'
  return [...document.querySelectorAll('main :is(.button, .button-link, .badge)')]
    .filter((one) => one.checkVisibility())
    .filter((one) => {
      const { left, right } = one.getBoundingClientRect()
      if (one.scrollWidth > one.clientWidth + 1) return true
      for (let around = one.parentElement; around.localName !== 'main'; around = around.parentElement) {
        const box = around.getBoundingClientRect()
        if (holds(around) && (left < box.left - 1 || right > box.right + 1)) return true
      }
      return false
    })
    .map((one) => one.textContent)
})()`
const FITS = 'document.documentElement.scrollWidth === document.documentElement.clientWidth'

/** Holds the share of all pages that is a run's, or those whose name begins as `ROWS` says. */
export async function holdPages(): Promise<void> {
  const { ROWS: wanted } = process.env
  const all = await allRows()
  const rows = wanted === undefined ? shareOfRun(all) : all.filter(({ name }) => name.startsWith(wanted))
  // Hooks without a test would open a world that nobody closes.
  if (rows.length === 0) return
  let world: World
  // Each is led from row to row, and keeps what it has loaded, as a person's does.
  let [owner, viewer, unlucky]: LedPage[] = []
  const refused: string[] = []
  // What a page shows is made once, for the owner, and costs most of a look; who looks after them is led to the same place.
  const paths = new Map<string, string>()
  const placeOf = async (row: Row): Promise<string> => {
    const place = paths.get(row.name) ?? (await pathOf(row, world))
    paths.set(row.name, place)
    return place
  }
  before(async () => {
    if (skip) return
    world = await openWorld()
    const { cookie } = await world.people.person('Viewer', 'viewer')
    owner = await world.open(QUIET_PATH)
    await waitForReads(owner.page)
    viewer = await world.open(QUIET_PATH, { cookie })
    viewer.page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    unlucky = await world.open(QUIET_PATH)
    await unlucky.page.route(/\/site\/workspaces\/default\/./, (route) => route.fulfill(FAULT))
  })
  after(() => world?.close())

  for (const row of rows) {
    test(`${row.name}: accessible, at every width, without a fault`, { skip }, async () => {
      const { page } = owner!
      await page.emulateMedia({ colorScheme: 'light' })
      await page.setViewportSize({ width: WIDTHS.at(-1)!, height: 900 })
      await lead(owner!, row, await placeOf(row))
      await settled(page)
      await holdsShape(page, row)
      await standsStill(page, `${row.name}, come to,`)
      await page.reload()
      await settled(page)
      await holdsShape(page, row)
      await standsStill(page, `${row.name}, opened,`)
      assert.deepEqual(await page.evaluate<string[]>(RAW_INSTANTS), [], 'times that nobody reads easily')
      assert.deepEqual(await violationsOf(page, TAGS), [], `${row.name}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      await settled(page)
      assert.deepEqual(await violationsOf(page, COLOUR_RULES), [], `${row.name}, dark`)
      await fitsEveryWidth(page, row)
      assert.deepEqual(unexpected(owner!, row), [])
    })

    test(`${row.name}: whole for a viewer, or refused in words`, { skip }, async () => {
      const { page } = viewer!
      refused.length = 0
      await lead(viewer!, row, await placeOf(row))
      await page.locator('main h1:visible, main h2:visible').first().waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
      assert.deepEqual(refused, [], 'asked for what a viewer may not have')
      assert.deepEqual(unexpected(viewer!, row), [])
    })
  }

  for (const row of rows.filter(({ route }, at) => rows.findIndex((one) => one.route === route) === at)) {
    test(`${row.name}: says so when the server has a fault`, { skip }, async () => {
      const { page } = unlucky!
      await lead(unlucky!, row, await placeOf(row))
      await page.locator('main h1, main [role=alert]').first().waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
      assert.deepEqual(
        unexpected(unlucky!, row).filter((fault) => !fault.includes('status of 500')),
        [],
      )
    })
  }
}

/** A page that is led from row to row, with the row it is at and the one before. */
type LedPage = WatchedPage & { at?: Row; before?: Row }

/** Faults but for what the row shows. An answer that the page before it had asked for may have come late. */
function unexpected({ faults, before }: LedPage, row: Row): string[] {
  const answered = [before?.answered, row.answered].filter((one) => one !== undefined)
  return faults.filter((fault) => !answered.some((one) => one.test(fault)))
}

/** Leads a page to another as a link does, which loads nothing again; loads it at first, and where both have one route. */
async function lead(led: LedPage, row: Row, path: string): Promise<void> {
  const { page, faults, at } = led
  Object.assign(led, { at: row, before: at })
  faults.length = 0
  const isElsewhere = at !== undefined && at.route !== row.route
  if (isElsewhere && (await page.evaluate<number>(follow(path))) > 0) {
    await page.locator(`main [${LEFT}]`).first().waitFor({ state: 'detached' })
  } else {
    await page.goto(path)
  }
}

async function holdsShape(page: Page, { heading }: Row): Promise<void> {
  let headings: string[][] = []
  const isSo = async () => {
    headings = [await page.locator('h1').allTextContents(), await page.locator('main h1').allTextContents()]
    return headings.every(([one, ...more]) => one?.trim() === heading && more.length === 0)
  }
  await eventually('the heading', isSo).catch(() => assert.deepEqual(headings, [[heading], [heading]]))
  assert.equal(await page.getByRole('navigation', { name: 'Pages', exact: true }).first().count(), 1)
}

async function fitsEveryWidth(page: Page, row: Row): Promise<void> {
  let cut: string[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await eventually(`${row.name} does not scroll sideways at ${width} px`, () => page.evaluate<boolean>(FITS))
    await eventually(`${row.name} has nothing cut off at ${width} px`, async () => {
      cut = await page.evaluate<string[]>(CUT)
      return cut.length === 0
    }).catch(() => assert.deepEqual(cut, [], `cut off at ${width} px`))
  }
}
