import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/**
 * Of a page, by the measure of the Layout Instability API: so much its authors call good. Pages that wait for their reads move by
 * less than a third of it; on a machine where a read takes longer than a page waits, more is left.
 */
const SHIFT_MAX = 0.1
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

/** What was there to be read or pressed has stayed in its place since this was asked last. */
export async function standsStill(page: Page, name: string): Promise<void> {
  const { isAll, shifts } = await page.evaluate<{ isAll: boolean; shifts: Shift[] }>(TAKE_SHIFTS)
  assert.ok(isAll, `${name} moves more often than the browser keeps`)
  const sum = shifts.reduce((all, { value }) => all + value, 0)
  assert.ok(sum <= SHIFT_MAX, `${name} moves by ${sum}: ${JSON.stringify(shifts, null, 1)}`)
}
