import { writtenBytes } from '../../platform/json/written-bytes.ts'
import { COMMON_PROBLEMS, Problem } from '../../platform/problem.ts'
import { claimIdentity, type IdentifyDeps } from '../identity/identify.ts'
import { readStatement, TRAITS_BYTES_MAX } from '../identity/read-statement.ts'
import type { FoundTracker } from '../trackers/find-tracker.ts'
import { type BrowserSigns, dropReason } from '../visitors/drop-browser.ts'
import { type BrowserDeps, recordBrowserEvents } from '../visitors/record-browser-events.ts'
import type { ConsentState } from '../visitors/schemas.ts'
import { type Message, momentOf, readMessage } from './read-message.ts'
import type { SegmentRejection } from './schemas.ts'
import type { Known, NameVisitor } from './visitor-names.ts'

export type SegmentDeps = BrowserDeps &
  Pick<IdentifyDeps, 'sql' | 'secrets' | 'markAliases'> & { nameVisitor: NameVisitor }

/** `isPage`: it came out of a browser, and not from a program of the workspace. */
export type SegmentSender = { isPage: boolean; signs: BrowserSigns }

type Numbered = { index: number; message: Message }

/**
 * Takes in messages of a Segment library: events by the door of all browsers, who somebody is as a claim. Answers those that do not fit; the others
 * are durable. Statements come first, as what follows them in a batch is about whom they name.
 */
export async function takeMessages(
  deps: SegmentDeps,
  tracker: FoundTracker,
  {
    messages,
    sentAt,
    sender,
  }: { messages: readonly Record<string, unknown>[]; sentAt: unknown; sender: SegmentSender },
): Promise<SegmentRejection[]> {
  const nameVisitor = (known: Known) => deps.nameVisitor(tracker.workspaceId, known)
  const read = messages.map((message, index) => ({
    index,
    message: readMessage(message, nameVisitor),
  }))
  const rejected: SegmentRejection[] = []
  for (const { index, message } of read) {
    const refusal = message.kind === 'identity' ? await takeIdentity(deps, tracker, { message, sender }) : undefined
    if (refusal !== undefined) rejected.push({ index, ...refusal })
  }
  const events = read.filter(({ message }) => message.kind === 'event')
  for (const [consent, theirs] of Map.groupBy(events, ({ message }) => consentOf(tracker, sender, message))) {
    rejected.push(...(await takeEvents(deps, tracker, { theirs, consent, sentAt, signs: sender.signs })))
  }
  return rejected.sort((one, other) => one.index - other.index)
}

async function takeEvents(
  deps: SegmentDeps,
  tracker: FoundTracker,
  given: { theirs: readonly Numbered[]; consent: ConsentState; sentAt: unknown; signs: BrowserSigns },
): Promise<SegmentRejection[]> {
  const { theirs, consent, signs } = given
  const sentAt = String(momentOf(given.sentAt) ?? '')
  const events = theirs.map(({ message }) => ({
    ...(message.kind === 'event' ? message.event : {}),
    visitorId: message.visitorId,
  }))
  const body = { sentAt: Number.isNaN(Date.parse(sentAt)) ? new Date().toISOString() : sentAt, consent, events }
  const { rejected } = await recordBrowserEvents(deps, tracker, { body, signs })
  return rejected.map((one) => ({ ...one, index: theirs[one.index]!.index }))
}

type Refusal = Omit<SegmentRejection, 'index'>

async function takeIdentity(
  deps: SegmentDeps,
  tracker: FoundTracker,
  { message, sender }: { message: Message; sender: SegmentSender },
): Promise<Refusal | undefined> {
  const { visitorId } = message
  if (message.kind !== 'identity' || visitorId === null) return undefined
  if (tracker.identify === 'signed')
    return { code: 'identity-not-proven', detail: 'the tracker takes signed identities alone' }
  const isDropped = dropReason(tracker, sender.signs, consentOf(tracker, sender, message)) !== null
  if (isDropped || tracker.consentMode === 'cookieless') return undefined
  const { traits, ...stated } = message.stated
  try {
    const aliases = readStatement(stated)
    if (writtenBytes(JSON.stringify(traits)) > TRAITS_BYTES_MAX) throw new Problem(COMMON_PROBLEMS.bodyTooLarge)
    deps.tally.note(tracker, 'identified_unsigned', 1)
    await claimIdentity(deps, tracker.workspaceId, { visitorId, statement: { aliases, traits } })
    return undefined
  } catch (error) {
    // Their libraries send a batch that is refused again, and then lose all of it.
    if (!(error instanceof Problem) || error.statusCode >= 500) throw error
    return { code: 'invalid-identity', detail: error.detail ?? error.title }
  }
}

/** Consent as far as it is said. A program of the workspace vouches for whom it speaks of. */
function consentOf({ consentMode }: FoundTracker, { isPage }: SegmentSender, { consent }: Message): ConsentState {
  return consent ?? (isPage ? consentMode : 'granted')
}
