import { readRecords } from '../../platform/csv/csv-records.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { shapeOf } from '../imports/csv-shape.ts'
import { compileMapping, type MappedRow } from '../imports/map-row.ts'
import { suggestMapping } from '../imports/mapping.ts'
import type { MovedPage, MovedPeople, OptOut, Service } from './moved.ts'

/** Reasons and examples of what does not come along; more of them are only counted. */
export type LeftOutSum = { why: string; count: number; examples: string[] }

/** Everything that would come along, and what would not. */
export type Foreseen = {
  people: { total: number; withConsent: number; withoutConsent: number; files: string[] }
  optOuts: Record<OptOut['kind'], number>
  tags: string[]
  fields: string[]
  templates: string[]
  broadcasts: string[]
  leftOut: LeftOutSum[]
}

const EXAMPLES_MAX = 3
const EXAMPLE_CHARS_MAX = 100
/** Names of each kind that are told, and reasons: what is beyond is only left away here. */
const NAMES_MAX = 1_000
const REASONS_MAX = 500

/** Nothing seen yet. */
export const FORESEEN: Foreseen = {
  people: { total: 0, withConsent: 0, withoutConsent: 0, files: [] },
  optOuts: { unsubscribed: 0, bounce: 0, complaint: 0, manual: 0 },
  ...{ tags: [], fields: [], templates: [], broadcasts: [], leftOut: [] },
}

/** Adds a page to what is foreseen. Judges people by the same rules as their import, and changes nothing. */
export function foresee(before: Foreseen, page: MovedPage, service: Service): Foreseen {
  const told = new Telling(before)
  const people = { ...before.people }
  for (const stretch of page.people) {
    told.add('files', stretch.file)
    for (const { mapped, values } of rowsOf(stretch, service)) {
      people.total += 1
      if ('fault' in mapped) {
        told.leave(`"${values.find((value) => value.trim() !== '') ?? ''}"`, mapped.fault)
        continue
      }
      people[mapped.consent === null ? 'withoutConsent' : 'withConsent'] += 1
      for (const tag of mapped.tags) told.add('tags', tag)
      for (const key of Object.keys(mapped.item.customFields ?? {})) told.add('fields', key)
    }
  }
  const optOuts = { ...before.optOuts }
  for (const { email, kind } of page.optOuts) {
    if (normaliseEmail(email) === undefined) told.leave(`"${email}"`, 'is no email address')
    else optOuts[kind] += 1
  }
  for (const { name } of page.templates) told.add('templates', name)
  for (const { name } of page.broadcasts) told.add('broadcasts', name)
  for (const { what, why } of page.leftOut) told.leave(what, why)
  const { files, tags, fields, templates, broadcasts } = told.names()
  return {
    people: { ...people, files },
    optOuts,
    tags: tags.toSorted(),
    fields: fields.toSorted(),
    templates,
    broadcasts,
    leftOut: told.sums(),
  }
}

type Names = 'files' | 'tags' | 'fields' | 'templates' | 'broadcasts'

/** Names and reasons, each told once. */
class Telling {
  readonly #names: Record<Names, Set<string>>
  readonly #sums: Map<string, LeftOutSum>

  constructor({ people, tags, fields, templates, broadcasts, leftOut }: Foreseen) {
    this.#names = {
      ...{ files: new Set(people.files), tags: new Set(tags), fields: new Set(fields) },
      ...{ templates: new Set(templates), broadcasts: new Set(broadcasts) },
    }
    this.#sums = new Map(leftOut.map((sum) => [sum.why, { ...sum, examples: [...sum.examples] }]))
  }

  add(kind: Names, name: string): void {
    if (this.#names[kind].size < NAMES_MAX) this.#names[kind].add(name)
  }

  leave(what: string, why: string): void {
    const sum = this.#sums.get(why) ?? { why, count: 0, examples: [] }
    if (sum.count === 0 && this.#sums.size >= REASONS_MAX) return
    sum.count += 1
    if (sum.examples.length < EXAMPLES_MAX) sum.examples.push(what.slice(0, EXAMPLE_CHARS_MAX).toWellFormed())
    this.#sums.set(why, sum)
  }

  names(): Record<Names, string[]> {
    const of = (kind: Names) => [...this.#names[kind]]
    return {
      files: of('files'),
      tags: of('tags'),
      fields: of('fields'),
      templates: of('templates'),
      broadcasts: of('broadcasts'),
    }
  }

  sums(): LeftOutSum[] {
    return [...this.#sums.values()]
  }
}

type Row = { values: readonly string[]; mapped: MappedRow | { fault: string } }

function rowsOf({ file, head, rows }: MovedPeople, service: Service): Row[] {
  const text = head + rows
  const shape = shapeOf(text, true)
  if ('fault' in shape) return []
  const { columns, delimiter, headerChars } = shape
  const formats = Object.fromEntries(
    columns.flatMap(({ name, format }) => (format === 'text' ? [] : [[name, format] as const])),
  )
  const mapping = service.mapping(file, suggestMapping(columns))
  const map = compileMapping(columns, mapping, { consent: 'unconfirmed', formats })
  const { records } = readRecords(text.slice(headerChars), {
    ...{ delimiter, final: true },
    recordsMax: Number.POSITIVE_INFINITY,
  })
  return records
    .filter(({ fields }) => fields.some((value) => value.trim() !== ''))
    .map(({ fields, fault }) => ({ values: fields, mapped: fault === undefined ? map(fields) : { fault } }))
}
