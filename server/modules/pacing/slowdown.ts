/**
 * The rate while a provider says "too fast" to some. It goes to what the provider takes and stays there: each period is
 * measured, and where more than a seventh was refused the rate is cut to what was taken, at most by half. When the lower
 * rate only has less taken, the refusals are no answer to it (a provider that refuses every third message whatever
 * comes): it goes back up and holds. Periods without a refusal raise it, by more each time. Everything here is a function
 * of its values; times are ms.
 */
export type Slowdown = {
  /** Messages a second that may go now. */
  rate: number
  /** The limit, at which it is over; null without one. */
  to: number | null
  /** When the provider last said so, and how long after their slots its refusals come. */
  refusedAt: number
  delayMs: number
  /** The shortest of those that came last: what has a slot before that is answered. Rows of older versions have none. */
  soonestMs?: number
  /** Periods in a row without a refusal. */
  calm: number
  /** The rate of which most was taken, and how many a second; none of about that rate was measured since. */
  best: { rate: number; taken: number } | null
  /** Refusals that a lower rate did not lessen: what part they were, and until when no more than that is heeded. */
  regardless: { part: number; until: number } | null
}

/** A period's counts: messages that the provider has answered, in `answeredMs`, and its refusals; `ms` it has answered for certain. */
export type Seen = { now: number; offered: number; refused: number; ms: number; answeredMs: number }

/** How long a rate is looked at before it is judged. */
export const PERIOD_MS = 2_000
/** A slow-down that nothing is refused in for so long is over, also where nothing was sent. */
export const FORGOTTEN_MS = 60_000
/** Fewer messages than this say nothing about a part, unless they took this long. */
const TELLING = { messages: 10, ms: 10_000 }
/** Delays beyond it are not waited for; each refusal's counts for less as others come. */
const DELAY = { mostMs: 10_000, kept: 0.9 }
/** The first answer to a refusal, before anything is measured. */
const FIRST_CUT = 0.85
/** Parts that a provider may refuse at its very rate: up to the one it is raised on, up to the other it holds. */
const TOLERATED_PART = { raised: 0.1, held: 0.15 }
/** A period that the sender used less of, for want of messages or of processor time, goes on up to so long. */
const USED = { part: 0.7, untilMs: 3 * PERIOD_MS }
/** A cut goes to so much of what was taken, and no lower than that part of the rate. */
const CUT = { ofTaken: 0.95, most: 0.5 }
/** Growth after the first calm period, by how much more after each further one, and at most. */
const GROWTH = { step: 0.05, most: 0.5 }
/** The slowest pace: a part of the rate that is recovered to, and not so slow that servers give up those who wait. */
const SLOWEST = { part: 1 / 32, perSecond: 0.2 }
/**
 * Refusals are regardless of the rate if one lower by a fifth has less than 0.8 of the best taken; a cut that helps has
 * 0.95 of it. Then parts up to half as much again are not heeded for a while, but never most of all.
 */
const REGARDLESS = { cut: 0.8, taken: 0.8, to: 0.7, worse: 1.5, ms: 30_000 }

export function beginSlowdown(offeredPerSecond: number, to: number | null, now: number): Slowdown {
  const rate = atLeast(offeredPerSecond * FIRST_CUT, to)
  return { rate, to, refusedAt: now, delayMs: 0, calm: 0, best: null, regardless: null }
}

/** Also when the clock was set back: nothing that was measured is of use then. */
export function isOver({ rate, to, refusedAt }: Slowdown, now: number): boolean {
  return (to !== null && rate >= to) || Math.abs(now - refusedAt) >= FORGOTTEN_MS
}

/** `delaysMs`: from slots to their refusals, of those that came. */
export function refusedAgain(slowdown: Slowdown, now: number, delaysMs: readonly number[]): Slowdown {
  if (delaysMs.length === 0) return { ...slowdown, refusedAt: now }
  const longestMs = Math.max(slowdown.delayMs * DELAY.kept, ...delaysMs)
  return {
    ...slowdown,
    refusedAt: now,
    delayMs: Math.min(longestMs, DELAY.mostMs),
    soonestMs: Math.max(0, Math.min(DELAY.mostMs, ...delaysMs)),
  }
}

/** The slow-down after a period of it; undefined while the period is too short to tell. */
export function judgePeriod(slowdown: Slowdown, seen: Seen): Slowdown | undefined {
  const { now, offered, refused, ms, answeredMs } = seen
  if (ms < PERIOD_MS) return undefined
  const { rate, to, regardless, delayMs } = slowdown
  if (offered < (rate * answeredMs * USED.part) / 1_000 && ms < USED.untilMs) return undefined
  if (refused === 0) {
    const calm = slowdown.calm + 1
    return { ...slowdown, rate: rate * grownBy(calm), calm, delayMs: delayMs * DELAY.kept, regardless: null }
  }
  if (offered < TELLING.messages && ms < TELLING.ms) return undefined
  const part = Math.min(1, refused / offered)
  // At that rate: a process that stands still for a part of the time offers at the rate when it does not.
  const taken = rate * (1 - part)
  const best = bestOf(slowdown, taken)
  const held = { ...slowdown, calm: 0, best }
  if (part <= TOLERATED_PART.raised) return { ...held, rate: raisedTo(rate * (1 + GROWTH.step), slowdown) }
  // With what chance adds to it: few messages say little about a part.
  const tolerated = TOLERATED_PART.held * offered
  if (refused <= tolerated + Math.sqrt(tolerated)) return held
  if (part <= REGARDLESS.to) {
    if (regardless !== null && now < regardless.until && part <= regardless.part * REGARDLESS.worse) {
      // More need not worsen them, as less did not lessen them: a rate that was measured too low gets out of there by it.
      const calm = slowdown.calm + 1
      return part > regardless.part ? held : { ...held, calm, rate: raisedTo(rate * grownBy(calm), slowdown) }
    }
    if (best.rate > rate && taken < best.taken * REGARDLESS.taken) {
      // Both are measures of the same part, by few messages: the smaller one would have the next look like a change.
      const regardlessPart = Math.max(part, 1 - best.taken / best.rate)
      return { ...held, rate: best.rate, regardless: { part: regardlessPart, until: now + REGARDLESS.ms } }
    }
  }
  const cut = Math.min(rate, Math.max(taken * CUT.ofTaken, rate * CUT.most))
  return { ...held, rate: atLeast(cut, to), regardless: null }
}

/** A period of about the best rate, or above it, is its newest measure; one of a lower rate has to be better. */
function bestOf({ rate, best }: Slowdown, taken: number): NonNullable<Slowdown['best']> {
  return best === null || rate >= best.rate * REGARDLESS.cut || taken > best.taken ? { rate, taken } : best
}

/** Not to a limit that is known, as long as anything is refused. */
function raisedTo(raised: number, { rate, to }: Slowdown): number {
  return to === null ? raised : Math.max(rate, Math.min(raised, to * FIRST_CUT))
}

function grownBy(calm: number): number {
  return 1 + Math.min(GROWTH.step * calm, GROWTH.most)
}

function atLeast(rate: number, to: number | null): number {
  return Math.max(rate, (to ?? 0) * SLOWEST.part, SLOWEST.perSecond)
}
