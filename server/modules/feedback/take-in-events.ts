import { invalid } from '../../catalogue/problems.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type FieldError, pointerTo } from '../../platform/problem.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { isBeyondIds } from '../../platform/schema/schemas.ts'
import { detailText, type FeedbackItem } from './feedback-item.ts'

const EVENTS_MAX = 1_000
const FIELDS: ReadonlySet<string> = new Set(['type', 'email', 'bounceKind', 'messageId', 'detail', 'occurredAt'])

/**
 * The events of a signed request: `{events: [{type, email, bounceKind, messageId?, detail?, occurredAt?}]}`, 1 to 1,000. All or
 * nothing: throws a 400 that names every field at fault.
 */
export function readHookEvents(body: unknown, webhookId: string): FeedbackItem[] {
  const events = isObject(body) ? body.events : undefined
  if (!Array.isArray(events) || events.length === 0 || events.length > EVENTS_MAX) {
    throw invalid([{ pointer: '/events', detail: `must be an array of 1 to ${EVENTS_MAX}` }])
  }
  const errors: FieldError[] = []
  const items = events.flatMap((event: unknown, n) => {
    const fail = (field: string, detail: string) =>
      void errors.push({ pointer: pointerTo('events', String(n), ...(field === '' ? [] : [field])), detail })
    if (isObject(event)) return itemOf(event, `hook ${webhookId} ${n}`, fail) ?? []
    fail('', 'must be an object')
    return []
  })
  if (errors.length > 0) throw invalid(errors)
  return items
}

type Fail = (field: string, detail: string) => void

function itemOf(event: Record<string, unknown>, key: string, fail: Fail): FeedbackItem | undefined {
  const { type, email, bounceKind, messageId = null, detail = null, occurredAt = null } = event
  for (const field of Object.keys(event)) if (!FIELDS.has(field)) fail(field, 'is not a field of an event')
  const address = typeof email === 'string' ? normaliseEmail(email) : undefined
  if (address === undefined) fail('email', 'must be an email address')
  if (messageId !== null && !(typeof messageId === 'string' && /^[0-9]+$/.test(messageId) && !isBeyondIds(messageId))) {
    fail('messageId', 'must be the id of a message, or null')
    return undefined
  }
  if (detail !== null && typeof detail !== 'string') fail('detail', 'must be a text, or null')
  const at = typeof occurredAt === 'string' ? toUtc(occurredAt) : undefined
  if (occurredAt !== null && at === undefined) fail('occurredAt', 'must be a time as RFC 3339 has it, or null')
  const common = {
    ...({ key, source: 'hook', messageId: messageId as string | null } as const),
    addresses: address === undefined ? [] : [address],
    detail: typeof detail === 'string' ? detailText(detail) || null : null,
    ...(at !== undefined && { occurredAt: at }),
  }
  if (type === 'complaint') {
    if (bounceKind !== undefined && bounceKind !== null) fail('bounceKind', 'is of bounces only')
    return { ...common, kind: 'complaint' }
  }
  if (type !== 'bounce') fail('type', 'must be bounce or complaint')
  else if (bounceKind === 'permanent')
    return { ...common, kind: 'bounce', cause: 'permanent', reason: 'address_refused' }
  else if (bounceKind === 'transient') return { ...common, kind: 'bounce', cause: 'transient', reason: 'expired' }
  else fail('bounceKind', 'must be permanent or transient')
  return undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
