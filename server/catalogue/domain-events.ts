/** Type of everything that came in through an intake; delivered under the caller's own action name. */
export const RECORDED_EVENT = 'event.recorded'

/**
 * The events the system itself emits, by the name they are delivered under (interface specification, Events, and
 * decisions 6). A caller's action may not begin with one of RESERVED_PREFIXES, so nobody can impersonate them.
 */
export const DOMAIN_EVENTS = [
  'contact.created',
  'contact.updated',
  'contact.erased',
  'contact.merged',
  'contact.tagged',
  'contact.untagged',
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

/** The reserved prefix an action begins with, if it does. */
export function reservedPrefix(action: string): string | undefined {
  const lower = action.trimStart().toLowerCase()
  return RESERVED_PREFIXES.find((prefix) => lower.startsWith(prefix))
}
