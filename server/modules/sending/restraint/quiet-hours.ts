import { DAY_MS } from '../../../platform/durations.ts'
import { momentOf, startOfDay, timeOfDay, wallOf } from '../../../platform/local-time.ts'

/** Times of day (`HH:MM`) between which marketing mail waits, by each person's own clock; `zone` is of those who have none. */
export type QuietHours = { from: string; until: string; zone: string }

/** Whether it is quiet at a moment, and when that changes next: milliseconds since 1970. */
export type Quiet = { isQuiet: boolean; changesAt: number }

/**
 * Judged by the time that clocks show, so that no hour which comes twice is quiet once: the end is the first moment at which
 * they show it. Hours may go over midnight.
 */
export function quietAt(at: number, { from, until }: Pick<QuietHours, 'from' | 'until'>, zone: string): Quiet {
  const wall = wallOf(at, zone)
  const time = wall - startOfDay(wall)
  const [begin, end] = [timeOfDay(from), timeOfDay(until)]
  const isQuiet = begin < end ? time >= begin && time < end : time >= begin || time < end
  return { isQuiet, changesAt: nextAt(isQuiet ? end : begin, { at, wall, zone }) }
}

/** The next moment at which clocks show a time of day. */
function nextAt(time: number, { at, wall, zone }: { at: number; wall: number; zone: string }): number {
  const today = startOfDay(wall)
  for (const day of [today - DAY_MS, today, today + DAY_MS]) {
    const moment = momentOf(day + time, zone)
    if (moment > at) return moment
  }
  return momentOf(today + 2 * DAY_MS + time, zone)
}
