import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { WITHOUT_BROWSER } from './chromium.ts'
import { allRows, pathOf, type Row } from './route-rows.ts'
import { openWorld, settled, type World } from './world.ts'

/*
 * Pages by their rows: accessible in light and dark, at three widths without sideways scrolling, with no error in the
 * console and nothing that the policy refused, the same after a reload, and whole for somebody who may only read.
 */

const WIDTHS = [360, 768, 1_280]
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const skip = WITHOUT_BROWSER
/** An answer of a server that has a fault. */
const FAULT = {
  status: 500,
  contentType: 'application/problem+json',
  body: '{"title":"Something is broken here","status":500,"code":"internal-error","requestId":"r-1"}',
}

/** How many files share the pages: each has ten minutes, and a server and a browser of its own. */
const PARTS = 3
/** `ROWS=segment npm test test/browser/routes.test.ts` takes those whose name begins so. */
const wanted = process.env.ROWS

/** Holds one part of all pages. */
export async function holdPages(part: number): Promise<void> {
  const all = await allRows()
  const rows = all.filter(({ name }, at) =>
    wanted === undefined ? at % PARTS === part : part === 0 && name.startsWith(wanted),
  )
  let world: World
  let viewer: string
  before(async () => {
    if (skip) return
    world = await openWorld()
    viewer = (await world.people.person('Viewer', 'viewer')).cookie
  })
  after(() => world?.close())

  for (const row of rows) {
    test(`${row.name}: accessible, at every width, without a fault`, { skip }, async () => {
      const { page, faults, close } = await world.open(await pathOf(row, world))
      await settled(page)
      await holdsShape(page, row)
      await isAccessible(page, `${row.name}, light`)
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
      await isAccessible(page, `${row.name}, dark`)
      await fitsEveryWidth(page, row)
      await page.reload()
      await settled(page)
      await holdsShape(page, row)
      assert.deepEqual(unexpected(faults, row), [])
      await close()
    })

    test(`${row.name}: whole for a viewer, or refused in words`, { skip }, async () => {
      const path = await pathOf(row, world)
      const refused: string[] = []
      const { page, faults, close } = await world.open(path, {
        cookie: viewer,
        before: async (opened) => {
          opened.on('response', (response) => {
            if (response.status() === 403) refused.push(response.url())
          })
        },
      })
      await page.locator('main h1:visible, main h2:visible').first().waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
      assert.deepEqual(refused, [], 'asked for what a viewer may not have')
      assert.deepEqual(unexpected(faults, row), [])
      await close()
    })
  }

  for (const row of rows.filter(({ route }, at) => rows.findIndex((one) => one.route === route) === at)) {
    test(`${row.name}: says so when the server has a fault`, { skip }, async () => {
      const { page, faults, close } = await world.open(await pathOf(row, world), {
        before: async (opened) => {
          await opened.route(/\/site\/workspaces\/default\/./, (route) => route.fulfill(FAULT))
        },
      })
      await page.locator('main h1, main [role=alert]').first().waitFor()
      await page.locator('main [data-busy]').first().waitFor({ state: 'detached' })
      assert.deepEqual(
        unexpected(faults, row).filter((fault) => !fault.includes('status of 500')),
        [],
      )
      await close()
    })
  }
}

const unexpected = (faults: readonly string[], { answered }: Row) =>
  faults.filter((fault) => answered === undefined || !answered.test(fault))

async function holdsShape(page: Page, { heading }: Row): Promise<void> {
  assert.equal(await page.locator('h1').count(), 1, 'one h1')
  assert.equal((await page.locator('main h1').textContent())?.trim(), heading)
  assert.equal(await page.getByRole('navigation', { name: 'Pages', exact: true }).first().count(), 1)
}

async function isAccessible(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).exclude('iframe').analyze()
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  assert.deepEqual(told, [], what)
}

async function fitsEveryWidth(page: Page, row: Row): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    assert.equal(beyond, 0, `${row.name} scrolls sideways at ${width} px`)
  }
}
