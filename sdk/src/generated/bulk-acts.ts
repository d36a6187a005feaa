// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type BulkAct = {
  id: string
  act: Open<'tag' | 'untag'>
  tag: string
  state: Open<'running' | 'done' | 'canceled' | 'failed'>
  filter: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Only the contact with this address. */
    email?: string
    /** Only the contact with this subjectId. */
    subjectId?: string
    /** Only the contact with this phone number. */
    phone?: string
    /** Only contacts that have the tag of this name. */
    tag?: string
    /** Only contacts that are in this segment now. */
    segmentId?: string
    /** Only contacts created or changed at or after this time. */
    updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */
    customField?: string
  }
  contacts: {
    /** Contacts that fit; until the filter is applied, as many as there were then. */
    total: number
    /** Of these, those it has come to. */
    done: number
    /** Of these, those who did not have it so already. */
    changed: number
  }
  /** The act that it takes back. */
  undoes: string | null
  /** Whether it can be taken back: for a week, and once. */
  canBeUndone: boolean
  /** Why it failed. */
  failure: string | null
  createdAt: string
  endedAt: string | null
}

export type BulkActBody = {
  /** tag: gives the tag, which is made where there is none. untag: takes it off. */
  act: 'tag' | 'untag'
  /** Name of the tag. */
  tag: string
  /** The contacts, as in the list of contacts; everybody when absent. */
  filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Only the contact with this address. */
    email?: string
    /** Only the contact with this subjectId. */
    subjectId?: string
    /** Only the contact with this phone number. */
    phone?: string
    /** Only contacts that have the tag of this name. */
    tag?: string
    /** Only contacts that are in this segment now. */
    segmentId?: string
    /** Only contacts created or changed at or after this time. */
    updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */
    customField?: string
  }
  /** How many contacts you think fit: 409 with the number now when it has moved by more than 1 % or 10. */
  expectedCount?: number
}

export type BulkActPage = {
  items: Array<BulkAct>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type BulkActPreview = {
  /** Contacts that fit the filter now, exactly. */
  count: number
  /** Of these, those whom it would change. */
  changes: number
}

export type BulkActPreviewBody = {
  /** tag: gives the tag, which is made where there is none. untag: takes it off. */
  act: 'tag' | 'untag'
  /** Name of the tag. */
  tag: string
  /** The contacts, as in the list of contacts; everybody when absent. */
  filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Only the contact with this address. */
    email?: string
    /** Only the contact with this subjectId. */
    subjectId?: string
    /** Only the contact with this phone number. */
    phone?: string
    /** Only contacts that have the tag of this name. */
    tag?: string
    /** Only contacts that are in this segment now. */
    segmentId?: string
    /** Only contacts created or changed at or after this time. */
    updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */
    customField?: string
  }
}

export interface BulkActsOperations {
  /** Cancel a bulk act. Contacts that it has changed stay so, until it is undone. Needs the scope `contacts:write`. */
  cancel(id: string, options?: PostOptions): Promise<BulkAct>

  /** Act on everybody whom a filter finds. In the background. Those who fit when it begins are noted, and each of them is changed once. Needs the scope `contacts:write`. */
  create(body: BulkActBody, options?: PostOptions): Promise<BulkAct>

  /** Read a bulk act. With its progress. Needs the scope `contacts:read`. */
  get(id: string, options?: Options): Promise<BulkAct>

  /** List bulk acts. The newest first. Needs the scope `contacts:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<BulkActPage>

  /** Count whom a bulk act is about. Exactly, and how many of them it would change. Nothing is done. Needs the scope `contacts:read`. */
  preview(body: BulkActPreviewBody, options?: PostOptions): Promise<BulkActPreview>

  /** Undo a bulk act. By another one, for those alone whom it has changed: for a week, and once. Needs the scope `contacts:write`. */
  undo(id: string, options?: PostOptions): Promise<BulkAct>
}
