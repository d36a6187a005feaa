// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Session } from './shared.ts'

export type Invitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Its link is over; send it again for a new one. */ expired: boolean
  /** time: its seven days are over. inviter: whoever sent it may invite to its role no more. */ overBecause: 'time' | 'inviter' | null
  expiresAt: string
  /** When its link was made. */ sentAt: string
  createdAt: string
  updatedAt: string
}

export type InvitationAcceptBody = {
  name?: string
  password?: string
}

export type InvitationBody = {
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type InvitationPage = {
  items: Array<Invitation>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type OpenInvitation = {
  workspace: {
    name: string
  }
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Whether to log in as this email, or to choose a name and a password. */ accountExists: boolean
  expiresAt: string
}

export type SentInvitation = {
  id: string
  email: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  inviterName: string | null
  /** Its link is over; send it again for a new one. */ expired: boolean
  /** time: its seven days are over. inviter: whoever sent it may invite to its role no more. */ overBecause: 'time' | 'inviter' | null
  expiresAt: string
  /** When its link was made. */ sentAt: string
  createdAt: string
  updatedAt: string
  /** Only where this instance sends no mail: hand it over yourself. Shown this once. */ link: string | null
}

export type InvitationsOperations = {
  'DELETE /invitations/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /invitations': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: InvitationPage
  }
  'GET /site/invitations/{token}': {
    params: { token: string }
    query: undefined
    body: undefined
    answer: OpenInvitation
  }
  'POST /invitations': {
    params: undefined
    query: undefined
    body: InvitationBody
    answer: SentInvitation
  }
  'POST /invitations/{id}/resend': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SentInvitation
  }
  'POST /site/invitations/{token}': {
    params: { token: string }
    query: undefined
    body: InvitationAcceptBody
    answer: Session
  }
}
