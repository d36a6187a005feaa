import { beginSlowdown, FORGOTTEN_MS, isOver, judgePeriod, PERIOD_MS, refusedAgain, type Slowdown } from './slowdown.ts'

/**
 * The pace of an integration: GCRA (the leaky bucket as a meter) without a burst. Each message has a slot, a moment at
 * which its content may be written; slots are a fixed time apart, whichever process takes them. The state is one row,
 * its times are milliseconds of the database's clock, and everything here is a function of both.
 *
 * In no sliding second may a server see more than the limit, and what is written at its slot arrives a little later, now
 * more, now less. Slots are therefore `LATENESS_MS` more than a second divided by the limit apart in sum: as long as
 * nothing arrives later than that after its slot, no second has one too many. The price is 3.8 % of the limit.
 */
export type Pace = {
  lastSlotAt: number | null
  /** The limit that was last asked with. */
  perSecond: number | null
  /** Messages offered in slots since then, how many of them were refused, and how many a second it were before. */
  countedFrom: number | null
  counted: number
  refused: number
  offeredPerSecond: number
  slowdown: Slowdown | null
}

export type SlotRequest = {
  now: number
  perSecond: number | null
  /** How many of each are wanted. Transactional ones are given first. */
  transactional: number
  broadcast: number
  /** Slots whose moments passed before their messages could be written. If it is the last one, it is given again. */
  unused?: readonly number[]
}

export const NEW_PACE: Pace = {
  lastSlotAt: null,
  perSecond: null,
  countedFrom: null,
  counted: 0,
  refused: 0,
  offeredPerSecond: 0,
  slowdown: null,
}

/** The longest that a message may be late at the server, all in all. */
export const LATENESS_MS = 40
/** How far ahead slots are given: broadcasts leave those after it to transactional mail, whichever process it comes from. */
export const AHEAD_MS = { transactional: 1_000, broadcast: 500 } as const
/** A last slot further ahead than anybody could have taken one: the database's clock was set back. */
const AHEAD_MAX_MS = 10_000
/** Times are stored in microseconds. */
const SAME_SLOT_MS = 0.01
/** So much of a period's rate counts in the next, in which less may have been offered for want of time. */
const REMEMBERED_PART = 0.7
/** The rate that is assumed before any was counted. */
const OFFERED_GUESS_PER_SECOND = 20

/** Messages a second that may go now; null: no limit. */
export function rateAt({ slowdown }: Pace, perSecond: number | null, now: number): number | null {
  if (slowdown === null || isOver(slowdown, now)) return perSecond
  return perSecond === null ? slowdown.rate : Math.min(slowdown.rate, perSecond)
}

/** Slots for as many of the wanted messages as may have one by now, in order, and from when on there is another. */
export function takeSlots(
  known: Pace,
  { now, perSecond, transactional, broadcast, unused = [] }: SlotRequest,
): { pace: Pace; transactional: number[]; broadcast: number[]; nextAt: number } {
  const pace = judged(withoutUnused(known, unused), now)
  const rate = rateAt(pace, perSecond, now)
  const apartMs = rate === null ? 0 : (1_000 + LATENESS_MS) / rate
  let last = lastSlotOf(pace, now)
  // At a slot a second this is the second that would be lost.
  if (last !== null && unused.some((at) => Math.abs(last! - at) < SAME_SLOT_MS)) last -= apartMs
  const take = (wanted: number, aheadMs: number) => {
    const slots: number[] = []
    for (let at = next(); slots.length < wanted && at <= now + aheadMs; at = next()) {
      slots.push(at)
      last = at
    }
    return slots
  }
  const next = () => (last === null ? now : Math.max(now, last + apartMs))
  const slots = {
    transactional: take(transactional, AHEAD_MS.transactional),
    broadcast: take(broadcast, AHEAD_MS.broadcast),
  }
  const taken = slots.transactional.length + slots.broadcast.length
  return { ...slots, pace: { ...counted(pace, taken, now), lastSlotAt: last, perSecond }, nextAt: next() }
}

/**
 * Messages that the provider said "too fast" to, by the time of their slots; null for one that had none yet. Those from
 * before the rate last changed say nothing about it.
 */
