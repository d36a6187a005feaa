import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { quietAt } from './quiet-hours.ts'

const at = (text: string) => Date.parse(text)
const told = (text: string, hours: { from: string; until: string }, zone: string) => {
  const { isQuiet, changesAt } = quietAt(at(text), hours, zone)
  return [isQuiet, new Date(changesAt).toISOString()]
}

test('quiet hours over midnight and within a day begin and end by the clock of the zone', () => {
  const night = { from: '21:00', until: '08:00' }
  assert.deepEqual(told('2026-07-01T20:30:00Z', night, 'Europe/Berlin'), [true, '2026-07-02T06:00:00.000Z'])
  assert.deepEqual(told('2026-07-01T05:59:59Z', night, 'Europe/Berlin'), [true, '2026-07-01T06:00:00.000Z'])
  assert.deepEqual(told('2026-07-01T06:00:00Z', night, 'Europe/Berlin'), [false, '2026-07-01T19:00:00.000Z'])
  const noon = { from: '12:00', until: '14:00' }
  assert.deepEqual(told('2026-01-01T17:00:00Z', noon, 'America/New_York'), [true, '2026-01-01T19:00:00.000Z'])
  assert.deepEqual(told('2026-01-01T19:00:00Z', noon, 'America/New_York'), [false, '2026-01-02T17:00:00.000Z'])
})

test('clocks that are set within quiet hours move their end, and leave none of it out', () => {
  const untilThree = { from: '22:00', until: '02:30' }
  // Clocks leave out 2:00 to 3:00 on that night: the end is what would have been 2:30, at 3:30.
  assert.deepEqual(told('2026-03-29T00:30:00Z', untilThree, 'Europe/Berlin'), [true, '2026-03-29T01:30:00.000Z'])
  // They show 2:30 twice on this one: the first ends it.
  assert.deepEqual(told('2026-10-24T23:00:00Z', untilThree, 'Europe/Berlin'), [true, '2026-10-25T00:30:00.000Z'])
})

test('hours that begin or end within an hour that comes twice are quiet once', () => {
  const zone = 'Europe/Berlin'
  const untilHalf = { from: '22:00', until: '02:30' }
  assert.deepEqual(told('2026-10-25T00:29:59Z', untilHalf, zone), [true, '2026-10-25T00:30:00.000Z'])
  // 2:10 for the second time, and 2:30.
  assert.deepEqual(told('2026-10-25T01:10:00Z', untilHalf, zone), [false, '2026-10-25T21:00:00.000Z'])
  assert.deepEqual(told('2026-10-25T01:30:00Z', untilHalf, zone), [false, '2026-10-25T21:00:00.000Z'])
  const fromHalf = { from: '02:30', until: '05:00' }
  assert.deepEqual(told('2026-10-25T00:10:00Z', fromHalf, zone), [false, '2026-10-25T00:30:00.000Z'])
  assert.deepEqual(told('2026-10-25T01:10:00Z', fromHalf, zone), [true, '2026-10-25T04:00:00.000Z'])
  const within = { from: '02:15', until: '02:45' }
  assert.deepEqual(told('2026-10-25T00:15:00Z', within, zone), [true, '2026-10-25T00:45:00.000Z'])
  assert.deepEqual(told('2026-10-25T01:15:00Z', within, zone), [false, '2026-10-26T01:15:00.000Z'])
})

test('hours that begin or end within an hour that clocks leave out move behind it', () => {
  const zone = 'Europe/Berlin'
  const fromHalf = { from: '02:30', until: '05:00' }
  assert.deepEqual(told('2026-03-29T01:10:00Z', fromHalf, zone), [false, '2026-03-29T01:30:00.000Z'])
  assert.deepEqual(told('2026-03-29T01:30:00Z', fromHalf, zone), [true, '2026-03-29T03:00:00.000Z'])
  const untilHalf = { from: '22:00', until: '02:30' }
  assert.deepEqual(told('2026-03-29T01:10:00Z', untilHalf, zone), [true, '2026-03-29T01:30:00.000Z'])
  assert.deepEqual(told('2026-03-29T01:30:00Z', untilHalf, zone), [false, '2026-03-29T20:00:00.000Z'])
  const within = { from: '02:15', until: '02:45' }
  assert.deepEqual(told('2026-03-29T01:10:00Z', within, zone), [false, '2026-03-29T01:15:00.000Z'])
  assert.deepEqual(told('2026-03-29T01:15:00Z', within, zone), [true, '2026-03-29T01:45:00.000Z'])
  // Its end comes before its beginning on that night.
  assert.deepEqual(told('2026-03-29T01:05:00Z', { from: '02:30', until: '03:15' }, zone), [
    false,
    '2026-03-30T00:30:00.000Z',
  ])
})

test('at the moment of each change it is as it was told to become, in zones all over the world over two years', () => {
  const hours = { from: '21:15', until: '07:45' }
  for (const zone of ['Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu']) {
    let now = at('2026-01-01T00:00:00Z')
    let { isQuiet, changesAt } = quietAt(now, hours, zone)
    while (now < at('2028-01-01T00:00:00Z')) {
      assert.ok(changesAt > now && changesAt - now <= 24 * HOUR_MS, `${zone} ${new Date(now).toISOString()}`)
      assert.equal(quietAt(changesAt - MINUTE_MS, hours, zone).isQuiet, isQuiet)
      now = changesAt
      const next = quietAt(now, hours, zone)
      assert.equal(next.isQuiet, !isQuiet, `${zone} ${new Date(now).toISOString()}`)
      ;({ isQuiet, changesAt } = next)
    }
  }
})
