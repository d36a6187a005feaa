// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Suppression = {
  id: string
  /** An email address; stored in lower case. */ destination: string
  /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */ reason: 'bounce' | 'complaint' | 'manual'
  /** The words of the receiver, if it said something. */ detail: string | null
  /** The message that bounced or was complained about, if it is known. */ messageId: string | null
  createdAt: string
}

export type SuppressionBody = {
  /** An email address; stored in lower case. */ destination: string
  /** manual without it. The others are for lists of another service. */ reason?: 'bounce' | 'complaint' | 'manual'
}

export type SuppressionImport = {
  /** Addresses that are on the list now and were not before. */ added: number
  /** Addresses that were on it: they stay as they are. */ known: number
  /** Rows without an address, or with a reason that is none. */ failed: number
  /** The first 100 rows that failed. */ errors: Array<{
    /** Line of the file, from 1. */ line: number
    detail: string
  }>
}

export type SuppressionImportBody = {
  /** The file. */ csv: string
}

export type SuppressionPage = {
  items: Array<Suppression>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type SuppressionsOperations = {
  'DELETE /suppressions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /suppressions': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
  /** Only the one of this address. */ destination?: string
  /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */ reason?: 'bounce' | 'complaint' | 'manual'
  /** Only those made at or after this time. */ createdSince?: string
}
    body: undefined
    answer: SuppressionPage
  }
  'GET /suppressions/export': {
    params: undefined
    query: undefined
    body: undefined
    answer: string
  }
  'GET /suppressions/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Suppression
  }
  'POST /suppressions': {
    params: undefined
    query: undefined
    body: SuppressionBody
    answer: Suppression
  }
  'POST /suppressions/import': {
    params: undefined
    query: {
  /** Why, for rows that do not say it. manual without it. */ reason?: 'bounce' | 'complaint' | 'manual'
}
    body: SuppressionImportBody
    answer: SuppressionImport
  }
}
