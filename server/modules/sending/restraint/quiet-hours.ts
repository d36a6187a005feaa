import { DAY_MS } from '../../../platform/durations.ts'
import { momentOf, startOfDay, timeOfDay, wallOf } from '../../../platform/local-time.ts'

/** Times of day (`HH:MM`) between which marketing mail waits, by each person's own clock; `zone` is of those who have none. */
export type QuietHours = { from: string; until: string; zone: string }

/** Whether it is quiet at a moment, and when that changes next: milliseconds since 1970. */
export type Quiet = { isQuiet: boolean; changesAt: number }

/**
 * Judged by moments, which come once: the hours of a day go from the first moment at which clocks show their beginning to the
 * first at which they show their end, whatever clocks show twice. A time that clocks leave out moves; where the beginning moves
 * behind the end by that, the day has none. Hours may go over midnight.
 */
export function quietAt(at: number, { from, until }: Pick<QuietHours, 'from' | 'until'>, zone: string): Quiet {
  const [begin, end] = [timeOfDay(from), timeOfDay(until)]
  const endDay = begin < end ? 0 : DAY_MS
  // Hours of the day before the last reach into this one where clocks leave out their end.
  for (let day = startOfDay(wallOf(at, zone)) - 2 * DAY_MS; ; day += DAY_MS) {
    const [begins, ends] = [momentOf(day + begin, zone), momentOf(day + endDay + end, zone)]
    if (begins >= ends || ends <= at) continue
    return begins <= at ? { isQuiet: true, changesAt: ends } : { isQuiet: false, changesAt: begins }
  }
}
