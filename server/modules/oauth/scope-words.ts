import type { AgentScope } from '../../catalogue/scopes.ts'

/** Everything that an agent may be left, as a person reads it before they agree. */
export const SCOPE_WORDS: Readonly<Record<AgentScope, string>> = {
  'contacts:read': 'Read contacts, their addresses masked',
  'contacts:write': 'Add, change, tag and unsubscribe contacts one by one',
  'segments:read': 'Read segments',
  'segments:write': 'Make segments',
  'custom_fields:read': 'Read which fields contacts have',
  'custom_fields:write': 'Make such fields',
  'events:read': 'Read what people did',
  'suppressions:read': 'Read who is not to be mailed',
  'templates:read': 'Read templates',
  'templates:write': 'Make templates',
  'broadcasts:read': 'Read broadcasts and their reports',
  'broadcasts:write': 'Draft broadcasts',
  'automations:read': 'Read automations',
  'automations:write': 'Draft automations',
  'sending_domains:read': 'Read how mail arrives',
  'approvals:read': 'Read what became of its requests',
  'mcp:send': 'Ask you to send',
  'broadcasts:send': 'Ask to send broadcasts, and stop them',
  'automations:activate': 'Ask to activate automations',
  'emails:send': 'Ask to mail one contact',
}
