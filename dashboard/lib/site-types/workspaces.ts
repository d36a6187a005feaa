// Written by `npm run docs` from the routes of the server; a test holds it to them.
import type { Membership } from './shared.ts'

export type MembershipPage = {
  items: Array<Membership>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type WorkspaceBody = {
  /** Its part of addresses. It stays. */ slug: string
  name: string
}

export type WorkspacesOperations = {
  'GET /site/workspaces': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: MembershipPage
  }
  'POST /site/workspaces': {
    params: undefined
    query: undefined
    body: WorkspaceBody
    answer: Membership
  }
}
