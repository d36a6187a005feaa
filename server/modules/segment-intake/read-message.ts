import { hash } from 'node:crypto'
import { isPlainObject } from '../../platform/json/plain-object.ts'
import { VISITOR_ID_PATTERN } from '../visitors/schemas.ts'
import type { Known } from './visitor-names.ts'

const ID_CHARS_MAX = 64
const IS_VISITOR = new RegExp(VISITOR_ID_PATTERN)

/** Facts that a message of a Segment library states of whoever it is about. */
export type Stated = {
  subjectId: string | null
  email: string | null
  phone: string | null
  traits: Record<string, unknown>
}
/** A person's word, where the library knows it; undefined: nothing is said of it. */
export type Consent = 'granted' | 'denied' | undefined

/** A message as our intake has it: an event, a statement of who somebody is, or something that we have no place for. */
export type Message = {
  visitorId: string | null
  consent: Consent
} & ({ kind: 'event'; event: Record<string, unknown> } | { kind: 'identity'; stated: Stated } | { kind: 'other' })

/**
 * Reads a message of Segment's HTTP API (their specification of `track`, `page`, `screen`, `identify`). Never throws: what has another
 * form than that is told by the check of the event that it makes. `nameVisitor` answers the visitor of an id that is none by itself.
 */
export function readMessage(message: Record<string, unknown>, nameVisitor: (known: Known) => string): Message {
  const type = typeOf(message)
  const consent = consentOf(message.context)
  const visitorId = visitorOf(message, nameVisitor)
  if (type === 'identify') return { kind: 'identity', visitorId, consent, stated: statedBy(message) }
  const action = actionOf(message, type)
  if (action === undefined) return { kind: 'other', visitorId, consent }
  const { timestamp, originalTimestamp, properties, context } = message
  return {
    ...{ kind: 'event', visitorId, consent },
    event: {
      id: idOf(message),
      action,
      properties: type === 'track' || !isPlainObject(properties) ? properties : { ...nameOf(message), ...properties },
      occurredAt: momentOf(timestamp ?? originalTimestamp),
      ...(isPlainObject(context) && { context: placeOf(context) }),
    },
  }
}

/** The kind of a message; empty for what is no text, which not everything can be made one of. */
export function typeOf({ type }: Record<string, unknown>): string {
  return typeof type === 'string' ? type : ''
}

function actionOf({ event }: Record<string, unknown>, type: string): unknown {
  if (type === 'track') return event ?? ''
  if (type === 'page') return 'page.view'
  return type === 'screen' ? 'screen.view' : undefined
}

const nameOf = ({ name, category }: Record<string, unknown>) => ({
  ...(typeof name === 'string' && { name }),
  ...(typeof category === 'string' && { category }),
})

/** Where it was. Network address and name of the browser are no part of it: we keep none. */
function placeOf({ page, campaign, locale, timezone }: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries({ page, campaign, locale, timezone }).filter(([, value]) => value !== undefined),
  )
}

/** Libraries give each message an id, by which a repeat is known; without one it is known by what it says. */
function idOf(message: Record<string, unknown>): string {
  const { messageId } = message
  if (typeof messageId === 'string' && messageId !== '' && messageId.length <= ID_CHARS_MAX) return messageId
  return hash('sha256', typeof messageId === 'string' && messageId !== '' ? messageId : JSON.stringify(message))
}

/** A moment in whatever form libraries write it; what is none is left to the check of events. */
export function momentOf(given: unknown): unknown {
  if (typeof given !== 'string' && typeof given !== 'number') return undefined
  const ms = new Date(given).getTime()
  return Number.isNaN(ms) ? given : new Date(ms).toISOString()
}

/**
 * The visitor of a message: its anonymous id, or one that follows from its user id, so that what a server of yours says of somebody stays together.
 * Neither proves anything: whoever has the public key can say it too.
 */
function visitorOf(
  { anonymousId, userId }: Record<string, unknown>,
  nameVisitor: (known: Known) => string,
): string | null {
  const anonymous = textOf(anonymousId)
  if (anonymous !== null)
    return IS_VISITOR.test(anonymous) ? anonymous : nameVisitor({ kind: 'anonymous', id: anonymous })
  const user = textOf(userId)
  return user === null ? null : nameVisitor({ kind: 'user', id: user })
}

function statedBy({ userId, traits }: Record<string, unknown>): Stated {
  const { email, phone, firstName, lastName, timeZone, timezone, ...others } = isPlainObject(traits) ? traits : {}
  const named = { firstName, lastName, timeZone: timeZone ?? timezone }
  const core = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  return {
    subjectId: textOf(userId),
    email: textOf(email),
    phone: textOf(phone),
    traits: { ...others, ...core },
  }
}

const textOf = (value: unknown) => {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return String(value).trim() === '' ? null : String(value)
}

/** Of the consent that Segment's wrappers for consent dialogs put into each message: one category that is allowed is a yes. */
function consentOf(context: unknown): Consent {
  const consent = isPlainObject(context) ? context.consent : undefined
  const categories = isPlainObject(consent) ? consent.categoryPreferences : undefined
  if (!isPlainObject(categories)) return undefined
  return Object.values(categories).includes(true) ? 'granted' : 'denied'
}
