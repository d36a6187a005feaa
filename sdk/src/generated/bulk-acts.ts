// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type BulkAct = {
  id: string
  act: Open<'tag' | 'untag' | 'erase'>
  /** Null for `erase`. */
  tag: string | null
  state: Open<'running' | 'done' | 'canceled' | 'failed'>
  /** Null when the contacts were named one by one. */
  filter: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */
    searchIn?: Open<'names'>
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
  } | null
  contacts: {
    /** Contacts that fit; until the filter is applied, as many as there were then. */
    total: number
    /** Of these, those it has come to. */
    done: number
    /** Of these, those who did not have it so already; those who are erased. */
    changed: number
  }
  /** The act that it takes back. */
  undoes: string | null
  /** Whether it can be taken back: for a week, and once. No erasing can. */
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
  /** The contacts, as in the list of contacts; everybody when absent and none are named. */
  filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */
    searchIn?: 'names'
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
  /** These contacts, instead of a filter; those that are not there are left out. */
  contactIds?: Array<string>
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
  /** As in the request that acts; `erase` for the one that erases. */
  act: 'tag' | 'untag' | 'erase'
  /** Name of the tag; not for `erase`. */
  tag?: string
  /** The contacts, as in the list of contacts; everybody when absent and none are named. */
  filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */
    searchIn?: 'names'
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
  /** These contacts, instead of a filter; those that are not there are left out. */
  contactIds?: Array<string>
}

export type BulkErasureBody = {
  /** The contacts, as in the list of contacts. An empty one is everybody; it is never left out for that. */
  filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */
    search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */
    searchIn?: 'names'
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
  /** These contacts, instead of a filter; those that are not there are left out. */
  contactIds?: Array<string>
  /** How many contacts are to be erased: 409 with the number now when it is another one. */
  expectedCount: number
}

export interface BulkActsOperations {
  /** Cancel a bulk act. Contacts that it has changed stay so, until it is undone; erased ones stay erased. Needs the scope `contacts:write`. */
  cancel(id: string, options?: PostOptions): Promise<BulkAct>

  /** Act on everybody whom a filter finds. In the background. Those who fit when it begins are noted, and each of them is changed once. Needs the scope `contacts:write`. */
  create(body: BulkActBody, options?: PostOptions): Promise<BulkAct>

  /** Erase everybody whom a filter finds. In the background, as one person is erased: the contacts at once, everything else that tells of them within the next minutes. Nobody is erased when they are not exactly as many as you expect. It cannot be undone. Needs the scope `contacts:erase`. */
  erase(body: BulkErasureBody, options?: PostOptions): Promise<BulkAct>

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
