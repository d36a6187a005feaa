import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { WAITED_MAX_MS } from '../../dashboard/lib/waited-max.ts'

/** Of a page, by the measure of the Layout Instability API, whose authors call less than 0.1 good. */
const SHIFT_MAX = 0.05
/** More are not kept by the browser. */
const SHIFTS_MAX = 150
const TOLD_CHARS = 120

type Shift = { value: number; moved: string[] }

/**
 * What moved in the document by itself since this was asked last. It is read from what the browser has kept: a script that watches
 * from the first moment would be put into the frames of mails too, which run none.
 */
const TAKE_SHIFTS = `(() => {
  const nameOf = (node) => node?.nodeType === 1
    ? node.localName + '.' + node.className + ' ' + node.textContent.slice(0, ${TOLD_CHARS})
    : String(node?.data).slice(0, ${TOLD_CHARS})
  const told = ({ value, sources }) => ({
    value,
    moved: sources.map(({ node, previousRect: was, currentRect: is }) =>
      nameOf(node) + ' from ' + [was.x, was.y] + ' to ' + [is.x, is.y]),
  })
  const observer = new PerformanceObserver(() => {})
  observer.observe({ type: 'layout-shift', buffered: true })
  const kept = observer.takeRecords()
  observer.disconnect()
  const { shiftsTakenAt = 0 } = window
  window.shiftsTakenAt = performance.now()
  const fresh = kept.filter((one) => one.startTime > shiftsTakenAt && !one.hadRecentInput)
  return { isAll: kept.length < ${SHIFTS_MAX}, shifts: fresh.map(told) }
})()`

/** For pages that are to stand still on any machine: they wait for what stands above a part for as long as that takes. */
const WAIT_FOR_READS = `{
  const later = window.setTimeout
  window.setTimeout = (act, ms, ...values) => (ms === ${WAITED_MAX_MS} ? 0 : later(act, ms, ...values))
}`

/** Has a page that is opened from here on show nothing before it is known what stands above, however slow the machine is. */
export const waitForReads = (page: Page): Promise<unknown> => page.addInitScript(WAIT_FOR_READS)

/** What was there to be read or pressed has stayed in its place since this was asked last. */
export async function standsStill(page: Page, name: string): Promise<void> {
  const { isAll, shifts } = await page.evaluate<{ isAll: boolean; shifts: Shift[] }>(TAKE_SHIFTS)
  assert.ok(isAll, `${name} moves more often than the browser keeps`)
  const sum = shifts.reduce((all, { value }) => all + value, 0)
  assert.ok(sum <= SHIFT_MAX, `${name} moves by ${sum}: ${JSON.stringify(shifts, null, 1)}`)
}
