import { setImmediate as othersHadTheirTurn } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { DAY_MS, HOUR_MS } from './durations.ts'
import { clockOf, offsetOn } from './local-time.ts'

/** Clocks are never set twice within so long. */
const LOOK_EVERY_MS = 2 * DAY_MS
const STRETCH_MS = 16 * LOOK_EVERY_MS
/** Of five years. */
const STRETCHES_MAX = 60
/** Zones that are looked at before others have their turn: some 2 ms. */
const ZONES_AT_ONCE = 10

/** How far clocks are set forward anywhere, by the hour since 1970 in which they are. */
type Forward = ReadonlyMap<number, number>

const stretches = new LRUCache<number, Promise<Forward>>({ max: STRETCHES_MAX })

/**
 * The shortest day of the calendar anywhere between two moments, in milliseconds: where clocks are set forward there is less than a
 * day to the same time. A month is looked through once, zones of which ten are done in a row: that takes some 0.1 s, in which others
 * have their turns. Keeping the clocks of all zones would take 20 MB.
 */
export async function shortestDayMs(from: number, until: number): Promise<number> {
  const [first, end] = [Math.floor(from / HOUR_MS), Math.ceil(until / HOUR_MS)]
  let forwardMs = 0
  for (let stretch = Math.floor((first * HOUR_MS) / STRETCH_MS); stretch * STRETCH_MS < end * HOUR_MS; stretch++) {
    for (const [hour, ms] of await forwardIn(stretch)) {
      if (hour >= first && hour < end) forwardMs = Math.max(forwardMs, ms)
    }
  }
  return DAY_MS - forwardMs
}

function forwardIn(stretch: number): Promise<Forward> {
  const known = stretches.get(stretch)
  if (known) return known
  const found = lookThrough(stretch * STRETCH_MS)
  stretches.set(stretch, found)
  return found
}

async function lookThrough(from: number): Promise<Forward> {
  const forward = new Map<number, number>()
  const zones = Intl.supportedValuesOf('timeZone')
  for (const [n, zone] of zones.entries()) {
    if (n % ZONES_AT_ONCE === 0) await othersHadTheirTurn()
    for (const [hour, ms] of setForward(zone, from)) forward.set(hour, Math.max(ms, forward.get(hour) ?? 0))
  }
  return forward
}

/** When clocks of a zone are set forward within a stretch, and by how much. */
function* setForward(zone: string, from: number): Generator<[hour: number, ms: number]> {
  const clock = clockOf(zone)
  let before = offsetOn(clock, from)
  for (let at = from; at < from + STRETCH_MS; at += LOOK_EVERY_MS) {
    const behind = offsetOn(clock, at + LOOK_EVERY_MS)
    if (behind > before) yield [hourOfChange(clock, at), behind - before]
    before = behind
  }
}

/** The last hour that clocks begin as they were at a moment. */
function hourOfChange(clock: Intl.DateTimeFormat, from: number): number {
  const before = offsetOn(clock, from)
  let [hour, changed] = [from / HOUR_MS, (from + LOOK_EVERY_MS) / HOUR_MS]
  while (changed - hour > 1) {
    const middle = Math.floor((hour + changed) / 2)
    if (offsetOn(clock, middle * HOUR_MS) === before) hour = middle
    else changed = middle
  }
  return hour
}
