import { type Static, type TSchema, Type } from 'typebox'
import { invalid } from '../problem.ts'
import { answer, closed, isBeyondIds } from './schemas.ts'

const PAGE_MAX = 2 ** 31 - 1
export const PAGE_SIZE_MAX = 1_000
const PAGE_SIZE_DEFAULT = 25

/** The two parameters of every page-based list; spread into a route's `closed({ ...pageParameters, search: … })`. */
export const pageParameters = {
  page: Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1, description: 'Page number, from 1.' }),
  pageSize: Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX, default: PAGE_SIZE_DEFAULT, description: 'Page size.' }),
}

export const PageQuery = closed(pageParameters)
export type PageQuery = Static<typeof PageQuery>

/** Answer of a page-based list, named after what it lists. */
export function pageOf<S extends TSchema & { title?: string }>(item: S) {
  const fields = {
    items: Type.Array(item),
    page: Type.Integer(),
    pageSize: Type.Integer(),
    totalItems: Type.Integer(),
    totalPages: Type.Integer(),
  }
  return item.title === undefined ? Type.Object(fields) : answer(`${item.title}Page`, fields)
}

/** A page as it is answered: past the end it has no items, and an empty list has no pages. */
export function page<T>(query: PageQuery, totalItems: number, items: T[]) {
  return {
    items,
    page: query.page,
    pageSize: query.pageSize,
    totalItems,
    totalPages: Math.ceil(totalItems / query.pageSize),
  }
}

/** Of the rows of one page: it is parsed and written in one go, in which nobody else is served. */
export const PAGE_CHARS_MAX = 8 * 1024 * 1024

/** Rows as they came, before anything is made of them. Throws 400 for a page whose rows are longer than `PAGE_CHARS_MAX` together. */
export function fitting<T extends object>(rows: readonly T[]): readonly T[] {
  let chars = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') chars += value.length
  if (chars <= PAGE_CHARS_MAX) return rows
  const detail = `asks for a page of more than ${PAGE_CHARS_MAX / 2 ** 20} MiB: ask for fewer at once`
  throw invalid([{ pointer: '/pageSize', detail }])
}

/** Rows to pass over before the page; may be far beyond the end of the list. */
export function rowsBefore(query: PageQuery): number {
  return (query.page - 1) * query.pageSize
}

const CURSOR_CHARS_MAX = 512

/**
 * The opaque cursors of one list: its name, and the key of the last row shown, whose parts match `patterns`. The key of
 * another list's row would lead to some place in this one and pass over what is before it.
 */
export function cursorsOf(list: string, patterns: readonly RegExp[]) {
  const encode = (key: readonly string[]) => Buffer.from(JSON.stringify([list, ...key])).toString('base64url')
  return {
    encode,
    /** The key again, or undefined when the text is not, to the letter, a cursor of this list. */
    decode(cursor: string): string[] | undefined {
      if (cursor.length > CURSOR_CHARS_MAX) return undefined
      const [of, ...key] = partsOf(cursor)
      if (of !== list || key.length !== patterns.length) return undefined
      const fits = patterns.every((pattern, index) => {
        const part = key[index]
        return typeof part === 'string' && pattern.test(part) && !isBeyondIds(part)
      })
      return fits && encode(key as string[]) === cursor ? (key as string[]) : undefined
    },
  }
}

/** A row of a list that looks at many for one that fits: whether it does, and the how many-eth it is that was looked at. */
export type ExaminedRow = { fits: boolean; examined: string }

/**
 * A page of such a list, and the row behind which the next begins, if there is one. `rows` are the first that fit, one more than `limit`
 * if there are so many, else these and the last that was looked at. `examinedMax`: where a look ends though the list may go on.
 */
export function examinedPage<R extends ExaminedRow>(
  rows: readonly R[],
  { limit, examinedMax }: { limit: number; examinedMax: number },
): { items: Omit<R, keyof ExaminedRow>[]; last: Omit<R, keyof ExaminedRow> | undefined } {
  const fitting = rows.filter(({ fits }) => fits)
  const items = fitting.slice(0, limit).map(({ fits: _fits, examined: _examined, ...row }) => row)
  const cut = Number(rows.at(-1)?.examined) === examinedMax ? rows.at(-1) : undefined
  return { items, last: fitting.length > limit ? items.at(-1) : cut }
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