export function noteRefusals(known: Pace, slots: readonly (number | null)[], now: number): Pace {
  const pace = judged(known, now)
  const { slowdown, perSecond, countedFrom, counted: count, refused } = pace
  if (slowdown === null) {
    return measuredAnew({ ...pace, slowdown: beginSlowdown(offeredAt(pace, now), perSecond, now) }, now)
  }
  const own = slots.filter((at) => at === null || at >= (countedFrom ?? 0)).length
  const early = slots.filter((at) => at === null).length
  const delaysMs = slots.filter((at) => at !== null).map((at) => now - at)
  const counts = { counted: count + early, refused: refused + own }
  return { ...pace, ...counts, slowdown: refusedAgain(slowdown, now, delaysMs) }
}

/** Slots that nothing was written in were not offered: a provider that was not asked has taken nothing. */
function withoutUnused(pace: Pace, unused: readonly number[]): Pace {
  const own = unused.filter((at) => at >= (pace.countedFrom ?? 0)).length
  return { ...pace, counted: Math.max(0, pace.counted - own) }
}

/** The slow-down as the period that has passed leaves it. */
function judged(pace: Pace, now: number): Pace {
  const { slowdown, countedFrom, counted: count, refused, lastSlotAt } = pace
  if (slowdown === null || countedFrom === null) return pace
  if (isOver(slowdown, now)) return { ...pace, slowdown: null }
  // Slots are given ahead, and answers take their time: what came last nobody can have answered. The longest time is waited
  // for; what was refused by now is a part of what is answered by now.
  const ms = now - slowdown.delayMs - countedFrom
  const answeredMs = now - (slowdown.soonestMs ?? slowdown.delayMs) - countedFrom
  const givenMs = Math.max(answeredMs, (lastSlotAt ?? now) - countedFrom)
  const next = judgePeriod(slowdown, { now, offered: count * (answeredMs / givenMs), refused, ms, answeredMs })
  if (next === undefined) return pace
  return measuredAnew({ ...pace, slowdown: isOver(next, now) ? null : next }, now)
}

/** Counts from the first slot on that will be given. */
function measuredAnew(pace: Pace, now: number): Pace {
  const countedFrom = Math.max(now, lastSlotOf(pace, now) ?? now)
  return { ...pace, countedFrom, counted: 0, refused: 0, offeredPerSecond: offeredLately(pace, now) }
}

function lastSlotOf({ lastSlotAt }: Pace, now: number): number | null {
  return lastSlotAt !== null && lastSlotAt <= now + AHEAD_MAX_MS ? lastSlotAt : null
}

/**
 * How many messages a second went lately; at least one. Before there is anything to go by, that is a guess: half of too
 * little would hold up a provider that said "too fast" to its first message, half of too much is halved again.
 */
function offeredAt(pace: Pace, now: number): number {
  const { perSecond, countedFrom, offeredPerSecond } = pace
  const isFirst = offeredPerSecond === 0 && (countedFrom === null || now - countedFrom < PERIOD_MS)
  const least = isFirst ? (perSecond ?? OFFERED_GUESS_PER_SECOND) : 1
  return Math.min(Math.max(least, offeredLately(pace, now)), perSecond ?? Number.POSITIVE_INFINITY)
}

/**
 * Of the period that runs, or what is left of the rate before it. Periods end with their last slot: that the process stood
 * still after it, or had nothing to send, says nothing about the rate at which it goes on. After a minute, or a step of the
 * clock, there is none to speak of.
 */
function offeredLately(pace: Pace, now: number): number {
  const { perSecond, countedFrom, counted: count, lastSlotAt, offeredPerSecond } = pace
  if (countedFrom === null) return 0
  const periodMs = now - countedFrom
  // Without a limit they have none, but are told of a second at a time.
  const usedMs = perSecond === null || lastSlotAt === null ? periodMs : lastSlotAt - countedFrom
  const isKept = periodMs >= -AHEAD_MAX_MS && periodMs < FORGOTTEN_MS
  const part = periodMs < PERIOD_MS ? 1 : REMEMBERED_PART
  return Math.max(count / (Math.max(usedMs, 1_000) / 1_000), isKept ? offeredPerSecond * part : 0)
}

function counted(pace: Pace, taken: number, now: number): Pace {
  const periodMs = pace.countedFrom === null ? Number.POSITIVE_INFINITY : now - pace.countedFrom
  // A slow-down's periods end when they are judged.
  const goesOn = pace.slowdown !== null || (periodMs >= -AHEAD_MAX_MS && periodMs < PERIOD_MS)
  return goesOn ? { ...pace, counted: pace.counted + taken } : { ...measuredAnew(pace, now), counted: taken }
}
