// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { Tag, TagBody, TagPage } from './shared.ts'

export type TagChange = {
  /** Up to 100 characters; unique in the workspace whatever the case of its letters. */
  name?: string
}

export type TagCount = {
  /** How many contacts have the tag; exact. */
  contactCount: number
}

export interface TagsOperations {
  /** Count the contacts of a tag. Exact, and at no cost that grows with their number. Needs the scope `contacts:read`. */
  count(id: string, options?: Options): Promise<TagCount>

  /** Create a tag. One that no contact has yet. Giving a contact a tag that is not there creates it too. `VIP` and `vip` are one tag, spelled as it was first. Needs the scope `contacts:write`. */
  create(body: TagBody, options?: PostOptions): Promise<Tagged<Tag>>

  /** Delete a tag. Gone at once from every list; in the background each of its contacts gets its `contact.untagged` event. 409 while a segment, an automation or a form names it. Needs the scope `contacts:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Read a tag. With its entity tag, for `If-Match` on a change. Needs the scope `contacts:read`. */
  get(id: string, options?: Options): Promise<Tagged<Tag>>

  /** List tags. By name, capital letters before small ones. `totalItems` is exact. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only tags with this text in their name, whatever the case of its letters. */
    search?: string
  }, options?: Options): List<TagPage>

  /** Rename a tag. Its contacts keep it; segments and forms that name it follow. 422 while an automation names it. Needs the scope `contacts:write`. */
  update(id: string, body: TagChange, options?: GuardedOptions): Promise<Tagged<Tag>>
}
