// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { GuardedOptions, Open, Options, PostOptions, Tagged, Upload } from '../call.ts'
import type { List } from '../list.ts'

export type Suppression = {
  id: string
  /** An email address; stored in lower case. */
  destination: string
  /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */
  reason: Open<'bounce' | 'complaint' | 'manual'>
  /** The words of the receiver, if it said something. */
  detail: string | null
  /** The message that bounced or was complained about, if it is known. */
  messageId: string | null
  createdAt: string
}

export type SuppressionBody = {
  /** An email address; stored in lower case. */
  destination: string
  /** manual without it. The others are for lists of another service. */
  reason?: 'bounce' | 'complaint' | 'manual'
}

export type SuppressionImport = {
  /** Addresses that are on the list now and were not before. */
  added: number
  /** Addresses that were on it: they stay as they are. */
  known: number
  /** Rows without an address, or with a reason that is none. */
  failed: number
  /** The first 100 rows that failed. */
  errors: Array<{
    /** Line of the file, from 1. */
    line: number
    detail: string
  }>
}

export type SuppressionImportBody = {
  /** The file. */
  csv: string
}

export type SuppressionPage = {
  items: Array<Suppression>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface SuppressionsOperations {
  /** Suppress an address. From then on it is mailed nothing, messages that already wait included. An address that is on the list stays as it is and is the answer. Needs the scope `suppressions:write`. */
  create(body: SuppressionBody, options?: PostOptions): Promise<Tagged<Suppression>>

  /** Lift a suppression. The address is mailed again. It is suppressed anew when it bounces or complains again. Needs the scope `suppressions:write`. */
  delete(id: string, options?: GuardedOptions): Promise<void>

  /** Download the suppressed addresses. The whole list as CSV with the columns `email`, `reason`, `detail`, `createdAt`; the import takes it as it is. Each download stands in the audit log. Needs the scope `suppressions:read`. */
  export(options?: Options): Promise<Response>

  /** Read a suppression. With what the receiver said and the message it was about, where that is known. Needs the scope `suppressions:read`. */
  get(id: string, options?: Options): Promise<Tagged<Suppression>>

  /** Suppress the addresses of a CSV file. Up to 128 MiB as it is (`text/csv`, also with `Content-Encoding: gzip`), or a small file in JSON: a bare list of addresses, or a table with a column `email` and, if it has them, `reason` and `detail`; the suppression lists of other services are taken as they are. Rows that do not fit fail by themselves. The same file again changes nothing. Needs the scope `suppressions:write`. */
  import(body: SuppressionImportBody | Upload, query?: {
    /** Why, for rows that do not say it. manual without it. */
    reason?: 'bounce' | 'complaint' | 'manual'
  }, options?: PostOptions): Promise<SuppressionImport>

  /** List suppressed addresses. Addresses that are mailed nothing. Ascending by id. Several filters narrow each other. Needs the scope `suppressions:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
    /** Only the one of this address. */
    destination?: string
    /** bounce: the address does not exist any more. complaint: its owner reported a message as spam. manual: somebody put it on the list. */
    reason?: 'bounce' | 'complaint' | 'manual'
    /** Only those made at or after this time. */
    createdSince?: string
  }, options?: Options): List<SuppressionPage>
}
