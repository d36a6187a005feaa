// Written by `npm run docs` from the routes of the server; a test holds it to them.

export type MadeToken = {
  /** Shown this once. */ token: string
  tokenInfo: TokenInfo
}

export type NewToken = {
  /** The purpose of it. */ name: string
  /** The scopes it has. None that its maker lacks. */ scopes: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'trackers:read' | 'trackers:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'forms:read' | 'forms:write' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'approvals:read' | 'tokens:read' | 'tokens:write' | 'audit:read'>
  expiresAt?: string | null
}

export type SendPolicy = {
  /** `approve` unless somebody has set another. */ mode: 'approve' | 'budget' | 'off'
  budget: {
    /** People of one broadcast. */ recipientsPerSend: number
    /** People of all of them in 24 hours. */ recipientsPerDay: number
    /** Broadcasts and mails in 24 hours. */ sendsPerDay: number
    /** The audience has to be of these alone. Null: any audience. */ segmentIds: Array<string> | null
    /** The hours at which it may go out. Null: any. */ hours: {
      from: string
      until: string
      /** An IANA time zone. */ zone: string
    } | null
  } | null
  /** By the budget, within 24 hours; what is scheduled counts at its time. */ spent: {
    recipients: number
    sends: number
  }
}

export type SendPolicyBody = {
  mode: 'approve' | 'budget' | 'off'
  /** Stands beside `budget` alone. */ budget?: {
    /** People of one broadcast. */ recipientsPerSend: number
    /** People of all of them in 24 hours. */ recipientsPerDay: number
    /** Broadcasts and mails in 24 hours. */ sendsPerDay: number
    /** The audience has to be of these alone. Null: any audience. */ segmentIds?: Array<string> | null
    /** The hours at which it may go out. Null: any. */ hours?: {
      from: string
      until: string
      /** An IANA time zone. */ zone: string
    } | null
  }
  /** Your own, where it is asked for and you have no second factor. */ password?: string
  /** Of your second factor, instead of the password. */ code?: string
  /** Instead of `code`; works once. Letter case and dashes do not matter. */ recoveryCode?: string
}

export type TokenInfo = {
  id: string
  name: string
  /** The part of the token that may be shown. */ prefix: string | null
  scopes: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'trackers:read' | 'trackers:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'forms:read' | 'forms:write' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'approvals:read' | 'tokens:read' | 'tokens:write' | 'audit:read'>
  expiresAt: string | null
  revokedAt: string | null
  lastUsedAt: string | null
  createdAt: string
  updatedAt: string
}

export type TokenInfoPage = {
  items: Array<TokenInfo>
  page: number
  pageSize: number
  totalItems: number
  totalPages: number
}

export type TokensOperations = {
  'DELETE /tokens/{id}': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: null
  }
  'GET /tokens': {
    params: undefined
    query: {
  /** Page number, from 1. */ page?: number
  /** Page size. */ pageSize?: number
}
    body: undefined
    answer: TokenInfoPage
  }
  'GET /tokens/{id}/send-policy': {
    params: { id: string }
    query: undefined
    body: undefined
    answer: SendPolicy
  }
  'POST /tokens': {
    params: undefined
    query: undefined
    body: NewToken
    answer: MadeToken
  }
  'PUT /tokens/{id}/send-policy': {
    params: { id: string }
    query: undefined
    body: SendPolicyBody
    answer: SendPolicy
  }
}
