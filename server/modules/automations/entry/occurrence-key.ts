import type { DateTrigger, ScheduleTrigger, Trigger } from '../definition/definition.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const DAY_AND_MAYBE_TIME = /^\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2})?$/

/** The key of entry of those who have a date on a day, wherever they are and whatever the time of day. */
export const keyOfDate = ({ date, days }: DateTrigger, of: string) => `${date} ${of} ${days}`

/** The same of a segment on a day; `at` where a day has several of them. */
export const keyOfSchedule = ({ segment }: ScheduleTrigger, { date, at }: { date: string; at: string | null }) =>
  at === null ? `${segment} ${date}` : `${segment} ${date} ${at}`

/** Whether a key is of an occurrence of one of the dates and schedules, which brings nobody in twice, whatever the mode. */
export function isOccurrence(on: readonly Trigger[], key: string): boolean {
  return on.some((trigger) => {
    if ('date' in trigger) {
      const [before, after] = [`${trigger.date} `, ` ${trigger.days}`]
      return key.startsWith(before) && key.endsWith(after) && DAY.test(key.slice(before.length, -after.length))
    }
    if (!('schedule' in trigger)) return false
    const before = `${trigger.segment} `
    return key.startsWith(before) && DAY_AND_MAYBE_TIME.test(key.slice(before.length))
  })
}
