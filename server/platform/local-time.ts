import { DAY_MS, HOUR_MS, MINUTE_MS } from './durations.ts'

/*
 * Local time of a zone. Moments are milliseconds since 1970, fractions kept. A local time that clocks leave out moves forward
 * by what they leave out; of one that comes twice the first counts, so that nothing happens twice (PostgreSQL takes the
 * second).
 */

/** Clocks are never set twice within two days. */
const AROUND_MS = DAY_MS

/** The time that clocks show, as if it were in UTC. */
export function wallOf(at: number, zone: string): number {
  return at + offsetAt(at, zone)
}

/** The moment at which clocks show it. */
export function momentOf(wall: number, zone: string): number {
  const before = offsetAt(wall - AROUND_MS, zone)
  const behind = offsetAt(wall + AROUND_MS, zone)
  if (before === behind) return wall - before
  const shown = [before, behind].filter((offset) => offsetAt(wall - offset, zone) === offset)
  return shown.length === 0 ? wall - before : wall - Math.max(...shown)
}

/** Offsets by zone and hour, of hours that have but one: Intl takes some 15 us for each. */
const offsets = new Map<string, number>()
const OFFSETS_MAX = 5_000

/** How far clocks of a zone are ahead of UTC. No zone has set its clocks twice within an hour. */
function offsetAt(at: number, zone: string): number {
  const hour = Math.floor(at / HOUR_MS)
  const key = `${zone} ${hour}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const offset = shownOffset(at, zone)
  const isOne = [hour, hour + 1].every((edge) => shownOffset(edge * HOUR_MS, zone) === offset)
  if (isOne) {
    if (offsets.size === OFFSETS_MAX) offsets.clear()
    offsets.set(key, offset)
  }
  return offset
}

const formats = new Map<string, Intl.DateTimeFormat>()

function shownOffset(at: number, zone: string): number {
  let format = formats.get(zone)
  if (format === undefined) {
    format = clockOf(zone)
    formats.set(zone, format)
  }
  return offsetOn(format, at)
}

/** Clocks of a zone, for `offsetOn`: they take a tenth of a millisecond to make, and 50 KB while they are kept. */
export function clockOf(zone: string): Intl.DateTimeFormat {
  const numeric = 'numeric'
  return new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, calendar: 'iso8601', hourCycle: 'h23' },
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  })
}

export function offsetOn(clock: Intl.DateTimeFormat, at: number): number {
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 }
  for (const { type, value } of clock.formatToParts(at)) {
    if (type in shown) shown[type as keyof typeof shown] = Number(value)
  }
  const { year, month, day, hour, minute, second } = shown
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000
}

export const startOfDay = (wall: number) => Math.floor(wall / DAY_MS) * DAY_MS

/** Milliseconds of `HH:MM`. */
export function timeOfDay(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours! * 60 + minutes!) * MINUTE_MS
}
