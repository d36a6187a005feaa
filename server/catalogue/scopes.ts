/** Every scope a token can carry. Tags live under `contacts:*`. */
export const SCOPES = [
  'contacts:read',
  'contacts:write',
  'contacts:erase',
  'segments:read',
  'segments:write',
  'events:read',
  'events:write',
  'trackers:read',
  'trackers:write',
  'broadcasts:read',
  'broadcasts:write',
  'broadcasts:send',
  'automations:read',
  'automations:write',
  'automations:activate',
  'templates:read',
  'templates:write',
  'webhooks:read',
  'webhooks:write',
  'custom_fields:read',
  'custom_fields:write',
  'sending_domains:read',
  'sending_domains:write',
  'integrations:read',
  'integrations:write',
  'emails:send',
  'forms:read',
  'forms:write',
  'suppressions:read',
  'suppressions:write',
  'mcp:send',
  'approvals:read',
  'tokens:read',
  'tokens:write',
  'audit:read',
] as const

export type Scope = (typeof SCOPES)[number]

const KNOWN: ReadonlySet<string> = new Set(SCOPES)

export function isScope(text: string): text is Scope {
  return KNOWN.has(text)
}
