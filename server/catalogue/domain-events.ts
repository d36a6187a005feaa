/** Type of everything that came in through an intake; delivered under the caller's own action name. */
export const RECORDED_EVENT = 'event.recorded'

/**
 * The events the system itself emits, by the name they are delivered under (interface specification, Events, and
 * decisions 6). A caller's action may not be one of them nor begin with one of RESERVED_PREFIXES, so nobody can
 * impersonate them.
 */
export const DOMAIN_EVENTS = [
  'contact.created',
  'contact.updated',
  'contact.erased',
  'contact.merged',
  'contact.tagged',
  'contact.untagged',
  'segment.created',
  'segment.updated',
  'segment.deleted',
  'broadcast.started',
  'broadcast.finished',
  'email.sent',
  'email.opened',
  'email.clicked',
  'email.unsubscribed',
  'email.bounced',
  'email.complained',
  'marketing.confirmed',
] as const
export type DomainEventType = (typeof DOMAIN_EVENTS)[number]

export const RESERVED_PREFIXES = ['contact.', 'email.', 'marketing.', 'audit.'] as const

/** What of an action is reserved, if anything is: the prefix it begins with, or the name of an event of ours. */
export function reservedPrefix(action: string): string | undefined {
  const lower = action.trim().toLowerCase()
  return RESERVED_PREFIXES.find((prefix) => lower.startsWith(prefix)) ?? DOMAIN_EVENTS.find((name) => name === lower)
}
