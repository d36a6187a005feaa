// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { ConsentEntry } from './shared.ts'

export type ConsentEntryPage = {
  items: Array<ConsentEntry>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ConsentsOperations = {
  'GET /contacts/{contactId}/consents': {
    params: { contactId: string }
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ConsentEntryPage
  }
}
