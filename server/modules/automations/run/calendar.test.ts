import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  DateTimeFormatter,
  Instant,
  type LocalDate,
  LocalDateTime,
  type LocalTime,
  ZoneId,
  ZoneRulesProvider,
} from '@js-joda/core'
import '@js-joda/timezone'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { WEEKDAYS, type Weekday } from '../definition/definition.ts'
import { addSpan, delayEnd, nextLocal } from './calendar.ts'

/*
 * The foreign judge has zones and arithmetic of its own. Its data are some months behind those of Node.js, so it is asked
 * for years whose rules are settled.
 */
const YEARS = { from: Date.UTC(2024, 0, 1), until: Date.UTC(2026, 0, 1) }
const AROUND_MS = 2 * HOUR_MS
const STEP_MS = 20 * MINUTE_MS

type Zone = { id: string; theirs: ZoneId }
const ZONES: Zone[] = ZoneRulesProvider.getAvailableZoneIds().map((id) => ({ id, theirs: ZoneId.of(id) }))

const none = { months: 0, days: 0, ms: 0 }
const iso = (at: number) => new Date(at).toISOString()
const instantOf = (local: LocalDateTime, { theirs }: Zone) => local.atZone(theirs).toInstant().toEpochMilli()
const localOf = (at: number, { theirs }: Zone) => LocalDateTime.ofInstant(Instant.ofEpochMilli(at), theirs)
const offsetOf = (at: number, { theirs }: Zone) => theirs.rules().offset(Instant.ofEpochMilli(at)).totalSeconds()

/** The first moments of new offsets, to the minute. */
function transitionsOf(zone: Zone): number[] {
  const found: number[] = []
  for (let at = YEARS.from; at < YEARS.until; at += DAY_MS) {
    if (offsetOf(at, zone) === offsetOf(at + DAY_MS, zone)) continue
    let [before, behind] = [at, at + DAY_MS]
    while (behind - before > MINUTE_MS) {
      const middle = before + Math.floor((behind - before) / 2 / MINUTE_MS) * MINUTE_MS
      if (offsetOf(middle, zone) === offsetOf(before, zone)) before = middle
      else behind = middle
    }
    found.push(behind)
  }
  return found
}

function theirNext(after: number, { time, on }: { time: LocalTime; on: readonly Weekday[] }, zone: Zone): number {
  let date: LocalDate = localOf(after, zone).toLocalDate().minusDays(1)
  for (;;) {
    const at = instantOf(date.atTime(time), zone)
    if (at > after && (on.length === 0 || on.includes(WEEKDAYS[date.dayOfWeek().value() - 1]!))) return at
    date = date.plusDays(1)
  }
}

test('every zone at each of its transitions agrees with a foreign library', () => {
  let transitions = 0
  let compared = 0
  for (const zone of ZONES) {
    for (const transition of transitionsOf(zone)) {
      transitions++
      for (let at = transition - AROUND_MS; at <= transition + AROUND_MS; at += STEP_MS) compareAround(at, zone)
    }
  }
  assert.ok(ZONES.length > 550 && transitions > 700, `${ZONES.length} zones, ${transitions} transitions`)
  assert.ok(compared > 80_000, `${compared} comparisons`)

  function compareAround(at: number, zone: Zone) {
    // Spans that begin at the transition, and spans that end there.
    for (const [months, days, ms] of [
      [0, 1, 0],
      [1, 0, 0],
      [1, 1, 90 * MINUTE_MS],
    ] as const) {
      for (const from of [at, at - DAY_MS]) {
        const expected = instantOf(localOf(from, zone).plusMonths(months).plusDays(days), zone) + ms
        same(addSpan(from, { months, days, ms }, zone.id), expected, `${iso(from)} + ${months}M ${days}D in ${zone.id}`)
      }
    }
    const time = localOf(at, zone).toLocalTime()
    const clock = time.format(DateTimeFormatter.ofPattern('HH:mm'))
    for (const from of [at - 3 * HOUR_MS, at - STEP_MS, at, at + STEP_MS]) {
      for (const on of [[], ['mon', 'sat']] as const) {
        const expected = theirNext(from, { time, on }, zone)
        same(nextLocal(from, { at: clock, on }, zone.id), expected, `${clock} ${on} after ${iso(from)} in ${zone.id}`)
      }
    }
  }

  function same(actual: number, expected: number, text: string) {
    compared++
    if (actual !== expected) assert.fail(`${text}: ${iso(actual)}, theirs ${iso(expected)}`)
  }
})

