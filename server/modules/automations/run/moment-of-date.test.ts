import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatedWay } from '../definition/definition.ts'
import { momentOfDate } from './moment-of-date.ts'

const PLAIN: DatedWay = { date: 'd', repeat: 'once', days: 0, ms: 0, at: null, leapDay: 'feb28', to: 'end' }
const AFTER = Date.parse('2026-03-01T12:00:00Z')

/** The moment of a value, in UTC. */
function moment(value: unknown, way: Partial<DatedWay> = {}, { zone = 'Europe/Berlin', after = AFTER } = {}) {
  const ms = momentOfDate({ ...PLAIN, ...way }, value, { zone, after })
  return ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z')
}

test('a date alone is nine by the person’s clock, a moment is exact, one without a zone is by their clock', () => {
  assert.equal(moment('2026-03-10'), '2026-03-10T08:00:00Z')
  assert.equal(moment('2026-03-10', {}, { zone: 'Asia/Tokyo' }), '2026-03-10T00:00:00Z')
  assert.equal(moment('2026-03-10T18:30:00Z'), '2026-03-10T18:30:00Z')
  assert.equal(moment('2026-03-10T18:30:00+05:00'), '2026-03-10T13:30:00Z')
  assert.equal(moment('2026-03-10T18:30'), '2026-03-10T17:30:00Z')
})

test('it is shifted by the calendar and exactly, and put to a time of day', () => {
  assert.equal(moment('2026-03-10T18:30:00Z', { ms: -7_200_000 }), '2026-03-10T16:30:00Z')
  assert.equal(moment('2026-03-10', { days: -3, at: '07:15' }), '2026-03-07T06:15:00Z')
  // Past the change of clocks in between, at the same local time.
  assert.equal(moment('2026-03-28T10:00:00Z', { days: 2 }), '2026-03-30T09:00:00Z')
  // Left out by the clocks: forward.
  assert.equal(moment('2026-03-29', { at: '02:30' }), '2026-03-29T01:30:00Z')
  assert.equal(moment('2026-03-10T23:30:00Z', { at: '09:00' }), '2026-03-11T08:00:00Z', 'its day by their clock')
})

test('a yearly one is the next at or behind the moment they came', () => {
  const yearly = { repeat: 'yearly' } as const
  assert.equal(moment('1980-03-01', yearly), '2027-03-01T08:00:00Z')
  assert.equal(moment('1980-03-01', { ...yearly, at: '13:00' }), '2026-03-01T12:00:00Z')
  assert.equal(moment('--12-24', yearly), '2026-12-24T08:00:00Z')
  assert.equal(moment('--02-27', { ...yearly, days: 7 }), '2026-03-06T08:00:00Z')
  assert.equal(moment('--01-02', { ...yearly, days: -7 }), '2026-12-26T08:00:00Z')
  assert.equal(moment('2000-02-29', yearly), '2027-02-28T08:00:00Z')
  assert.equal(moment('2000-02-29', { ...yearly, leapDay: 'mar1' }), '2027-03-01T08:00:00Z')
  assert.equal(moment('2000-02-29', yearly, { after: Date.parse('2028-01-01T00:00:00Z') }), '2028-02-29T08:00:00Z')
})

test('what is no date, or stands for none, has no moment', () => {
  for (const value of [
    null,
    undefined,
    7,
    '',
    'soon',
    '2026-02-30',
    '2026-13-01',
    '0001-01-01',
    '1970-01-01',
    {},
    '--05-06',
  ])
    assert.equal(moment(value), undefined, String(value))
})
