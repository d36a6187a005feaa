/** That of the pages' words, and of numbers: sentences of the server have them so, too, and `1.204` is not to be two of them. */
const LANGUAGE = 'en'
/** English as it is written where the browser is from: `30 Nov 2026, 15:02`, in the United States `Nov 30, 2026, 3:02 PM`. */
const DATES = englishOf(Intl.DateTimeFormat().resolvedOptions().locale)
const whole = new Intl.NumberFormat(LANGUAGE)
const dateTime = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(DATES, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const dayMonth = new Intl.DateTimeFormat(DATES, { day: 'numeric', month: 'short' })
const dayMonthYear = new Intl.DateTimeFormat(DATES, { day: 'numeric', month: 'short', year: 'numeric' })
const relative = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto', style: 'short' })

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Percents from which a share would be written as the whole, and the most that is written then. */
const ALMOST_ALL = 99.5
const ALL_BUT_ONE = 99.9

/** The English of a locale's region: `en-DE` of `de`; where it has none, or nobody has said how English is written there, British. */
function englishOf(locale: string): string {
  const english = `en-${new Intl.Locale(locale).maximize().region ?? 'GB'}`
  return Intl.DateTimeFormat(english).resolvedOptions().locale === LANGUAGE ? 'en-GB' : english
}

export function numberText(value: number): string {
  return whole.format(value)
}

/** `1 contact`, `1,204 contacts`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`
}

/** Names one after the other: `news, “weekend, sale”`. One with a comma of its own is in quotation marks. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => (name.includes(',') ? `“${name}”` : name)).join(', ')
}

/** A share with as many digits as tell something: `12 %`, `0.04 %`. A part of nothing has none, and only all of it is 100 %. */
export function shareText(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (part / whole) * 100
  if (part < whole && percent >= ALMOST_ALL) return `${Math.min(ALL_BUT_ONE, percent).toFixed(1)} %`
  const digits = percent === 0 || percent >= 10 ? 0 : percent >= 1 ? 1 : 2
  return `${percent.toFixed(digits)} %`
}

/** Relative within a day, else the date: `12 min. ago`, `3 Nov`. */
export function timeText(at: string, nowMs = Date.now()): string {
  const ms = Date.parse(at) - nowMs
  const size = Math.abs(ms)
  if (size < MINUTE_MS) return ms > 0 ? 'in a moment' : 'just now'
  if (size < HOUR_MS) return relative.format(Math.round(ms / MINUTE_MS), 'minute')
  if (size < DAY_MS) return relative.format(Math.round(ms / HOUR_MS), 'hour')
  return dateText(at, nowMs)
}

export function dateText(at: string, nowMs = Date.now()): string {
  const date = new Date(at)
  return (date.getFullYear() === new Date(nowMs).getFullYear() ? dayMonth : dayMonthYear).format(date)
}

/** A day as the server has it, `1980-12-24` or without its year `--12-24`: `24 Dec 1980`, `24 Dec`. */
export function dayText(day: string): string {
  const hasYear = !day.startsWith('--')
  // A leap year, and noon by the clock of the browser: every zone has both on that day.
  return (hasYear ? dayMonthYear : dayMonth).format(new Date(`${hasYear ? day : `2000${day.slice(1)}`}T12:00`))
}

/** In the reader's own zone, to the minute. */
export function dateTimeText(at: string): string {
  return dateTime.format(new Date(at))
}

/** A date and time without a zone, which is each reader's own: of `2027-03-28T02:30:00`. */
export function clockText(at: string): string {
  return clock.format(new Date(`${at}Z`))
}

/** A moment that people have written down, as they would: `31 Jan 2026, 09:00 UTC`. */
export function writtenText(at: string): string {
  return `${clock.format(new Date(at))} UTC`
}

/** `2026-11-21 03:10:40 UTC`. */
export function utcText(at: string): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

const KB = 1e3
const MB = 1e6
const GB = 1e9

/** `3 kB`, `12.5 MB`, `1.2 GB`. */
export function sizeText(bytes: number): string {
  if (bytes < MB) return `${Math.max(1, Math.round(bytes / KB))} kB`
  return bytes < GB ? `${(bytes / MB).toFixed(1)} MB` : `${(bytes / GB).toFixed(1)} GB`
}

/** `opened_by_person` as words: `Opened by person`. */
export function wordsOf(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
