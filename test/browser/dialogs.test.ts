import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { WITHOUT_BROWSER } from './chromium.ts'
import { DIALOG_SHOTS } from './shot-dialogs.ts'
import { SHOTS } from './shot-states.ts'
import { openWorld, settled, type WatchedPage, type World } from './world.ts'

/*
 * Dialogs, with what their pages have of the longest names: nothing of them is wider than they are, on a desk and on a phone.
 */

const WIDTHS = [1_280, 360]
/** Those states of pages that are dialogs. */
const ASKED = ['publish', 'activate', 'test-one', 'enroll', 'backfill', 'send', 'send-test', 'new-contact', 'conflict']
const STATES = SHOTS.filter(({ name }) => ASKED.some((one) => name === `state-${one}`))
const skip = WITHOUT_BROWSER
/** What scrolls sideways in the dialog, or reaches out of it. */
const TOO_WIDE = `(() => {
  const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
  const { left, right } = dialog.getBoundingClientRect()
  const scrolls = (one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)
  const isCode = (one) => one.closest('pre, code') !== null
  return [dialog, ...dialog.querySelectorAll('*')]
    .filter((one) => one.checkVisibility() && !isCode(one))
    .filter((one) => {
      const box = one.getBoundingClientRect()
      return (scrolls(one) && one.scrollWidth > one.clientWidth + 1) ||
        (one.matches('input, textarea, select, button') && (box.left < left - 1 || box.right > right + 1))
    })
    .map((one) => one.localName + '.' + one.className + ' ' + one.textContent.slice(0, 80))
})()`

let world: World
let owner: WatchedPage
before(async () => {
  if (skip) return
  world = await openWorld()
  owner = await world.open('/healthz')
})
after(() => world?.close())

for (const { name, path, act } of [...DIALOG_SHOTS, ...STATES]) {
  test(`${name}: nothing is wider than its dialog`, { skip }, async () => {
    const { page } = owner
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 })
    await page.goto(await path(world))
    await settled(page)
    await act!(page)
    await settled(page)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      let wide: string[] = []
      await eventually(`${name} at ${width} px`, async () => {
        wide = await page.evaluate<string[]>(TOO_WIDE)
        return wide.length === 0
      }).catch(() => assert.deepEqual(wide, [], `wider than the dialog at ${width} px`))
    }
  })
}
