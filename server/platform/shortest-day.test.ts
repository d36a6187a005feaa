import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers'
import { DAY_MS, HOUR_MS } from './durations.ts'
import { shortestDayMs } from './shortest-day.ts'

const hoursFrom = async (time: string, ms = DAY_MS) =>
  (await shortestDayMs(Date.parse(time), Date.parse(time) + ms)) / HOUR_MS

test('the shortest day is as much shorter as clocks are set forward anywhere in the meantime', async () => {
  assert.equal(await hoursFrom('2026-07-01T10:20:00Z'), 24)
  // The United States, on 8 March at 2:00 of each zone.
  assert.equal(await hoursFrom('2026-03-07T12:00:00Z'), 23)
  // Europe at 1:00 UTC, where a station in the Antarctic goes forward by two hours.
  assert.equal(await hoursFrom('2026-03-28T12:00:00Z'), 22)
  assert.equal(await hoursFrom('2026-03-28T12:00:00Z', HOUR_MS), 24)
  assert.equal(await hoursFrom('2026-03-29T00:00:00Z', HOUR_MS), 22)
  assert.equal(await hoursFrom('2026-03-29T01:00:00Z', HOUR_MS), 24)
  assert.equal(await hoursFrom('2026-10-25T00:00:00Z', HOUR_MS), 24, 'set back')
})

test('a day was shorter, too, where clocks have been set back since', async () => {
  assert.equal(await hoursFrom('2026-03-28T12:00:00Z', 300 * DAY_MS), 22)
})

test('others have their turns while a month is looked through, and what is known of it is at hand', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  await hoursFrom('2031-03-29T12:00:00Z')
  assert.ok(turns > 20, `${turns} turns`)
  turns = 0
  for (let hour = 0; hour < 20; hour++) assert.ok((await hoursFrom('2031-03-29T12:00:00Z', hour * HOUR_MS)) >= 22)
  clearImmediate(immediate)
  assert.equal(turns, 0)
})
