// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type ConnectedAgent = {
  id: string
  /** As it calls itself. */ name: string
  /** Where it is described; null: nobody has checked its name. */ clientHost: string | null
  /** Where it was connected from. */ redirectHost: string
  connectedBy: {
    id: string
    name: string
  }
  scopes: Array<'contacts:read' | 'contacts:write' | 'segments:read' | 'segments:write' | 'custom_fields:read' | 'custom_fields:write' | 'events:read' | 'suppressions:read' | 'templates:read' | 'templates:write' | 'broadcasts:read' | 'broadcasts:write' | 'automations:read' | 'automations:write' | 'sending_domains:read' | 'approvals:read' | 'mcp:send' | 'broadcasts:send' | 'automations:activate' | 'emails:send'>
  connectedAt: string
  lastUsedAt: string | null
  expiresAt: string
  disconnectedAt: string | null
}

export type ConnectedAgentPage = {
  items: Array<ConnectedAgent>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type AgentsOperations = {
  'DELETE /agents/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /agents': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: ConnectedAgentPage
  }
}
