import type { BrowserEvent } from '../events/append-browser-events.ts'
import type { IntakeWriter } from '../events/intake-writer.ts'
import { EVENT_OVERHEAD_BYTES } from '../events/record-events.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import type { TrackerTally } from '../trackers/tally-trackers.ts'
import { anotherVisitor } from './bind-visitor.ts'
import { type BrowserSigns, type DropReason, dropReason } from './drop-browser.ts'
import type { ErasedVisitors } from './erased-visitors.ts'
import { millisecondsOf, readBrowserEvent } from './read-browser-event.ts'
import type { CollectEventsBody, Rejection } from './schemas.ts'

export type BrowserDeps = {
  intake: IntakeWriter<BrowserEvent>
  tally: TrackerTally
  /** Called with events that nobody is at fault for, and that are not taken. */
  onDropped: (events: number, reason: DropReason) => void
  erased: ErasedVisitors
  now?: () => number
}

/** Events that do not fit, and the visitor to go on with where the one that asks is to be forgotten. */
export type Recorded = { rejected: Rejection[]; visitorId?: string }

/**
 * Records what a browser tells, but for the events that do not fit, which it answers. Resolves when the others are durable.
 * Events of a machine, and those that their person has not agreed to, are dropped without a word; those of somebody who was erased too, but that
 * the browser is told to go on as another visitor.
 */
export async function recordBrowserEvents(
  { intake, tally, onDropped, erased, now = Date.now }: BrowserDeps,
  tracker: FoundTracker,
  { body, signs }: { body: CollectEventsBody; signs: BrowserSigns },
): Promise<Recorded> {
  const reason = dropReason(tracker, signs, body.consent)
  if (reason !== null) {
    onDropped(body.events.length, reason)
    tally.note(tracker, reason, body.events.length)
    return { rejected: [] }
  }
  const sending = {
    tracker,
    visitorId: body.visitorId ?? null,
    sentMs: millisecondsOf(body.sentAt),
    receivedMs: now(),
  }
  const events: BrowserEvent[] = []
  const rejected: Rejection[] = []
  let bytes = 0
  const isErased = await erased(tracker.workspaceId)
  let dropped = 0
  for (const [index, item] of body.events.entries()) {
    const read = readBrowserEvent(item, sending)
    if ('code' in read) rejected.push({ index, ...read })
    else if (read.event.visitorId !== null && isErased(read.event.visitorId)) dropped++
    else {
      events.push(read.event)
      bytes += EVENT_OVERHEAD_BYTES + read.event.properties.length
    }
  }
  if (events.length > 0) await intake.write({ workspaceId: tracker.workspaceId, events }, bytes)
  tally.note(tracker, 'recorded', events.length)
  tally.note(tracker, 'rejected', rejected.length)
  tally.note(tracker, 'erased', dropped)
  if (dropped > 0) onDropped(dropped, 'erased')
  return dropped > 0 && isErasedFirst(body, isErased) ? { rejected, visitorId: anotherVisitor() } : { rejected }
}

/** The tracker takes an answer to be about the visitor of its first event. */
function isErasedFirst({ visitorId, events }: CollectEventsBody, isErased: (visitorId: string) => boolean): boolean {
  const first = (events[0] as { visitorId?: unknown } | null)?.visitorId ?? visitorId
  return typeof first === 'string' && isErased(first)
}
