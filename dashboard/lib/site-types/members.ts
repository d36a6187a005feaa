// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type Member = {
  id: string
  email: string
  name: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  /** Whether they have one. */ secondFactor: boolean
  /** When they joined. */ createdAt: string
  updatedAt: string
}

export type MemberPage = {
  items: Array<Member>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type MemberRoleBody = {
  role: 'owner' | 'admin' | 'member' | 'viewer'
}

export type MembersOperations = {
  'DELETE /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'DELETE /members/{userId}/second-factor': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /members': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: MemberPage
  }
  'GET /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: undefined
    answer: Member
  }
  'PATCH /members/{userId}': {
    params: { userId: string }
    query: undefined
    body: MemberRoleBody
    answer: Member
  }
}
