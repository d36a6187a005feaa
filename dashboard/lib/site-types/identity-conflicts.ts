// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type IdentityConflict = {
  id: string
  /** aliases-disagree: your server has named two contacts as one person. alias-taken: it has stated another email or phone of a contact, which another one has. possible-duplicate: a visitor whose page had made the other contact was signed as this one. too-many-visitors: pages claim that too many visitors are this contact. */ kind: 'aliases-disagree' | 'alias-taken' | 'possible-duplicate' | 'too-many-visitors'
  alias: 'email' | 'phone' | null
  /** The one that the statement was taken to be about. */ contactId: string
  /** The one that has the alias, or was made by the page. */ otherContactId: string | null
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
  /** merge: the other contact becomes part of the first. keep: they are two people. */ as: 'merge' | 'keep'
}

export type IdentityConflictsOperations = {
  'GET /identity-conflicts': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: IdentityConflictPage
  }
  'POST /identity-conflicts/{id}/resolve': {
    params: { id: string }
    query: undefined
    body: IdentityConflictResolution
    answer: null
  }
}
