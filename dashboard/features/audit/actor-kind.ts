import type { AuditEntry } from '../../lib/site-types.ts'

type Kind = AuditEntry['actor']['kind']

export const ACTOR_KINDS: Readonly<Record<Kind, string>> = {
  user: 'Person',
  api_token: 'API token',
  operator: 'Operator',
  system: 'System',
}
