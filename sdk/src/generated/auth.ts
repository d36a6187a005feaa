// Written by `npm run docs` from the description of the API; `npm run check` holds it to that.
import type { Open, Options } from '../call.ts'

export type Me = {
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
  workspace: {
    id: string
    slug: string
    name: string
  }
}

export interface AuthOperations {
  /** Read the token in use. Its scopes, its expiry and the workspace it acts in: what a program asks first. Needs any valid token. */
  me(options?: Options): Promise<Me>
}