const BERLIN = 'Europe/Berlin'
const at = (text: string) => Date.parse(text)

test('hours are exact and days are those of the calendar', () => {
  // Clocks went forward at 2:00 on 30 March 2025, and back at 3:00 on 26 October.
  const spring = at('2025-03-29T12:00:00+01:00')
  assert.equal(iso(addSpan(spring, { ...none, days: 1 }, BERLIN)), '2025-03-30T10:00:00.000Z')
  assert.equal(iso(addSpan(spring, { ...none, ms: DAY_MS }, BERLIN)), '2025-03-30T11:00:00.000Z')
  const secondTime = at('2025-10-26T02:30:00+01:00')
  assert.equal(addSpan(secondTime, none, BERLIN), secondTime)
  assert.equal(addSpan(secondTime, { ...none, ms: 1 }, BERLIN), secondTime + 1)
  assert.equal(addSpan(spring + 0.25, { ...none, days: 1 }, BERLIN), at('2025-03-30T12:00:00+02:00') + 0.25)
})

test('a month later is no later than the last day of the next', () => {
  const january = at('2024-01-31T09:00:00Z')
  assert.equal(iso(addSpan(january, { ...none, months: 1 }, 'UTC')), '2024-02-29T09:00:00.000Z')
  assert.equal(iso(addSpan(january, { months: 13, days: 1, ms: 0 }, 'UTC')), '2025-03-01T09:00:00.000Z')
})

test('a local time that is left out moves forward, and one that comes twice happens once', () => {
  const halfPastTwo = { at: '02:30', on: [] }
  const left = nextLocal(at('2025-03-30T00:00:00+01:00'), halfPastTwo, BERLIN)
  assert.equal(iso(left), '2025-03-30T01:30:00.000Z')
  assert.equal(iso(nextLocal(left, halfPastTwo, BERLIN)), '2025-03-31T00:30:00.000Z')
  const first = nextLocal(at('2025-10-26T00:00:00+02:00'), halfPastTwo, BERLIN)
  assert.equal(iso(first), '2025-10-26T00:30:00.000Z')
  assert.equal(iso(nextLocal(first, halfPastTwo, BERLIN)), '2025-10-27T01:30:00.000Z')
})

test('islands that left out a day go on with the next', () => {
  // There was no 30 December 2011.
  const thursday = at('2011-12-29T12:00:00-10:00')
  assert.equal(iso(addSpan(thursday, { ...none, days: 1 }, 'Pacific/Apia')), '2011-12-30T22:00:00.000Z')
  assert.equal(iso(nextLocal(thursday, { at: '09:00', on: ['sat'] }, 'Pacific/Apia')), '2011-12-30T19:00:00.000Z')
})

test('weekdays hold back until their first, at the same time', () => {
  const friday = at('2025-06-06T15:00:00+02:00')
  const workdays = { at: null, on: ['mon', 'tue', 'wed', 'thu', 'fri'] } as const
  assert.equal(nextLocal(friday, workdays, BERLIN), friday)
  assert.equal(iso(nextLocal(friday + DAY_MS, workdays, BERLIN)), '2025-06-09T13:00:00.000Z')
})

test('with a time of day the days of a delay are dates', () => {
  const seven = { at: '07:00', on: [] }
  const [early, late] = [at('2025-06-06T06:00:00+02:00'), at('2025-06-06T22:00:00+02:00')]
  const nextDay = '2025-06-07T05:00:00.000Z'
  for (const from of [early, late]) {
    assert.equal(iso(delayEnd(from, { span: { ...none, days: 1 }, ...seven }, BERLIN)), nextDay)
  }
  assert.equal(iso(delayEnd(early, { span: none, ...seven }, BERLIN)), '2025-06-06T05:00:00.000Z')
  assert.equal(iso(delayEnd(late, { span: none, ...seven }, BERLIN)), nextDay)
  assert.equal(iso(delayEnd(early, { span: { ...none, ms: 2 * HOUR_MS }, ...seven }, BERLIN)), nextDay)
  const monday = { span: { ...none, days: 1 }, at: '07:00', on: ['mon'] } as const
  assert.equal(iso(delayEnd(late, monday, BERLIN)), '2025-06-09T05:00:00.000Z')
})
