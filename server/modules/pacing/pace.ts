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
  /** Slots given since then, and how many a second it were in the period before. */
  countedFrom: number | null
  counted: number
  offeredPerSecond: number
  slowdown: Slowdown | null
}

/** From `from` messages a second at `at`, in a straight line to `to` a minute later, when it is over. */
export type Slowdown = { at: number; from: number; to: number }

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
const COUNT_PERIOD_MS = 2_000
/** The rate that is assumed before any was counted. */
const OFFERED_GUESS_PER_SECOND = 20
const RECOVERY_MS = 60_000
/** Refusals of messages that were under way together halve the rate once. */
export const HALVING_PERIOD_MS = 2_000
/** The slowest pace: a part of the rate that is recovered to, and not so slow that servers give up those who wait. */
const SLOWEST_PART = 1 / 32
const SLOWEST_PER_SECOND = 0.2

/** Messages a second that may go now; null: no limit. */
export function rateAt({ slowdown }: Pace, perSecond: number | null, now: number): number | null {
  if (slowdown === null) return perSecond
  const part = (now - slowdown.at) / RECOVERY_MS
  if (part < 0 || part >= 1) return perSecond
  const rate = slowdown.from + (slowdown.to - slowdown.from) * part
  return perSecond === null ? rate : Math.min(rate, perSecond)
}

/** Slots for as many of the wanted messages as may have one by now, in order, and from when on there is another. */
export function takeSlots(
  pace: Pace,
  { now, perSecond, transactional, broadcast, unused }: SlotRequest,
): { pace: Pace; transactional: number[]; broadcast: number[]; nextAt: number } {
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

/** Halves what is offered, at once; the limit, or what was offered before, is reached again after a minute. */
export function slowDown(pace: Pace, now: number): Pace {
  const { slowdown, perSecond } = pace
  const isSlowed = slowdown !== null && rateAt(pace, Number.POSITIVE_INFINITY, now) !== Number.POSITIVE_INFINITY
  if (isSlowed && now - slowdown.at < HALVING_PERIOD_MS) return pace
  const allowed = rateAt(pace, perSecond, now) ?? Number.POSITIVE_INFINITY
  const offered = offeredAt(pace, now)
  const to = isSlowed ? slowdown.to : (perSecond ?? offered)
  const from = Math.max(Math.min(allowed, offered) / 2, to * SLOWEST_PART, SLOWEST_PER_SECOND)
  return { ...pace, slowdown: { at: now, from, to: Math.max(to, from) } }
}

/**
 * How many messages a second went lately; at least one. Before there is anything to go by, that is a guess: half of too
 * little would hold up a provider that said "too fast" to its first message, half of too much is halved again.
 */
function offeredAt({ countedFrom, counted: count, offeredPerSecond }: Pace, now: number): number {
  const periodMs = countedFrom === null ? 0 : now - countedFrom
  const isFirst = offeredPerSecond === 0 && periodMs < COUNT_PERIOD_MS
  const current = count / (Math.max(periodMs, 1_000) / 1_000)
  const before = periodMs >= 0 && periodMs < 2 * COUNT_PERIOD_MS ? offeredPerSecond : 0
  return Math.max(isFirst ? OFFERED_GUESS_PER_SECOND : 1, current, before)
}

function counted(pace: Pace, taken: number, now: number): Pace {
  const periodMs = pace.countedFrom === null ? Number.POSITIVE_INFINITY : now - pace.countedFrom
  if (periodMs >= 0 && periodMs < COUNT_PERIOD_MS) return { ...pace, counted: pace.counted + taken }
  // After a pause, or a step of the clock, there is no rate to speak of.
  const isRecent = periodMs >= 0 && periodMs < 2 * COUNT_PERIOD_MS
  const offeredPerSecond = isRecent ? pace.counted / (periodMs / 1_000) : 0
  return { ...pace, countedFrom: now, counted: taken, offeredPerSecond }
}
