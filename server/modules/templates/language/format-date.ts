import { DAY_MS } from '../../../platform/durations.ts'

const MONTHS = 'January February March April May June July August September October November December'.split(' ')
const DAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
/** Directive of strftime: flags, width, letter. */
const DIRECTIVE = /%([-_0^]*)(\d{0,2})(:?[a-zA-Z%])/g

/** A moment as the clocks of a place show it: the UTC fields of `shown` are the local ones. */
type Moment = { shown: Date; at: Date; offsetMinutes: number; zone: string }

/** How wide a number is written and with what, where no flag says otherwise. */
type Field = [value: (moment: Moment) => number, width: number, fill: '0' | ' ']

const hour12 = (date: Date) => date.getUTCHours() % 12 || 12
const dayOfYear = (date: Date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS) + 1
const week = (date: Date, firstDay: number) =>
  Math.floor((dayOfYear(date) + 6 - ((date.getUTCDay() - firstDay + 7) % 7)) / 7)

const NUMBERS: Readonly<Record<string, Field>> = {
  C: [({ shown }) => Math.floor(shown.getUTCFullYear() / 100), 2, '0'],
  d: [({ shown }) => shown.getUTCDate(), 2, '0'],
  e: [({ shown }) => shown.getUTCDate(), 2, ' '],
  H: [({ shown }) => shown.getUTCHours(), 2, '0'],
  I: [({ shown }) => hour12(shown), 2, '0'],
  j: [({ shown }) => dayOfYear(shown), 3, '0'],
  k: [({ shown }) => shown.getUTCHours(), 2, ' '],
  l: [({ shown }) => hour12(shown), 2, ' '],
  L: [({ shown }) => shown.getUTCMilliseconds(), 3, '0'],
  m: [({ shown }) => shown.getUTCMonth() + 1, 2, '0'],
  M: [({ shown }) => shown.getUTCMinutes(), 2, '0'],
  s: [({ at }) => Math.floor(at.getTime() / 1_000), 1, '0'],
  S: [({ shown }) => shown.getUTCSeconds(), 2, '0'],
  u: [({ shown }) => shown.getUTCDay() || 7, 1, '0'],
  U: [({ shown }) => week(shown, 0), 2, '0'],
  w: [({ shown }) => shown.getUTCDay(), 1, '0'],
  W: [({ shown }) => week(shown, 1), 2, '0'],
  y: [({ shown }) => shown.getUTCFullYear() % 100, 2, '0'],
  Y: [({ shown }) => shown.getUTCFullYear(), 4, '0'],
}

const WORDS: Readonly<Record<string, (moment: Moment) => string>> = {
  a: ({ shown }) => DAYS[shown.getUTCDay()]!.slice(0, 3),
  A: ({ shown }) => DAYS[shown.getUTCDay()]!,
  b: ({ shown }) => MONTHS[shown.getUTCMonth()]!.slice(0, 3),
  B: ({ shown }) => MONTHS[shown.getUTCMonth()]!,
  h: ({ shown }) => MONTHS[shown.getUTCMonth()]!.slice(0, 3),
  p: ({ shown }) => (shown.getUTCHours() < 12 ? 'AM' : 'PM'),
  P: ({ shown }) => (shown.getUTCHours() < 12 ? 'am' : 'pm'),
  q: ({ shown }) => ordinal(shown.getUTCDate()),
  z: ({ offsetMinutes }) => offset(offsetMinutes, ''),
  ':z': ({ offsetMinutes }) => offset(offsetMinutes, ':'),
  Z: ({ zone }) => zone,
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
}

const WHOLE: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
}

/**
 * A moment by a format of strftime, in English, in UTC or in the named place's time. `value` is `now`, seconds since 1970
 * or what `Date` reads. Undefined when it is none of these, or there is no such place.
 */
export function formatDate(value: unknown, format: string, zone = 'UTC'): string | undefined {
  const at = readMoment(value)
  if (at === undefined) return undefined
  const offsetMinutes = zone === 'UTC' ? 0 : zoneOffset(at, zone)
  if (offsetMinutes === undefined) return undefined
  const shown = new Date(at.getTime() + offsetMinutes * 60_000)
  return write({ shown, at, offsetMinutes, zone }, format)
}

function write(moment: Moment, format: string): string {
  return format.replace(DIRECTIVE, (whole, flags: string, width: string, letter: string) => {
    const composed = WHOLE[letter]
    const number = NUMBERS[letter]
    const word = composed === undefined ? WORDS[letter]?.(moment) : write(moment, composed)
    if (number === undefined && word === undefined) return whole
    const text = word ?? padded(number!, moment, { flags, width })
    return flags.includes('^') ? text.toUpperCase() : text
  })
}

function padded([value, ownWidth, ownFill]: Field, moment: Moment, { flags, width }: { flags: string; width: string }) {
  const text = String(value(moment))
  if (flags.includes('-')) return text
  const fill = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : ownFill
  return text.padStart(Number(width) || ownWidth, fill)
}

function readMoment(value: unknown): Date | undefined {
  if (value === 'now' || value === 'today') return new Date()
  const date =
    typeof value === 'number' || (typeof value === 'string' && /^-?\d{1,15}$/.test(value))
      ? new Date(Number(value) * 1_000)
      : typeof value === 'string' && value.length <= 100
        ? new Date(withZone(value))
        : undefined
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date
}

/** A time without a place is UTC, whatever the machine's own clock shows; a birthday without a year is of a leap year. */
function withZone(text: string): string {
  if (/^--\d\d-\d\d$/.test(text)) return `2000${text.slice(1)}`
  return /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

function offset(minutes: number, between: string): string {
  const whole = Math.abs(minutes)
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(whole / 60)}${between}${two(whole % 60)}`
}

const ZONES_MAX = 100
/** Making one takes some 50 us, using it one. */
const clocks = new Map<string, Intl.DateTimeFormat | undefined>()

function zoneOffset(at: Date, zone: string): number | undefined {
  if (!clocks.has(zone)) {
    if (clocks.size >= ZONES_MAX) clocks.clear()
    clocks.set(zone, clockOf(zone))
  }
  const name = clocks
    .get(zone)
    ?.formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value
  const found = name === undefined ? undefined : /^GMT(?:([+-])(\d\d):(\d\d))?/.exec(name)
  if (!found) return undefined
  return found[1] === undefined ? 0 : Number(`${found[1]}1`) * (Number(found[2]) * 60 + Number(found[3]))
}

function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}
