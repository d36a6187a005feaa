import { RECORD_CHARS_MAX, readRecords } from '../../platform/csv/csv-records.ts'
import { type Shape, shapeOf } from '../imports/csv-shape.ts'
import { type MovedPage, MovingError } from './moved.ts'
import type { Part } from './read-parts.ts'
import { TextFile } from './text-file.ts'

/** A file of people that another service wrote, in characters, and how it is written. */
export type PeopleFile = { name: string; text: TextFile; head: string; shape: Shape }

const ROWS_PER_PAGE = 1_000
const PAGE_CHARS = 1_048_576
const HEAD_CHARS = 256 * 1024
/** A line that is longer than this has no end that anybody meant. */
const LINE_CHARS_MAX = 16 * 1_048_576
/** A longer file comes in by several imports, which take 256 MiB each: at three bytes a character. */
const FILE_CHARS_MAX = 64 * 1_048_576

/** The file of these bytes; or what is wrong with it. */
export async function peopleFileOf(
  name: string,
  open: () => AsyncIterable<Buffer>,
): Promise<PeopleFile | { fault: string }> {
  const text = new TextFile(open)
  const beginning = await text.stretch(0, HEAD_CHARS)
  const seen = beginning.text.slice(0, HEAD_CHARS)
  const shape = shapeOf(seen, beginning.isEnd && beginning.text.length <= HEAD_CHARS)
  return 'fault' in shape ? shape : { name, text, head: seen.slice(0, shape.headerChars), shape }
}

/** Opt-outs and the like that rows of a file tell, by the places of their columns. */
type Also = (rows: readonly (readonly string[])[]) => Partial<MovedPage>

/** Such a file in stretches; its rows come along as they stand in it. */
export function csvPart(file: PeopleFile, also: Also): Part {
  return async (place) => {
    const from = place === '' ? file.shape.headerChars : Number(place)
    const { rows, records, isLast } = await rowsFrom(file, from)
    const next = isLast ? null : String(from + rows.length)
    if (records.length === 0) return { found: {}, next }
    const people = [{ file: importOf(file.name, from), head: file.head, rows }]
    return { found: { people, ...also(records.map(({ fields }) => fields)) }, next }
  }
}

/** Whole rows from a place on, as many as a page has, or as are in as much of the file as is held at once. */
async function rowsFrom({ name, text, shape }: PeopleFile, from: number) {
  for (let chars = PAGE_CHARS; ; chars *= 2) {
    const ahead = await text.stretch(from, chars)
    const limits = { recordsMax: ROWS_PER_PAGE, final: ahead.isEnd }
    const part = readRecords(ahead.text, { delimiter: shape.delimiter, ...limits })
    if (part.chars > 0 || ahead.isEnd) {
      const isLast = ahead.isEnd && part.chars >= ahead.text.length
      return { rows: ahead.text.slice(0, part.chars), records: part.records, isLast }
    }
    if (chars > LINE_CHARS_MAX + RECORD_CHARS_MAX)
      throw new MovingError(`${name} has a line of over ${LINE_CHARS_MAX} characters`)
  }
}

/** The name of the import that a row belongs to by its place, which is the file's as long as one takes it. */
function importOf(name: string, from: number): string {
  const number = Math.floor(from / FILE_CHARS_MAX)
  return number === 0 ? name : `${name} (${number + 1})`
}
