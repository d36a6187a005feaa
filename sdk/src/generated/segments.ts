// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Options, PostOptions, Tagged } from '../call.ts'
import type { List } from '../list.ts'
import type { Contact } from './shared.ts'

export type Segment = {
  id: string
  name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */
  definition: string
  createdAt: string
  updatedAt: string
}

export type SegmentBody = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */
  name: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */
  definition: string
}

export type SegmentChange = {
  /** Unique in the workspace, whatever the case of its letters; trimmed. */
  name?: string
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */
  definition?: string
}

export type SegmentMembership = {
  isMember: boolean
  /** In the order of the definition; muted ones are left out. */
  rules: Array<{
    /** The rule in the definition. */
    pointer: string
    field: string
    operator: string
    /** Whether this rule by itself holds for the contact. */
    holds: boolean
  }>
}

export type SegmentPage = {
  items: Array<Segment>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SegmentPreview = {
  /** How many contacts belong to it now, exactly. */
  count: number
  /** Its first ten contacts, ascending by id. */
  sample: Array<Contact>
}

export type SegmentPreviewBody = {
  /** The rule group of react-querybuilder, as JSON text. Blank text, or a group without rules: everyone. */
  definition?: string | null
}

export interface SegmentsOperations {
  /** Create a segment. The definition is the rule group of react-querybuilder as JSON text, kept to the character. One that is wrong is answered 422 with a pointer to each rule at fault, such as `/definition/rules/0/rules/2/value`. The name is unique in the workspace. Needs the scope `segments:write`. */
  create(body: SegmentBody, options?: PostOptions): Promise<Tagged<Segment>>

  /** Delete a segment. Not while another segment or a broadcast to come refers to it: that is answered 409 naming which. Needs the scope `segments:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Explain whether a contact belongs to a segment. Rule by rule as things stand now: `pointer` leads to the rule in the definition. Groups join them as the definition says. Needs the scope `segments:read`. */
  explainContact(id: string, contactId: string, options?: Options): Promise<SegmentMembership>

  /** Read a segment. Needs the scope `segments:read`. */
  get(id: string, options?: Options): Promise<Tagged<Segment>>

  /** List segments. Ascending by id. `totalItems` is exact. Needs the scope `segments:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only segments whose name contains this text. */
    search?: string
  }, options?: Options): List<SegmentPage>

  /** Preview a definition. Counts the contacts that belong to a definition now, and shows ten of them; nothing is stored. Without a definition: everyone. One that takes longer than 5 s to look through is answered 422. Needs the scope `segments:read`. */
  preview(body: SegmentPreviewBody, options?: PostOptions): Promise<SegmentPreview>

  /** Preview a segment. Counts the contacts that belong to it now, and shows ten of them. Needs the scope `segments:read`. */
  previewStored(id: string, options?: Options): Promise<SegmentPreview>

  /** Change a segment. Absent fields stay. The definition is the rule group of react-querybuilder as JSON text, kept to the character. One that is wrong is answered 422 with a pointer to each rule at fault, such as `/definition/rules/0/rules/2/value`. Needs the scope `segments:write`. */
  update(id: string, body: SegmentChange, options?: GuardedOptions): Promise<Tagged<Segment>>
}
