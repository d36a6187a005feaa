import { NEW_PACE, noteRefusals, type Pace, rateAt, takeSlots } from '../../server/modules/pacing/pace.ts'
import { seededRandom } from './seeded-random.ts'

/** Whether a provider takes a message that arrives now (ms). */
export type Provider = (now: number) => boolean

export type Simulation = {
  /** Of the integration; null: none, and as many as the engine can make are offered. */
  perSecond: number | null
  provider: Provider
  /** From a message's arrival to the answer. */
  answerMs?: number
  /** The sender's process stands still that often, at random, and so long: for want of processor time. */
  still?: { everyMs: number; forMs: number }
  seconds: number
  seed: number
}

const STEP_MS = 20
/** Of a message at its slot, at most. */
const LATE_MS = 30
/** Without a limit. */
const ENGINE_PER_SECOND = 300
/** A slot that passed by more is lost, as the pacer has it. */
const TOLERANCE_MS = 25

/** A broadcast that never ends, paced on a clock of its own. Moments of arrival of all messages, and of those taken. */
export function simulateSending({ perSecond, provider, answerMs = 100, still, seconds, seed }: Simulation) {
  const random = seededRandom(seed)
  // Of its own: the same seed stands still at the same moments, whatever the provider says.
  const chance = seededRandom(~seed)
  const offered: number[] = []
  const taken: number[] = []
  let underWay: { at: number; slot: number }[] = []
  const answers: { at: number; slot: number }[] = []
  let pace: Pace = NEW_PACE
  const waiting: number[] = []
  let unused: number[] = []
  const pause = () => (still === undefined ? Number.POSITIVE_INFINITY : still.everyMs * (0.5 + chance()))
  let stillAt = pause()
  for (let now = 0; now < seconds * 1_000; now += STEP_MS) {
    if (now >= stillAt) {
      now += still!.forMs * chance()
      stillAt = now + pause()
      unused = underWay.map(({ slot }) => slot).filter((slot) => slot < now - TOLERANCE_MS)
      underWay = underWay.filter(({ slot }) => slot >= now - TOLERANCE_MS)
      waiting.push(...due(answers, now).map(({ slot }) => slot))
    }
    // Whoever takes slots tells what is known by then.
    if (waiting.length > 0) pace = noteRefusals(pace, waiting.splice(0), now)
    const isFree = rateAt(pace, perSecond, now) === null
    const broadcast = isFree ? (ENGINE_PER_SECOND * STEP_MS) / 1_000 : ENGINE_PER_SECOND
    const slots = takeSlots(pace, { now, perSecond, transactional: 0, broadcast, unused })
    unused = []
    pace = slots.pace
    underWay.push(...slots.broadcast.map((slot) => ({ at: slot + random() * LATE_MS, slot })))
    for (const { at, slot } of due(underWay, now)) {
      offered.push(at)
      if (provider(at)) taken.push(at)
      else answers.push({ at: at + answerMs * (1 + random() / 3), slot })
    }
    waiting.push(...due(answers, now).map(({ slot }) => slot))
  }
  return { offered, taken }
}

/** Takes what has come by now, in order. */
function due<T extends { at: number }>(events: T[], now: number): T[] {
  events.sort((one, other) => one.at - other.at)
  const later = events.findIndex(({ at }) => at > now)
  return events.splice(0, later === -1 ? events.length : later)
}

/** Of a list of moments, how many a second there are from one second to another. */
export function rateBetween(moments: readonly number[], from: number, to: number): number {
  return moments.filter((at) => at >= from * 1_000 && at < to * 1_000).length / (to - from)
}
