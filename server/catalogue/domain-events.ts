/** Type of everything that came in through an intake; delivered under the caller's own action name. */
export const RECORDED_EVENT = 'event.recorded'

/**
 * The events the system itself emits, by the name they are delivered under (interface specification, Events, and
 * decisions 6). A caller's action may be none of them (`reservedFault`), so nobody can impersonate them.
 */
export const DOMAIN_EVENTS = [
  'contact.created',
  'contact.updated',
  'contact.erased',
  'contact.merged',
  'contact.identified',
  'contact.tagged',
  'contact.untagged',
  'segment.created',
  'segment.updated',
  'segment.deleted',
  'segment.entered',
  'segment.left',
  'broadcast.started',
  'broadcast.finished',
  'email.sent',
  'email.opened',
  'email.clicked',
  'email.unsubscribed',
  'email.bounced',
  'email.complained',
  'marketing.confirmed',
  'automation.entered',
  'automation.completed',
  'automation.exited',
  'automation.goal_reached',
  'form.confirmed',
  'automation.called',
] as const
export type DomainEventType = (typeof DOMAIN_EVENTS)[number]

/** Delivered to one endpoint when somebody asks for it: no domain event, and still a name of the system's own. */
export const WEBHOOK_TEST = 'webhook.test'

/** Interface specification, Reserved names; decisions 6, 12 (`automation.`) and 14 (`form.`). */
export const RESERVED_PREFIXES = ['contact.', 'email.', 'marketing.', 'audit.', 'automation.', 'form.'] as const

/** Every name that the system delivers something under. */
export const SYSTEM_NAMES = [...DOMAIN_EVENTS, WEBHOOK_TEST] as const

/** Why an action may not be a caller's, in words that go on from its field; undefined when it may. */
export function reservedFault(action: string): string | undefined {
  const lower = action.trim().toLowerCase()
  const prefix = RESERVED_PREFIXES.find((one) => lower.startsWith(one))
  if (prefix !== undefined) return `must not begin with ${prefix}: such names are the system's own`
  const name = SYSTEM_NAMES.find((one) => one === lower)
  return name && `must not be ${name}: the system has an event of that name`
}
