import { beginSlowdown, isOver, judgePeriod, PERIOD_MS, refusedAgain, type Slowdown } from './slowdown.ts'

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
  /** A slot whose moment passed before its message could be written. If it is the last one, it is given again. */
  unused?: number | undefined
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
/** So much of a period's rate counts in the next, in which the process may have stood still. */
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
  { now, perSecond, transactional, broadcast, unused }: SlotRequest,
): { pace: Pace; transactional: number[]; broadcast: number[]; nextAt: number } {
  const pace = judged(known, now)
  const rate = rateAt(pace, perSecond, now)
  const apartMs = rate === null ? 0 : (1_000 + LATENESS_MS) / rate
  let last = pace.lastSlotAt !== null && pace.lastSlotAt <= now + AHEAD_MAX_MS ? pace.lastSlotAt : null
  // At a slot a second this is the second that would be lost.
  if (last !== null && unused !== undefined && Math.abs(last - unused) < SAME_SLOT_MS) last -= apartMs
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
  const delayMs = Math.max(0, ...slots.map((at) => (at === null ? 0 : now - at)))
  const counts = { counted: count + early, refused: refused + own }
  return { ...pace, ...counts, slowdown: refusedAgain(slowdown, now, delayMs) }
}

/** The slow-down as the period that has passed leaves it. */
function judged(pace: Pace, now: number): Pace {
  const { slowdown, countedFrom, counted: count, refused, lastSlotAt } = pace
  if (slowdown === null || countedFrom === null) return pace
  if (isOver(slowdown, now)) return { ...pace, slowdown: null }
  // Slots are given ahead, and answers take their time: what came last nobody can have answered.
  const ms = now - slowdown.delayMs - countedFrom
  const givenMs = Math.max(ms, (lastSlotAt ?? now) - countedFrom)
  const next = judgePeriod(slowdown, { now, offered: count * (ms / givenMs), refused, ms })
  if (next === undefined) return pace
  return measuredAnew({ ...pace, slowdown: isOver(next, now) ? null : next }, now)
}

/** Counts from the first slot on that will be given. */
function measuredAnew(pace: Pace, now: number): Pace {
  const periodMs = now - (pace.countedFrom ?? now)
  const offeredPerSecond = periodMs > 0 ? pace.counted / (periodMs / 1_000) : pace.offeredPerSecond
  return { ...pace, countedFrom: Math.max(now, pace.lastSlotAt ?? now), counted: 0, refused: 0, offeredPerSecond }
}

/**
 * How many messages a second went lately; at least one. Before there is anything to go by, that is a guess: half of too
 * little would hold up a provider that said "too fast" to its first message, half of too much is halved again.
 */
function offeredAt({ perSecond, countedFrom, counted: count, offeredPerSecond }: Pace, now: number): number {
  const periodMs = countedFrom === null ? 0 : now - countedFrom
  const isFirst = offeredPerSecond === 0 && periodMs < PERIOD_MS
  const current = count / (Math.max(periodMs, 1_000) / 1_000)
  const before = periodMs >= 0 && periodMs < 2 * PERIOD_MS ? offeredPerSecond : 0
  const least = isFirst ? (perSecond ?? OFFERED_GUESS_PER_SECOND) : 1
  return Math.min(Math.max(least, current, before), perSecond ?? Number.POSITIVE_INFINITY)
}

function counted(pace: Pace, taken: number, now: number): Pace {
  const periodMs = pace.countedFrom === null ? Number.POSITIVE_INFINITY : now - pace.countedFrom
  // A slow-down's periods end when they are judged.
  if (pace.slowdown !== null) return { ...pace, counted: pace.counted + taken }
  if (periodMs >= 0 && periodMs < PERIOD_MS) return { ...pace, counted: pace.counted + taken }
  // After a pause, or a step of the clock, there is no rate to speak of.
  const isRecent = periodMs >= 0 && periodMs < 2 * PERIOD_MS
  const least = pace.offeredPerSecond * REMEMBERED_PART
  const offeredPerSecond = isRecent ? Math.max(pace.counted / (periodMs / 1_000), least) : 0
  return { ...pace, countedFrom: now, counted: taken, refused: 0, offeredPerSecond }
}
