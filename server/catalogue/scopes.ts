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

/**
 * Scopes that an agent may be given by OAuth: those of its tools, and of the operations that it may call as they are. It uses them
 * at `/mcp` alone.
 */
export const AGENT_SCOPES = [
  'contacts:read',
  'contacts:write',
  'segments:read',
  'segments:write',
  'custom_fields:read',
  'custom_fields:write',
  'events:read',
  'suppressions:read',
  'templates:read',
  'templates:write',
  'broadcasts:read',
  'broadcasts:write',
  'automations:read',
  'automations:write',
  'sending_domains:read',
  'approvals:read',
  'mcp:send',
  'broadcasts:send',
  'automations:activate',
  'emails:send',
] as const satisfies readonly Scope[]

export type AgentScope = (typeof AGENT_SCOPES)[number]
