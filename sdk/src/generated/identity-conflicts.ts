// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type IdentityConflict = {
  id: string
  /** aliases-disagree: your server has named two contacts as one person. alias-taken: it has stated another email or phone of a contact, which another one has. possible-duplicate: a visitor whose page had made the other contact was signed as this one. too-many-visitors: pages claim that too many visitors are this contact. */
  kind: Open<'aliases-disagree' | 'alias-taken' | 'possible-duplicate' | 'too-many-visitors'>
  alias: Open<'email' | 'phone'> | null
  /** The one that the statement was taken to be about. */
  contactId: string
  /** The one that has the alias, or was made by the page. */
  otherContactId: string | null
  createdAt: string
  lastSeenAt: string
}

export type IdentityConflictPage = {
  items: Array<IdentityConflict>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type IdentityConflictResolution = {
  /** merge: the other contact becomes part of the first. keep: they are two people. */
  as: 'merge' | 'keep'
}

export interface IdentityConflictsOperations {
  /** List identity conflicts. Statements of your server that contacts contradict, and about which nothing was done. Ascending by id. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<IdentityConflictPage>

  /** Resolve an identity conflict. It leaves the list. Merging cannot be undone. Needs the scope `contacts:write`. */
  resolve(id: string, body: IdentityConflictResolution, options?: PostOptions): Promise<void>
}
