import { hash } from 'node:crypto'
import type { Static } from 'typebox'
import { reservedFault } from '../../catalogue/domain-events.ts'
import { CONTROL_CHARACTER, INVISIBLE } from '../../platform/control-characters.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { toUtc } from '../../platform/rfc3339.ts'
import { compileItemCheck } from '../../platform/schema/item-check.ts'
import { BROWSER_IDS_KEEP_DAYS, type BrowserEvent } from '../events/append-browser-events.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { BrowserEventItem, type RejectionCode } from './schemas.ts'

const EVENT_BYTES_MAX = 32 * 1024
/** Browsers give an event up after so long. */
const EVENT_AGE_MS_MAX = 7 * DAY_MS
/** Clocks of browsers may be ahead by so much, for the day under which a repeat is known. */
const CLOCK_AHEAD_MS_MAX = 6 * DAY_MS
const ID_HASH_BYTES = 16

const checkItem = compileItemCheck(BrowserEventItem)
type Item = Static<typeof BrowserEventItem>

/** Facts of the request that an event came in. */
export type Sending = {
  tracker: Pick<FoundTracker, 'consentMode' | 'allowedActions' | 'serverOnlyActions'>
  visitorId: string | null
  /** When it was sent, by the browser's clock, and when it arrived by ours, in ms. */
  sentMs: number
  receivedMs: number
}

export type Read = { event: BrowserEvent } | { code: RejectionCode; detail: string }

/** Checks an item and brings its time to our clock. */
export function readBrowserEvent(given: unknown, sending: Sending): Read {
  const checked = checkItem(given)
  if ('errors' in checked) {
    const [{ pointer, detail } = { pointer: '', detail: 'is not an event' }] = checked.errors
    return { code: 'invalid-event', detail: `${pointer} ${detail}`.trim() }
  }
  const { item } = checked
  const refused = actionRefusal(item.action, sending.tracker)
  if (refused) return refused
  const properties = propertiesOf(item)
  if (writtenBytes(properties) > EVENT_BYTES_MAX) {
    return { code: 'too-large', detail: `properties and context must have at most ${EVENT_BYTES_MAX} bytes as JSON` }
  }
  const times = timesOf(item, sending)
  if (times === undefined) return { code: 'too-old', detail: 'must have occurred in the last 7 days' }
  const visitorId = sending.tracker.consentMode === 'cookieless' ? null : (item.visitorId ?? sending.visitorId)
  return { event: { action: item.action, properties, ...times, visitorId, idHash: idHashOf(visitorId, item.id) } }
}

function actionRefusal(action: string, { allowedActions, serverOnlyActions }: Sending['tracker']): Read | undefined {
  if (action.trim() === '') return { code: 'invalid-event', detail: '/action must not be blank' }
  if (CONTROL_CHARACTER.test(action) || INVISIBLE.test(action)) {
    return { code: 'invalid-event', detail: '/action must not contain characters that cannot be seen' }
  }
  const reserved = reservedFault(action)
  if (reserved !== undefined) return { code: 'reserved-action', detail: `/action ${reserved}` }
  const isAllowed = allowedActions.length === 0 || allowedActions.includes(action)
  if (isAllowed && !serverOnlyActions.includes(action)) return undefined
  return { code: 'action-not-allowed', detail: '/action is not one that browsers may record under this key' }
}

/** The event's own property of that name goes before its context. */
function propertiesOf({ properties, context }: Item): string {
  return JSON.stringify(context ? { context, ...properties } : (properties ?? {}))
}

/** When it was by our clock, and its day by the browser's, which a repeat says again; undefined for what is too old. */
function timesOf(
  { occurredAt }: Item,
  { sentMs, receivedMs }: Sending,
): { occurredAt: string; day: string } | undefined {
  const saidMs = occurredAt ? millisecondsOf(occurredAt) : sentMs
  const atMs = Math.min(receivedMs, receivedMs - (sentMs - saidMs))
  if (!(atMs >= receivedMs - EVENT_AGE_MS_MAX)) return undefined
  const isKept = saidMs > receivedMs - (BROWSER_IDS_KEEP_DAYS - 1) * DAY_MS && saidMs < receivedMs + CLOCK_AHEAD_MS_MAX
  const dayMs = Math.floor((occurredAt && isKept ? saidMs : receivedMs) / DAY_MS) * DAY_MS
  return { occurredAt: new Date(atMs).toISOString(), day: new Date(dayMs).toISOString() }
}

/** Of a timestamp of the schema, in ms since 1970. */
export function millisecondsOf(timestamp: string): number {
  return Date.parse(toUtc(timestamp)!)
}

function idHashOf(visitorId: string | null, id: string): Buffer {
  return hash('sha256', `${visitorId ?? ''}\n${id}`, 'buffer').subarray(0, ID_HASH_BYTES)
}
