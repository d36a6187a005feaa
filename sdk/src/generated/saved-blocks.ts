// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'

export type SavedBlock = {
  id: string
  /** Trimmed; of one block only, whatever its case. */
  name: string
  /** Its element, which says where it may stand. */
  element: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */
  body: string
  createdAt: string
  updatedAt: string
}

export type SavedBlockBody = {
  /** Trimmed; of one block only, whatever its case. */
  name: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */
  body: string
}

export type SavedBlockChange = {
  /** Trimmed; of one block only, whatever its case. */
  name?: string
  /** One element of MJML as it stands in a mail, with Liquid, to the character: a wrapper, section, hero, column, or what a column holds. */
  body?: string
}

export type SavedBlockSummary = {
  id: string
  /** Trimmed; of one block only, whatever its case. */
  name: string
  /** Its element, which says where it may stand. */
  element: string
  createdAt: string
  updatedAt: string
}

export type SavedBlockSummaryPage = {
  items: Array<SavedBlockSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface SavedBlocksOperations {
  /** Save a block. For mails to come: a mail that takes it has its text from then on. One that a mail could not be sent with is answered 422, with each fault and its line. A workspace keeps at most 500. Needs the scope `templates:write`. */
  create(body: SavedBlockBody, options?: PostOptions): Promise<Tagged<SavedBlock>>

  /** Delete a saved block. Mails that have taken it keep their text. Needs the scope `templates:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a saved block. Needs the scope `templates:read`. */
  get(id: string, options?: Options): Promise<Tagged<SavedBlock>>

  /** List saved blocks. By name, without their text: read one to have it. Needs the scope `templates:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<SavedBlockSummaryPage>

  /** Change a saved block. Absent fields stay. Mails that have taken it keep their text. Needs the scope `templates:write`. */
  update(id: string, body: SavedBlockChange, options?: GuardedOptions): Promise<Tagged<SavedBlock>>
}
