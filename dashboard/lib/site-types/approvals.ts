// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Approval = {
  id: string
  act: 'broadcast'
  broadcastId: string
  status: 'waiting' | 'approved' | 'rejected' | 'expired'
  /** When it is to start; null: at once. */ scheduledAt: string | null
  /** How many contacts its audience had. */ recipientsCount: number
  /** By the agent; may say anything. */ note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */ client: string | null
  }
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password. */ needsPassword: boolean
  plan: {
    name: string
    /** With Liquid. */ subject: string
    /** Null: that of the integration. */ fromName: string | null
    /** Null: that of the integration. */ fromEmail: string | null
    topicId: string | null
    /** Contacts of any of these; of none: every contact with an address. */ segments: Array<{
      id: string
      name: string
      definition: string
    }>
    /** Contacts in one of these are left out. */ excludedSegments: Array<{
      id: string
      name: string
      definition: string
    }>
    /** How many of them would have got it then. */ sendCount: number | null
    /** The first five of them, masked. */ people: Array<string>
    /** The warnings of the preflight. */ warnings: Array<string>
    /** Rendered for a sample person. Show it in a sandboxed frame only. */ preview: {
      subject: string
      html: string
      text: string
    }
  }
}

export type ApprovalSummary = {
  id: string
  act: 'broadcast'
  broadcastId: string
  status: 'waiting' | 'approved' | 'rejected' | 'expired'
  /** When it is to start; null: at once. */ scheduledAt: string | null
  /** How many contacts its audience had. */ recipientsCount: number
  /** By the agent; may say anything. */ note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */ client: string | null
  }
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password. */ needsPassword: boolean
  plan: {
    name: string
    /** With Liquid. */ subject: string
  }
}

export type ApprovalSummaryPage = {
  items: Array<ApprovalSummary>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type ApproveBody = {
  /** Your own, where `needsPassword` says so. */ password?: string
}

export type ApprovalsOperations = {
  'GET /approvals': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ApprovalSummaryPage
  }
  'GET /approvals/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Approval
  }
  'POST /approvals/{id}/approve': {
    params: { id: string }
    query: undefined
    body: ApproveBody
    answer: Approval
  }
  'POST /approvals/{id}/reject': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: Approval
  }
}
