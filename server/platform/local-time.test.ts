import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, HOUR_MS } from './durations.ts'
import { shortestDayMs } from './local-time.ts'

test('the shortest day is as much shorter as clocks are set forward anywhere in the meantime', () => {
  const hoursFrom = (time: string, ms = DAY_MS) => shortestDayMs(Date.parse(time), Date.parse(time) + ms) / HOUR_MS
  assert.equal(hoursFrom('2026-07-01T10:20:00Z'), 24)
  // The United States, on 8 March at 2:00 of each zone.
  assert.equal(hoursFrom('2026-03-07T12:00:00Z'), 23)
  // Europe at 1:00 UTC, where a station in the Antarctic goes forward by two hours.
  assert.equal(hoursFrom('2026-03-28T12:00:00Z'), 22)
  assert.equal(hoursFrom('2026-03-28T12:00:00Z', HOUR_MS), 24)
  assert.equal(hoursFrom('2026-10-25T00:00:00Z', HOUR_MS), 24, 'set back')
})
