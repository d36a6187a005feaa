import { isDayOfCalendar } from '../../platform/calendar-day.ts'
import { parseExactJson } from '../../platform/json/exact-json.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { folded, yesOrNo } from './folded.ts'
import { isOfPlainNumbers } from './plain-numbers.ts'

/** How the values of a column are written: the order of day, month and year, the sign before decimals, or words. */
export const COLUMN_FORMATS = [
  'text',
  'date_dmy',
  'date_mdy',
  'date_ymd',
  'number_comma',
  'number_point',
  'boolean',
] as const
export type ColumnFormat = (typeof COLUMN_FORMATS)[number]

type DateOrder = 'dmy' | 'mdy' | 'ymd'
const ORDERS: readonly DateOrder[] = ['ymd', 'dmy', 'mdy']

const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?$/
const MIDNIGHT = '00:00:00'
const FORM_CHARS_MAX = 40

/**
 * A value as its column's format has it: a date as `1980-12-24`, one without a year as `--12-24`, a time in UTC, a number
 * with all its digits, true or false. Undefined for a value that is not written so. Pure.
 */
export function readAs(format: ColumnFormat, text: string, now = new Date()): unknown {
  switch (format) {
    case 'text':
      return text
    case 'date_dmy':
    case 'date_mdy':
    case 'date_ymd':
      return readDate(text, format.slice(-3) as DateOrder, now)
    case 'number_comma':
      return readNumber(text, { group: /[. ’']/g, point: ',' })
    case 'number_point':
      return readNumber(text, { group: /[, ’']/g, point: '.' })
    case 'boolean':
      return yesOrNo(text)
  }
}

/** Whether this is a day or a time, in whichever order it is written. */
export function isTime(text: string, now = new Date()): boolean {
  return ORDERS.some((order) => readDate(text, order, now) !== undefined)
}

/** A time without a zone is UTC; midnight, which spreadsheets add to dates, is the date alone. */
function readDate(text: string, order: DateOrder, now: Date): string | undefined {
  if (text.length > FORM_CHARS_MAX) return undefined
  const utc = toUtc(text)
  if (utc !== undefined) return utc
  const [date = '', ...clock] = text.replaceAll(/([./-]) /g, '$1').split(/[T ,]+/)
  const day = dayOf(date, order, now)
  if (day === undefined || clock.length === 0) return day
  const time = clockOf(clock.join(' '))
  if (time === undefined || day.startsWith('--')) return undefined
  return time === MIDNIGHT ? day : `${day}T${time}Z`
}

function dayOf(date: string, order: DateOrder, now: Date): string | undefined {
  if (!/^\d[\d./-]*$/.test(date)) return undefined
  const parts = date.split(/[./-]/)
  if (parts.at(-1) === '') parts.pop()
  if (parts.some((part) => !/^\d{1,4}$/.test(part))) return undefined
  const found = parts[0]!.length === 4 ? 'ymd' : order
  if (parts.length === 2 && found !== 'ymd') {
    const [day, month] = found === 'dmy' ? parts : [parts[1], parts[0]]
    return dayText({ year: '', month: month!, day: day! })
  }
  if (parts.length !== 3) return undefined
  const [year, month, day] = [...'ymd'].map((letter) => parts[found.indexOf(letter)]!)
  const whole = yearOf(year!, now)
  return whole === undefined ? undefined : dayText({ year: whole, month: month!, day: day! })
}

function dayText(date: { year: string; month: string; day: string }): string | undefined {
  const { year, month, day } = date
  if (month.length > 2 || day.length > 2 || !isDayOfCalendar(date)) return undefined
  return `${year || '-'}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
}

/** Two digits are of the hundred years that end with this one: 80 is 1980. */
function yearOf(year: string, now: Date): string | undefined {
  if (year.length === 4) return year === '0000' ? undefined : year
  if (year.length !== 2) return undefined
  const century = Math.floor(now.getUTCFullYear() / 100)
  return String((Number(year) > now.getUTCFullYear() % 100 ? century - 1 : century) * 100 + Number(year))
}

/** `9:15`, `09:15:42`, `9:15 PM`. */
function clockOf(text: string): string | undefined {
  const half = /\s?([ap])\.?m\.?$/i.exec(text)
  const found = CLOCK.exec(half ? text.slice(0, half.index) : text)
  if (!found) return undefined
  const [, hours = '', minutes = '', seconds = '00'] = found
  const hour = half ? (Number(hours) % 12) + (half[1]!.toLowerCase() === 'p' ? 12 : 0) : Number(hours)
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59 || (half && Number(hours) > 12)) return undefined
  return `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`
}

type NumberForm = { group: RegExp; point: ',' | '.' }

/** Groups of three, or none; a zero in front of other digits is part of a code, not of a number. */
function readNumber(text: string, { group, point }: NumberForm): unknown {
  if (text.length > FORM_CHARS_MAX) return undefined
  const [whole = '', decimals, ...more] = text.split(point)
  const groups = whole.replace('-', '').split(group)
  const isGrouped = groups.length === 1 || groups.slice(1).every((digits) => /^\d{3}$/.test(digits))
  const digits = groups.join('')
  const isNumber = /^(?:0|[1-9]\d*)$/.test(digits) && (groups[0]?.length ?? 0) > 0
  if (more.length > 0 || !isGrouped || !isNumber || (groups.length > 1 && groups[0]!.length > 3)) return undefined
  if (decimals !== undefined && !/^\d+$/.test(decimals)) return undefined
  const sign = whole.startsWith('-') ? '-' : ''
  return parseExactJson(`${sign}${digits}${decimals === undefined ? '' : `.${decimals}`}`)
}

/** Words for the day somebody was born, folded; a column of this name may leave out the year. */
export const BIRTHDAY_WORDS: ReadonlySet<string> = new Set(
  (
    'birthday birthdate dateofbirth dob bday geburtstag geburtsdatum fodselsdag fodselsdato fodelsedag fodelsedatum ' +
    'geboortedatum verjaardag datedenaissance anniversaire fechadenacimiento cumpleanos datadinascita compleanno ' +
    'datadenascimento aniversario dataurodzenia urodziny'
  ).split(' '),
)

type Seen = { name: string; values: readonly string[] }

/** Of ten values one may be written otherwise: a day that there is not, a word among the numbers. It stays text. */
const FITTING_PART = 0.9

/**
 * The formats that fit a column, the likeliest first: more than one where a date can be read both ways round. None for text,
 * and for a column without values.
 */
function formatsOf({ name, values }: Seen): ColumnFormat[] {
  if (values.length === 0) return []
  const fitting = (format: ColumnFormat) => values.filter((value) => readAs(format, value) !== undefined).length
  const isMost = (count: number) => count >= values.length * FITTING_PART
  const isWhole = BIRTHDAY_WORDS.has(folded(name)) ? /^\d{1,4}[./-] ?\d/ : /^\d{1,4}[./-] ?\d{1,2}[./-] ?\d/
  if (isMost(values.filter((value) => isWhole.test(value)).length)) {
    const counts = ORDERS.map((order) => fitting(`date_${order}`))
    const most = Math.max(...counts)
    if (isMost(most)) return ORDERS.filter((_, n) => counts[n] === most).map((order): ColumnFormat => `date_${order}`)
  }
  const isFor = (format: ColumnFormat) => isMost(fitting(format))
  if (values.some((value) => /,\d{1,2}$|\d\.\d{3},\d/.test(value)) && isFor('number_comma')) return ['number_comma']
  if (values.some((value) => /\d,\d{3}(?:\.\d|,)/.test(value)) && isFor('number_point')) return ['number_point']
  if (isOfPlainNumbers(name, values, FITTING_PART)) return ['number_point']
  const isOfWords = fitting('boolean') === values.length && values.every((value) => !/^.$/.test(value))
  return isOfWords ? ['boolean'] : []
}

/** `isSure` is false where the values could as well be read another way. */
export type DetectedFormat = { format: ColumnFormat; isSure: boolean }

/**
 * How each column of a file is written, by its values. Dates that can be read both ways round go by the other dates of the
 * file, else by their dots and by its semicolons, which go together with days before months.
 */
export function detectFormats(columns: readonly Seen[], delimiter: string): DetectedFormat[] {
  const found = columns.map(formatsOf)
  const sure = found.filter((formats) => formats.length === 1).map(([format]) => format!)
  return found.map((formats, n) => {
    const [first = 'text', ...others] = formats
    if (others.length === 0 || first === 'date_ymd') return { format: first, isSure: true }
    const known = formats.find((format) => sure.includes(format))
    if (known) return { format: known, isSure: true }
    const hasDots = columns[n]!.values.some((value) => value.includes('.'))
    return { format: hasDots || delimiter === ';' ? 'date_dmy' : 'date_mdy', isSure: hasDots }
  })
}
