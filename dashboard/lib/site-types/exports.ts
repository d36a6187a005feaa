// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type ContactExport = {
  id: string
  /** done: the file can be downloaded. expired: it could be, and is gone. */ state: 'running' | 'done' | 'failed' | 'expired'
  filter: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */ searchIn?: 'names'
    /** Only the contact with this address. */ email?: string
    /** Only the contact with this subjectId. */ subjectId?: string
    /** Only the contact with this phone number. */ phone?: string
    /** Only contacts that have the tag of this name. */ tag?: string
    /** Only contacts that are in this segment now. */ segmentId?: string
    /** Only contacts created or changed at or after this time. */ updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */ customField?: string
  }
  columns: Array<string>
  rows: {
    /** Contacts to be written; until the filter is applied, all of the workspace. */ total: number
    /** Contacts that are in the file. */ written: number
  }
  /** Size of the file so far. */ bytes: number
  /** Why it failed. */ failure: string | null
  createdAt: string
  endedAt: string | null
  /** When the file goes. */ expiresAt: string | null
  updatedAt: string
}

export type ContactExportBody = {
  /** The contacts to export, as in the list of contacts; everybody when absent. */ filter?: {
    /** Only contacts with this text in their email, name, subjectId or phone, whatever the case of its letters; one or two characters must stand at the beginning of one of these. */ search?: string
    /** Has `search` look in first and last names alone, and not where those hold an address. */ searchIn?: 'names'
    /** Only the contact with this address. */ email?: string
    /** Only the contact with this subjectId. */ subjectId?: string
    /** Only the contact with this phone number. */ phone?: string
    /** Only contacts that have the tag of this name. */ tag?: string
    /** Only contacts that are in this segment now. */ segmentId?: string
    /** Only contacts created or changed at or after this time. */ updatedSince?: string
    /** Only contacts with this value of a custom field: its key, a colon and the value as text. For more than one field, other comparisons and keys with a colon there are segments. */ customField?: string
  }
  /** Of id, subjectId, email, phone, firstName, lastName, timeZone, status, tags, createdAt, updatedAt and custom:<key>; all of them when absent. */ columns?: Array<string>
}

export type ContactExportPage = {
  items: Array<ContactExport>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ExportsOperations = {
  'GET /contacts/exports': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ContactExportPage
  }
  'GET /contacts/exports/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: ContactExport
  }
  'GET /contacts/exports/{id}/file': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: string
  }
  'POST /contacts/exports': {
    params: undefined
    query: undefined
    body: ContactExportBody
    answer: ContactExport
  }
}
