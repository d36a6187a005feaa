import { normaliseEmail } from '../contacts/aliases.ts'
import { readRecords } from './csv-records.ts'

export const DELIMITERS = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof DELIMITERS)[number]

/** A column with the first values that stand in it. Names are unique: a repeated one gets a number. */
export type Column = { name: string; samples: string[] }

export type Shape = { delimiter: Delimiter; columns: Column[]; headerChars: number; headerLines: number }

const COLUMNS_MAX = 300
const NAME_CHARS_MAX = 200
const SAMPLES_MAX = 3
const SAMPLE_CHARS_MAX = 100
const RECORDS_LOOKED_AT = 20

/**
 * How a file is written, by its first lines: the delimiter that cuts them into the most columns alike, and the names that
 * the first record gives them. A sentence when it is no table of named columns.
 */
export function shapeOf(head: string, isWhole: boolean): Shape | { fault: string } {
  const read = (delimiter: string, recordsMax: number) => readRecords(head, { delimiter, recordsMax, final: isWhole })
  const delimiter = DELIMITERS.toSorted(
    (a, b) => score(read(b, RECORDS_LOOKED_AT).records) - score(read(a, RECORDS_LOOKED_AT).records),
  )[0]!
  const header = read(delimiter, 1)
  const [names] = header.records
  if (!names) return { fault: 'has no header row' }
  if (names.fault) return { fault: `has a header row that ${names.fault}` }
  if (names.fields.length > COLUMNS_MAX) return { fault: `has more than ${COLUMNS_MAX} columns` }
  if (names.fields.some((name) => normaliseEmail(name) !== undefined)) {
    return { fault: 'has no header row: its first row holds an address, it must name the columns' }
  }
  const rows = read(delimiter, RECORDS_LOOKED_AT).records.slice(1)
  const columns = uniqueNames(names.fields).map((name, n) => ({
    name,
    samples: rows
      .flatMap(({ fields }) => fields[n]?.trim() || [])
      .slice(0, SAMPLES_MAX)
      .map((sample) => sample.slice(0, SAMPLE_CHARS_MAX)),
  }))
  return { delimiter, columns, headerChars: header.chars, headerLines: header.lines }
}

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
    const name = text.trim().slice(0, NAME_CHARS_MAX) || `Column ${n + 1}`
    let unique = name
    for (let count = 2; taken.has(unique); count++) unique = `${name} (${count})`
    taken.add(unique)
    return unique
  })
}
