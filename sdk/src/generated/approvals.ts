// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type Approval = {
  id: string
  act: Open<'broadcast'>
  broadcastId: string
  status: Open<'waiting' | 'approved' | 'rejected' | 'expired'>
  /** When it is to start; null: at once. */
  scheduledAt: string | null
  /** How many contacts its audience had. */
  recipientsCount: number
  /** By the agent; may say anything. */
  note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */
    client: string | null
  }
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password. */
  needsPassword: boolean
  plan: {
    name: string
    /** With Liquid. */
    subject: string
    /** Null: that of the integration. */
    fromName: string | null
    /** Null: that of the integration. */
    fromEmail: string | null
    topicId: string | null
    /** Contacts of any of these; of none: every contact with an address. */
    segments: Array<{
      id: string
      name: string
      definition: string
    }>
    /** Contacts in one of these are left out. */
    excludedSegments: Array<{
      id: string
      name: string
      definition: string
    }>
    /** How many of them would have got it then. */
    sendCount: number | null
    /** The first five of them, masked. */
    people: Array<string>
    /** The warnings of the preflight. */
    warnings: Array<string>
    /** Rendered for a sample person. Show it in a sandboxed frame only. */
    preview: {
      subject: string
      html: string
      text: string
    }
  }
}

export type ApprovalBody = {
  act: 'broadcast'
  broadcastId: string
  /** When it is to start; at once when absent. */
  at?: string
  /** For whoever decides. */
  note?: string
}

export type ApprovalSummary = {
  id: string
  act: Open<'broadcast'>
  broadcastId: string
  status: Open<'waiting' | 'approved' | 'rejected' | 'expired'>
  /** When it is to start; null: at once. */
  scheduledAt: string | null
  /** How many contacts its audience had. */
  recipientsCount: number
  /** By the agent; may say anything. */
  note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */
    client: string | null
  }
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password. */
  needsPassword: boolean
  plan: {
    name: string
    /** With Liquid. */
    subject: string
  }
}

export type ApprovalSummaryPage = {
  items: Array<ApprovalSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export interface ApprovalsOperations {
  /** Ask for an approval. Asks the people of the workspace to send a draft, and sends nothing. What is asked for is written down: content, sender, audience and time. A person approves exactly that in the dashboard within 72 hours, or nothing happens. Needs `broadcasts:send` as well. Needs the scope `mcp:send`. */
  create(body: ApprovalBody, options?: PostOptions): Promise<Approval>

  /** Read an approval. With everything it is about, as it was when it was asked for. Needs the scope `approvals:read`. */
  get(id: string, options?: Options): Promise<Approval>

  /** List approvals. Sends that agents asked for, newest first, and what became of them. Needs the scope `approvals:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<ApprovalSummaryPage>
}
