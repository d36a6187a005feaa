// Written by `npm run docs` from the catalogue of the server; a test holds it to that.
import type { Permission, Role } from './site-types.ts'

/** Names that the system delivers events under. */
export const SYSTEM_EVENTS = ['contact.created', 'contact.updated', 'contact.erased', 'contact.merged', 'contact.tagged', 'contact.untagged', 'segment.created', 'segment.updated', 'segment.deleted', 'broadcast.started', 'broadcast.finished', 'email.sent', 'email.opened', 'email.clicked', 'email.unsubscribed', 'email.bounced', 'email.complained', 'marketing.confirmed', 'automation.entered', 'automation.completed', 'automation.exited', 'automation.goal_reached', 'webhook.test'] as const

/** Scopes a token can have. */
export const SCOPES = ['contacts:read', 'contacts:write', 'contacts:erase', 'segments:read', 'segments:write', 'events:read', 'events:write', 'trackers:read', 'trackers:write', 'broadcasts:read', 'broadcasts:write', 'broadcasts:send', 'automations:read', 'automations:write', 'automations:activate', 'templates:read', 'templates:write', 'webhooks:read', 'webhooks:write', 'custom_fields:read', 'custom_fields:write', 'sending_domains:read', 'sending_domains:write', 'integrations:read', 'integrations:write', 'emails:send', 'suppressions:read', 'suppressions:write', 'mcp:send', 'tokens:read', 'tokens:write', 'audit:read'] as const

/** Languages that readers are written to. */
export const READER_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da'] as const

/** What each role may do, from the one that may do most. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['contacts:read', 'contacts:write', 'contacts:erase', 'segments:read', 'segments:write', 'events:read', 'events:write', 'trackers:read', 'trackers:write', 'broadcasts:read', 'broadcasts:write', 'broadcasts:send', 'automations:read', 'automations:write', 'automations:activate', 'templates:read', 'templates:write', 'webhooks:read', 'webhooks:write', 'custom_fields:read', 'custom_fields:write', 'sending_domains:read', 'sending_domains:write', 'integrations:read', 'integrations:write', 'emails:send', 'suppressions:read', 'suppressions:write', 'mcp:send', 'tokens:read', 'tokens:write', 'audit:read', 'members:read', 'members:write', 'workspace:write'],
  admin: ['contacts:read', 'contacts:write', 'contacts:erase', 'segments:read', 'segments:write', 'events:read', 'events:write', 'trackers:read', 'trackers:write', 'broadcasts:read', 'broadcasts:write', 'broadcasts:send', 'automations:read', 'automations:write', 'automations:activate', 'templates:read', 'templates:write', 'webhooks:read', 'webhooks:write', 'custom_fields:read', 'custom_fields:write', 'sending_domains:read', 'sending_domains:write', 'integrations:read', 'integrations:write', 'emails:send', 'suppressions:read', 'suppressions:write', 'mcp:send', 'tokens:read', 'tokens:write', 'audit:read', 'members:read', 'members:write', 'workspace:write'],
  member: ['contacts:read', 'contacts:write', 'segments:read', 'segments:write', 'events:read', 'events:write', 'trackers:read', 'trackers:write', 'broadcasts:read', 'broadcasts:write', 'broadcasts:send', 'automations:read', 'automations:write', 'automations:activate', 'templates:read', 'templates:write', 'webhooks:read', 'webhooks:write', 'custom_fields:read', 'custom_fields:write', 'sending_domains:read', 'integrations:read', 'emails:send', 'suppressions:read', 'suppressions:write', 'members:read'],
  viewer: ['contacts:read', 'segments:read', 'events:read', 'trackers:read', 'broadcasts:read', 'automations:read', 'templates:read', 'webhooks:read', 'custom_fields:read', 'sending_domains:read', 'integrations:read', 'suppressions:read', 'members:read'],
}
