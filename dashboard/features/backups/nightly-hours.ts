import type { BackupSchedule } from '../../lib/site-types.ts'

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })

/** An hour in UTC by the reader's own clock, as it is today: `04:00`. */
export function localHour(hour: number): string {
  return clock.format(new Date(new Date().setUTCHours(hour, 0, 0, 0)))
}

/** Hours of a day for a choice, in the order of the reader's own clock. */
export function localHours(): { value: string; label: string }[] {
  const hours = Array.from({ length: 24 }, (_, hour) => ({ hour, at: new Date(new Date().setUTCHours(hour, 0, 0, 0)) }))
  return hours
    .sort((one, other) => minuteOf(one.at) - minuteOf(other.at))
    .map(({ hour, at }) => ({ value: String(hour), label: clock.format(at) }))
}

const minuteOf = (at: Date) => at.getHours() * 60 + at.getMinutes()

/** `One is taken every night at 04:00, and the last 7 of those are kept.` */
export function scheduleText({ hour, kept }: BackupSchedule): string {
  if (hour === null) return 'None is taken by itself.'
  return `One is taken every night at ${localHour(hour)}, and the last ${kept === 1 ? 'one' : kept} of those ${kept === 1 ? 'is' : 'are'} kept.`
}
