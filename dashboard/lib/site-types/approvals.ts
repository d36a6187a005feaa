// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Approval = {
  id: string
  act: 'broadcast' | 'automation' | 'email'
  broadcastId: string | null
  automationId: string | null
  /** Of a mail to one contact. */ templateId: string | null
  contactId: string | null
  status: 'waiting' | 'approved' | 'rejected' | 'expired'
  /** When it is to start; null: at once. */ scheduledAt: string | null
  /** How many contacts its audience had; of an automation 0: they come as time goes by. */ recipientsCount: number
  /** By the agent; may say anything. */ note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */ client: string | null
  }
  /** Whether it was within the budget of the token, so that nobody was asked. */ byBudget: boolean
  /** Why a person is asked although the token has a budget. Null: it has none, or it was enough. */ budgetReason: string | null
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password, or for a code where they have a second factor: above 1,000 people, and for an automation. */ needsPassword: boolean
  plan: {
    /** Of the broadcast, the automation or the template. */ name: string
    /** With Liquid; of an automation that of its first mail. */ subject: string
    /** That of the integration where it has none of its own. Null: neither has one. */ fromName: string | null
    /** That of the integration where it has none of its own. Null: there is none yet. */ fromEmail: string | null
    topicId: string | null
    /** Of a broadcast: contacts of any of these; of none: every contact with an address. Of an automation: those that it asks about. */ segments: Array<{
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
    /** The mail, rendered for a sample person or for the contact. Show it in a sandboxed frame only. Null: an automation. */ preview: {
      subject: string
      html: string
      text: string
    } | null
    /** The mails of an automation, likewise, each with the node it is of. */ mails: Array<{
      node: string
      subject: string
      html: string
      text: string
    }>
    /** Canonical JSON of an automation, as it would be in force. Null: none. */ definition: string | null
  }
}

export type ApprovalSummary = {
  id: string
  act: 'broadcast' | 'automation' | 'email'
  broadcastId: string | null
  automationId: string | null
  /** Of a mail to one contact. */ templateId: string | null
  contactId: string | null
  status: 'waiting' | 'approved' | 'rejected' | 'expired'
  /** When it is to start; null: at once. */ scheduledAt: string | null
  /** How many contacts its audience had; of an automation 0: they come as time goes by. */ recipientsCount: number
  /** By the agent; may say anything. */ note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */ client: string | null
  }
  /** Whether it was within the budget of the token, so that nobody was asked. */ byBudget: boolean
  /** Why a person is asked although the token has a budget. Null: it has none, or it was enough. */ budgetReason: string | null
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password, or for a code where they have a second factor: above 1,000 people, and for an automation. */ needsPassword: boolean
  plan: {
    /** Of the broadcast, the automation or the template. */ name: string
    /** With Liquid; of an automation that of its first mail. */ subject: string
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
  /** Your own, where it is asked for and you have no second factor. */ password?: string
  /** Of your second factor, instead of the password. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
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
