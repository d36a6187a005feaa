import { readRecords } from '../../platform/csv/csv-records.ts'
import { cutText } from '../../platform/cut-text.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { COLUMN_FORMATS, type ColumnFormat, type DetectedFormat, detectFormats, readAs } from './column-format.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/**
 * A column with the first values that stand in it, and how they are written. Names are unique: a repeated one gets a
 * number. `readings` has the samples as each format that fits most of them reads them; one that it does not fit stays as
 * it stands, as in the import.
 */
export type Column = {
  name: string
  samples: string[]
  readings: Partial<Record<ColumnFormat, string[]>>
} & DetectedFormat

export type Shape = { delimiter: Delimiter; columns: Column[]; headerChars: number; headerLines: number }

const COLUMNS_MAX = 300
const NAME_CHARS_MAX = 200
const SAMPLES_MAX = 3
const SAMPLE_CHARS_MAX = 100
const RECORDS_LOOKED_AT = 20
/** For the format of a column, which one value may decide. */
const RECORDS_OF_FORMAT = 1_000
/** A first line that is no row: it tells a spreadsheet the delimiter, `sep=;`. */
const TOLD_DELIMITER = /^"?sep=(.)"?\r?\n/i
/** In the name of a column: control characters, but for tabs and the line ends of a quoted name. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const NOT_TEXT = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)/

/**
 * How a file is written, by its first lines: the delimiter that cuts them into the most columns alike, and the names that
 * the first record gives them. A sentence when it is no table of named columns.
 */
export function shapeOf(text: string, isWhole: boolean): Shape | { fault: string } {
  const told = TOLD_DELIMITER.exec(text)
  if (!told) return tableOf(text, { isWhole, delimiters: DELIMITERS })
  const [line, delimiter] = told
  const delimiters = DELIMITERS.filter((one) => one === delimiter)
  const shape = tableOf(text.slice(line.length), {
    isWhole,
    delimiters: delimiters.length > 0 ? delimiters : DELIMITERS,
  })
  if ('fault' in shape) return shape
  return { ...shape, headerChars: line.length + shape.headerChars, headerLines: 1 + shape.headerLines }
}

type Looked = { isWhole: boolean; delimiters: readonly Delimiter[] }

function tableOf(head: string, { isWhole, delimiters }: Looked): Shape | { fault: string } {
  const read = (delimiter: string, recordsMax: number) => readRecords(head, { delimiter, recordsMax, final: isWhole })
  const delimiter = delimiters.toSorted(
    (a, b) => score(read(b, RECORDS_LOOKED_AT).records) - score(read(a, RECORDS_LOOKED_AT).records),
  )[0]!
  const header = read(delimiter, 1)
  const [names] = header.records
  if (!names) return { fault: 'has no header row' }
  if (names.fault) return { fault: `has a header row that ${names.fault}` }
  if (names.fields.some((name) => NOT_TEXT.test(name))) return { fault: notText(head) }
  if (names.fields.length > COLUMNS_MAX) return { fault: `has more than ${COLUMNS_MAX} columns` }
  if (names.fields.some((name) => normaliseEmail(name) !== undefined)) {
    return { fault: 'has no header row: its first row holds an address, it must name the columns' }
  }
  const rows = read(delimiter, RECORDS_OF_FORMAT).records.slice(1)
  const seen = uniqueNames(names.fields).map((name, n) => ({
    name,
    values: rows.flatMap(({ fields }) => fields[n]?.trim() || []),
  }))
  const formats = detectFormats(seen, delimiter)
  const columns = seen.map(({ name, values }, n) => {
    const samples = values.slice(0, SAMPLES_MAX).map((sample) => textOf(sample, SAMPLE_CHARS_MAX))
    return { name, samples, ...formats[n]!, readings: readingsOf(samples) }
  })
  return { delimiter, columns, headerChars: header.chars, headerLines: header.lines }
}

function readingsOf(samples: readonly string[]): Column['readings'] {
  const readings: Column['readings'] = {}
  for (const format of COLUMN_FORMATS.filter((one) => one !== 'text')) {
    const read = samples.map((sample) => readAs(format, sample))
    const fitting = read.filter((value) => value !== undefined).length
    if (2 * fitting > samples.length) readings[format] = read.map((value, n) => shown(value ?? samples[n]))
  }
  return readings
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Columns of the header, if some of the rows below have as many; a delimiter that only occurs in values scores less. */
function score(records: readonly { fields: string[] }[]): number {
  const [header, ...rows] = records
  const columns = header?.fields.length ?? 0
  const alike = rows.filter(({ fields }) => fields.length === columns).length
  return columns <= 1 ? 0 : columns * (1 + alike)
}

function uniqueNames(given: readonly string[]): string[] {
  const taken = new Set<string>()
  return given.map((text, n) => {
    const name = textOf(text.trim(), NAME_CHARS_MAX) || `Column ${n + 1}`
    let unique = name
    for (let count = 2; taken.has(unique); count++) unique = `${name} (${count})`
    taken.add(unique)
    return unique
  })
}

/** The kind of a file that is no text, as far as its beginning tells. */
function notText(head: string): string {
  if (head.startsWith('\x1f')) return 'is compressed: send it with Content-Encoding: gzip'
  if (head.startsWith('PK')) return 'is an archive or a workbook: save the sheet as CSV'
  if (head.includes('\r') && !head.includes('\n')) return 'ends its lines as old Macs did: save it as CSV with UTF-8'
  return 'has control characters in its header row'
}

/** The beginning of a value, as JSON in the database can hold it: without U+0000 and without half a character at its end. */
function textOf(value: string, charsMax: number): string {
  return cutText(value.replaceAll('\0', ''), charsMax).toWellFormed()
}
