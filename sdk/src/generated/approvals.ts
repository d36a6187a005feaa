// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type Approval = {
  id: string
  act: Open<'broadcast' | 'automation' | 'email'>
  broadcastId: string | null
  automationId: string | null
  /** Of a mail to one contact. */
  templateId: string | null
  contactId: string | null
  status: Open<'waiting' | 'approved' | 'rejected' | 'expired'>
  /** When it is to start; null: at once. */
  scheduledAt: string | null
  /** How many contacts its audience had; of an automation 0: they come as time goes by. */
  recipientsCount: number
  /** By the agent; may say anything. */
  note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */
    client: string | null
  }
  /** Whether it was within the budget of the token, so that nobody was asked. */
  byBudget: boolean
  /** Why a person is asked although the token has a budget. Null: it has none, or it was enough. */
  budgetReason: string | null
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password, or for a code where they have a second factor: above 1,000 people, and for an automation. */
  needsPassword: boolean
  plan: {
    /** Of the broadcast, the automation or the template. */
    name: string
    /** With Liquid; of an automation that of its first mail. */
    subject: string
    /** That of the integration where it has none of its own. Null: neither has one. */
    fromName: string | null
    /** That of the integration where it has none of its own. Null: there is none yet. */
    fromEmail: string | null
    topicId: string | null
    /** Of a broadcast: contacts of any of these; of none: every contact with an address. Of an automation: those that it asks about. */
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
    /** The mail, rendered for a sample person or for the contact. Show it in a sandboxed frame only. Null: an automation. */
    preview: {
      subject: string
      html: string
      text: string
    } | null
    /** The mails of an automation, likewise, each with the node it is of. */
    mails: Array<{
      node: string
      subject: string
      html: string
      text: string
    }>
    /** Canonical JSON of an automation, as it would be in force. Null: none. */
    definition: string | null
  }
}

export type ApprovalBody = {
  /** `broadcast`: send a draft. `automation`: publish a draft and open its entry. `email`: mail a template to one contact. */
  act: 'broadcast' | 'automation' | 'email'
  broadcastId?: string
  automationId?: string
  templateId?: string
  contactId?: string
  /** When it is to start; at once when absent. Not of an automation. */
  at?: string
  /** For whoever decides. */
  note?: string
}

export type ApprovalSummary = {
  id: string
  act: Open<'broadcast' | 'automation' | 'email'>
  broadcastId: string | null
  automationId: string | null
  /** Of a mail to one contact. */
  templateId: string | null
  contactId: string | null
  status: Open<'waiting' | 'approved' | 'rejected' | 'expired'>
  /** When it is to start; null: at once. */
  scheduledAt: string | null
  /** How many contacts its audience had; of an automation 0: they come as time goes by. */
  recipientsCount: number
  /** By the agent; may say anything. */
  note: string
  askedBy: {
    tokenId: string | null
    tokenName: string | null
    /** As the client calls itself. */
    client: string | null
  }
  /** Whether it was within the budget of the token, so that nobody was asked. */
  byBudget: boolean
  /** Why a person is asked although the token has a budget. Null: it has none, or it was enough. */
  budgetReason: string | null
  decidedBy: {
    id: string | null
    name: string | null
  } | null
  decidedAt: string | null
  createdAt: string
  expiresAt: string
  /** Whether whoever approves it is asked for their password, or for a code where they have a second factor: above 1,000 people, and for an automation. */
  needsPassword: boolean
  plan: {
    /** Of the broadcast, the automation or the template. */
    name: string
    /** With Liquid; of an automation that of its first mail. */
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

export type SendPolicy = {
  /** `approve` unless somebody has set another. */
  mode: Open<'approve' | 'budget' | 'off'>
  budget: {
    /** People of one broadcast. */
    recipientsPerSend: number
    /** People of all of them in 24 hours. */
    recipientsPerDay: number
    /** Broadcasts and mails in 24 hours. */
    sendsPerDay: number
    /** The audience has to be of these alone. Null: any audience. */
    segmentIds: Array<string> | null
    /** The hours at which it may go out. Null: any. */
    hours: {
      from: string
      until: string
      /** An IANA time zone. */
      zone: string
    } | null
  } | null
  /** By the budget, within 24 hours; what is scheduled counts at its time. */
  spent: {
    recipients: number
    sends: number
  }
}

export interface ApprovalsOperations {
  /** Ask for an approval. Asks the people of the workspace to send a broadcast, to activate an automation, or to mail a template to one contact, and does nothing itself. What is asked for is written down: content, sender, audience and time. A person approves exactly that in the dashboard within 72 hours, or nothing happens. Where a person has given the token a budget, what is within it is done at once. Needs the scope of the act as well: `broadcasts:send`, `automations:activate` or `emails:send`. Needs the scope `mcp:send`. */
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

  /** Read how far your token goes by itself. Whether an act waits for a person, and what is left of the budget for which none is asked. Needs the scope `approvals:read`. */
  ownPolicy(options?: Options): Promise<SendPolicy>
}
