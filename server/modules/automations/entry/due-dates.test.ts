import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts'
import type { DateTrigger } from '../definition/definition.ts'
import { isOn, nextCheck, occurrencesIn, valuesFor } from './due-dates.ts'

const at = (text: string) => Date.parse(text)

test('a time of day comes once a date in each zone, however the sweeps cut the time, and also where clocks leave it out', () => {
  for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu']) {
    for (const time of ['00:00', '02:30', '09:00', '23:45']) {
      const dates: string[] = []
      let fromMs = at('2026-01-01T00:00:00Z')
      const untilMs = at('2027-01-01T00:00:00Z')
      for (let n = 1; fromMs < untilMs; n++) {
        const toMs = Math.min(untilMs, fromMs + (n % 7) * 5 * HOUR_MS + MINUTE_MS)
        dates.push(...occurrencesIn(zone, time, { fromMs, toMs }).map(({ date }) => date))
        fromMs = toMs
      }
      assert.equal(dates.length, 365, `${zone} ${time}`)
      assert.equal(new Set(dates).size, 365, `${zone} ${time}`)
    }
  }
})

test('the next look comes no later than the next moment of any zone', () => {
  for (const time of ['00:00', '09:10', '23:59']) {
    for (let now = at('2026-05-01T00:00:00Z'); now < at('2026-05-02T00:00:00Z'); now += 7 * MINUTE_MS + 1) {
      const next = nextCheck(time, now)
      assert.ok(next > now && next - now <= 15 * MINUTE_MS)
      for (const zone of ['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Eucla']) {
        assert.deepEqual(occurrencesIn(zone, time, { fromMs: now, toMs: next - 1 }), [], `${zone} ${time}`)
      }
    }
  }
})

test('days before and after, years that do not count, and 29 February', () => {
  const trigger = { date: 'born', at: '09:00', leapDay: 'feb28', repeat: 'yearly', days: 0 } satisfies DateTrigger
  assert.deepEqual(valuesFor({ ...trigger, repeat: 'once', days: -7 }, '2026-12-25'), {
    of: '2027-01-01',
    values: ['2027-01-01'],
  })
  assert.deepEqual(valuesFor({ ...trigger, days: 1 }, '2027-01-01').values, ['12-31'])
  assert.deepEqual(valuesFor(trigger, '2026-02-28').values, ['02-28', '02-29'])
  assert.deepEqual(valuesFor(trigger, '2028-02-28').values, ['02-28'])
  assert.deepEqual(valuesFor(trigger, '2028-02-29').values, ['02-29'])
  assert.deepEqual(valuesFor({ ...trigger, leapDay: 'mar1' }, '2026-03-01').values, ['03-01', '02-29'])
  assert.deepEqual(valuesFor({ ...trigger, leapDay: 'mar1', days: -1 }, '2026-02-28').values, ['03-01', '02-29'])
})

test('a schedule is on weekdays or on a day of the month', () => {
  assert.deepEqual(
    ['2026-11-23', '2026-11-24'].map((date) => isOn({ at: '09:00', on: ['mon'], day: null }, date)),
    [true, false],
  )
  assert.ok(isOn({ at: '09:00', on: [], day: null }, '2026-11-24'))
  assert.deepEqual(
    ['2026-11-01', '2026-11-11'].map((date) => isOn({ at: '09:00', on: [], day: 1 }, date)),
    [true, false],
  )
})
