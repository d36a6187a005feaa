import { readRecords } from '../../platform/csv/csv-records.ts'
import { createUtf8Converter } from '../../platform/csv/to-utf8.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type Shape, shapeOf } from '../imports/csv-shape.ts'
import { compileMapping } from '../imports/map-row.ts'
import { suggestMapping } from '../imports/mapping.ts'
import type { Moved, MovedPeople, OptOut } from './moved.ts'

/** Reasons and examples of what does not come along; more of them are only counted. */
export type LeftOutSum = { why: string; count: number; examples: string[] }

/** Everything that would come along, and what would not. */
export type Foreseen = {
  source: string
  people: { total: number; withConsent: number; withoutConsent: number; files: string[] }
  optOuts: Record<OptOut['kind'], number>
  tags: string[]
  fields: string[]
  templates: string[]
  broadcasts: string[]
  leftOut: LeftOutSum[]
}

const HEAD_BYTES = 256 * 1024
const EXAMPLES_MAX = 3
const RECORDS_AT_ONCE = 1_000

/** Judges people by the same rules as their import, and changes nothing. */
export function foresee(moved: Moved): Foreseen {
  const sums = new Map<string, LeftOutSum>()
  const leave = (what: string, why: string) => {
    const sum = sums.get(why) ?? { why, count: 0, examples: [] }
    sum.count += 1
    if (sum.examples.length < EXAMPLES_MAX) sum.examples.push(what)
    sums.set(why, sum)
  }
  const known = { tags: new Set<string>(), fields: new Set<string>() }
  const people = { total: 0, withConsent: 0, withoutConsent: 0, files: moved.people.map(({ name }) => name) }
  for (const file of moved.people) {
    for (const row of rowsOf(file)) {
      people.total += 1
      if ('fault' in row.mapped) {
        leave(`${file.name}, line ${row.line}`, row.mapped.fault)
        continue
      }
      if (row.mapped.consent === null) people.withoutConsent += 1
      else people.withConsent += 1
      for (const tag of [...row.mapped.tags, ...file.tags]) known.tags.add(tag)
      for (const key of Object.keys(row.mapped.item.customFields ?? {})) known.fields.add(key)
    }
  }
  const optOuts = { unsubscribed: 0, bounce: 0, complaint: 0, manual: 0 }
  for (const { email, kind } of moved.optOuts) {
    if (normaliseEmail(email) === undefined) leave(`"${email}"`, 'is no email address')
    else optOuts[kind] += 1
  }
  for (const { what, why } of moved.leftOut) leave(what, why)
  return {
    ...{ source: moved.source, people, optOuts },
    ...{ tags: [...known.tags].sort(), fields: [...known.fields].sort() },
    templates: moved.templates.map(({ name }) => name),
    broadcasts: moved.broadcasts.map(({ name }) => name),
    leftOut: [...sums.values()],
  }
}

function* rowsOf({ csv, mapping }: MovedPeople) {
  const converter = createUtf8Converter()
  const utf8 = Buffer.concat([converter.convert(csv), converter.end()])
  const shape = shapeOf(utf8.toString('utf8', 0, HEAD_BYTES), utf8.length <= HEAD_BYTES)
  if ('fault' in shape) return
  let text = utf8.toString('utf8').slice(shape.headerChars)
  let lines = shape.headerLines
  const map = mapperFor(shape, mapping)
  for (;;) {
    const part = readRecords(text, { delimiter: shape.delimiter, recordsMax: RECORDS_AT_ONCE, final: true })
    if (part.records.length === 0) return
    for (const { line, fields, fault } of part.records) {
      if (fields.every((value) => value.trim() === '')) continue
      yield { line: lines + line + 1, mapped: fault === undefined ? map(fields) : { fault } }
    }
    text = text.slice(part.chars)
    lines += part.lines
  }
}

function mapperFor({ columns }: Shape, mapping: MovedPeople['mapping']) {
  const formats = Object.fromEntries(
    columns.flatMap(({ name, format }) => (format === 'text' ? [] : [[name, format] as const])),
  )
  return compileMapping(columns, mapping(suggestMapping(columns)), { consent: 'unconfirmed', formats })
}
