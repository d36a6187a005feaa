// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'
import type { Tag, TagBody, TagPage } from './shared.ts'

export interface ContactTagsOperations {
  /** Give a contact a tag. By its name; a tag that is not there is created. The same again changes nothing. Needs the scope `contacts:write`. */
  apply(contactId: string, body: TagBody, options?: PostOptions): Promise<Tag>

  /** List the tags of a contact. By name, capital letters before small ones. Needs the scope `contacts:read`. */
  list(contactId: string, query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<TagPage>

  /** Take a tag off a contact. The name is URL-encoded, a slash in it too (`%2F`). Without the tag nothing changes. Needs the scope `contacts:write`. */
  remove(contactId: string, name: string, options?: Options): Promise<void>
}
