import { readRecords } from '../../platform/csv/csv-records.ts'
import { createUtf8Converter } from '../../platform/csv/to-utf8.ts'
import { type Shape, shapeOf } from '../imports/csv-shape.ts'
import type { MovedPage } from './moved.ts'
import type { Part } from './read-parts.ts'

/** A file of people that another service wrote, in characters, and how it is written. */
export type PeopleFile = { name: string; text: string; shape: Shape }

const ROWS_PER_PAGE = 1_000
const HEAD_CHARS = 256 * 1024

/** The file of these bytes; or what is wrong with it. */
export function peopleFileOf(name: string, bytes: Buffer): PeopleFile | { fault: string } {
  const converter = createUtf8Converter()
  const text = converter.convert(bytes).toString('utf8') + converter.end().toString('utf8')
  const shape = shapeOf(text.slice(0, HEAD_CHARS), text.length <= HEAD_CHARS)
  return 'fault' in shape ? shape : { name, text, shape }
}

/** Opt-outs and the like that rows of a file tell, by the places of their columns. */
type Also = (rows: readonly (readonly string[])[]) => Partial<MovedPage>

/** Such a file in stretches; its rows come along as they stand in it. */
export function csvPart({ name, text, shape }: PeopleFile, also: Also): Part {
  return async (place) => {
    const from = place === '' ? shape.headerChars : Number(place)
    const part = readRecords(text.slice(from), {
      delimiter: shape.delimiter,
      recordsMax: ROWS_PER_PAGE,
      final: true,
    })
    if (part.records.length === 0) return { found: {}, next: null }
    const to = from + part.chars
    const people = [{ file: name, head: text.slice(0, shape.headerChars), rows: text.slice(from, to) }]
    const found = { people, ...also(part.records.map(({ fields }) => fields)) }
    return { found, next: to >= text.length ? null : String(to) }
  }
}
