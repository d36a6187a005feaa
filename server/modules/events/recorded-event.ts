import { FIELD_CHARS_MAX } from '../../catalogue/contact-fields.ts'
import { reservedFault } from '../../catalogue/domain-events.ts'
import { CONTROL_CHARACTER, INVISIBLE } from '../../platform/control-characters.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { type Aliases, identifierFault, NEEDS_AN_ALIAS, normaliseText } from '../contacts/aliases.ts'

export const ACTION_CHARS_MAX = 200
export const CLIENT_ID_CHARS_MAX = 64
export const PROPERTIES_BYTES_MAX = 32 * 1024

/** An event as a caller gives it (interface specification, Recorded event). */
export type EventInput = {
  id?: string | null
  action: string
  subjectId?: string | null
  email?: string | null
  phone?: string | null
  properties?: Record<string, unknown> | null
  occurredAt?: string | null
}

/** An event ready to be recorded: normalised, its properties serialised once. */
export type RecordedEvent = Aliases & {
  clientId: string | null
  action: string
  properties: string
  /** RFC 3339, or null for the time of arrival. */
  occurredAt: string | null
}

/** `rule` faults break a rule of the domain (422), `shape` faults the form (400). */
export type EventFault = { kind: 'shape' | 'rule'; pointer: string; detail: string }

const NO_PROPERTIES = '{}'

/** Checks and normalises one event whose form fits the schema `EventItem`; pointers are relative to it. */
export function readEvent(input: EventInput): { event: RecordedEvent } | { fault: EventFault } {
  const { action } = input
  const subjectId = normaliseText(input.subjectId)
  const phone = normaliseText(input.phone)
  const given = normaliseText(input.email)
  const email = given === null ? null : (normaliseEmail(given) ?? null)
  const clientId = normaliseText(input.id)
  const fault =
    actionFault(action) ??
    (subjectId === null ? undefined : shape('/subjectId', identifierFault(subjectId, FIELD_CHARS_MAX.subjectId))) ??
    (phone === null ? undefined : shape('/phone', identifierFault(phone, FIELD_CHARS_MAX.phone))) ??
    (given !== null && email === null ? shape('/email', 'must be an email address') : undefined) ??
    (clientId === null ? undefined : shape('/id', identifierFault(clientId, CLIENT_ID_CHARS_MAX)))
  if (fault) return { fault }
  if (subjectId === null && email === null && phone === null) {
    return { fault: { kind: 'shape', pointer: '', detail: NEEDS_AN_ALIAS } }
  }
  const properties = readProperties(input.properties)
  if (typeof properties !== 'string') return { fault: properties }
  return { event: { clientId, action, subjectId, email, phone, properties, occurredAt: input.occurredAt || null } }
}

/**
 * The event under an id of our own when it has none and its request is known by a `repeatId`: however often that request
 * is repeated, the event is recorded once.
 */
export function onceARequest(event: RecordedEvent, repeatId: string | undefined, index: number): RecordedEvent {
  return repeatId === undefined || event.clientId !== null ? event : { ...event, clientId: `${repeatId}:${index}` }
}

function shape(pointer: string, detail: string | undefined): EventFault | undefined {
  return detail === undefined ? undefined : { kind: 'shape', pointer, detail }
}

function actionFault(action: string): EventFault | undefined {
  if (action.trim() === '') return shape('/action', 'must not be blank')
  if (CONTROL_CHARACTER.test(action)) return shape('/action', 'must not contain control characters')
  const detail = reservedFault(action)
  if (detail !== undefined) return { kind: 'rule', pointer: '/action', detail }
  return INVISIBLE.test(action) ? shape('/action', 'must not contain characters that cannot be seen') : undefined
}

function readProperties(properties: Record<string, unknown> | null | undefined): string | EventFault {
  if (!properties) return NO_PROPERTIES
  const text = JSON.stringify(properties)
  if (writtenBytes(text) > PROPERTIES_BYTES_MAX) {
    return { kind: 'shape', pointer: '/properties', detail: `must have at most ${PROPERTIES_BYTES_MAX} bytes as JSON` }
  }
  return text
}
