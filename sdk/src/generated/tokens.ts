// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options, PostOptions } from '../call.ts'
import type { List } from '../list.ts'

export type MadeToken = {
  /** Shown this once. */
  token: string
  tokenInfo: TokenInfo
}

export type NewToken = {
  /** The purpose of it. */
  name: string
  /** The scopes it has. None that its maker lacks. */
  scopes: Array<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'trackers:read' | 'trackers:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'forms:read' | 'forms:write' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'approvals:read' | 'tokens:read' | 'tokens:write' | 'audit:read'>
  expiresAt?: string | null
}

export type TokenInfo = {
  id: string
  name: string
  /** The part of the token that may be shown. */
  prefix: string | null
  scopes: Array<Open<'contacts:read' | 'contacts:write' | 'contacts:erase' | 'segments:read' | 'segments:write' | 'events:read' | 'events:write' | 'trackers:read' | 'trackers:write' | 'broadcasts:read' | 'broadcasts:write' | 'broadcasts:send' | 'automations:read' | 'automations:write' | 'automations:activate' | 'templates:read' | 'templates:write' | 'webhooks:read' | 'webhooks:write' | 'custom_fields:read' | 'custom_fields:write' | 'sending_domains:read' | 'sending_domains:write' | 'integrations:read' | 'integrations:write' | 'emails:send' | 'forms:read' | 'forms:write' | 'suppressions:read' | 'suppressions:write' | 'mcp:send' | 'approvals:read' | 'tokens:read' | 'tokens:write' | 'audit:read'>>
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

export interface TokensOperations {
  /** Create an API token. The token is in this answer and nowhere else, a repeat with the same `Idempotency-Key` is a 409. It can hold no scope that its maker lacks. One that a token makes ends with that at the latest, and cannot ask for acts (`mcp:send`) where that may not. Needs the scope `tokens:write`. */
  create(body: NewToken, options?: PostOptions): Promise<MadeToken>

  /** List API tokens. Revoked ones included. The tokens themselves are never shown again. Needs the scope `tokens:read`. */
  list(query?: {
    /** Page number, from 1. */
    page?: number
    /** Page size. */
    pageSize?: number
  }, options?: Options): List<TokenInfoPage>

  /** Revoke an API token. Takes effect within a second everywhere. Needs the scope `tokens:write`. */
  revoke(id: string, options?: Options): Promise<void>
}
