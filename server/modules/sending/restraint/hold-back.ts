import type pg from 'pg'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { HOUR_MS } from '../../../platform/durations.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import { holdContacts } from '../../contacts/hold-contacts.ts'
import { settleAllowance } from '../../pacing/daily-allowance.ts'
import { holdLane, type SendTurn } from '../lanes.ts'
import type { Claim } from '../turn/claim-messages.ts'
import { recordRefused } from '../turn/settle-refused.ts'
import { type NoPlace, takeSlots, type Wish } from './frequency-slots.ts'
import { endHeld, type Facts, factsOf, type Held, putOff } from './held-messages.ts'
import { type Quiet, type QuietHours, quietAt } from './quiet-hours.ts'
import type { FrequencyCap, RestraintsNow } from './restraints.ts'

/**
 * Puts off claimed marketing mail whose person has quiet hours, or as much of it as the workspace allows, and answers the
 * rest. A message is put off until that may be over, and claimed anew then; one that waits for longer than its own rule or
 * the cap's lets it is skipped, and says why. In a transaction of its own, as `settleRefused`: until this commits they are
 * claims like any others.
 */
export async function holdBack(
  pool: pg.Pool,
  turn: SendTurn,
  { claims, restraints }: { claims: readonly Claim[]; restraints: RestraintsNow },
): Promise<Claim[]> {
  const heeding = claims.filter((one): one is Restrained => one.purpose === 'marketing' && one.contactId !== null)
  if (heeding.length === 0) return [...claims]
  return inTransaction(pool, turn.workspaceId, async (tx) => {
    // The next turn waits for what is said of claims that stay this one's, so that it gives them back as they are by then.
    await holdLane(tx, turn)
    const facts = await factsOf(tx, turn, heeding)
    const beganMs = performance.now()
    const quiet = quietOf(restraints, facts)
    const awake = heeding.filter((claim) => quiet(claim)?.isQuiet !== true)
    const placeless = await placelessOf(tx, turn, { wishes: awake, restraints, priority: facts.priority })
    const held = heeding.flatMap((claim): Held[] => {
      const { id, contactId } = claim
      const now = quiet(claim)
      if (now?.isQuiet) return [{ id, contactId, reason: 'quiet_hours', untilMs: now.changesAt, collided: false }]
      const noPlace = placeless.get(id)
      return noPlace === undefined ? [] : [{ id, contactId, reason: 'frequency_cap', ...noPlace }]
    })
    const { waiting, over } = judged(held, { facts, restraints })
    const kept = new Set(held.map(({ id }) => id))
    // Queue, ledger, allowance: the order of locks (lanes.ts).
    await endHeld(tx, turn, { facts, kept })
    const putBack = await putOff(tx, turn, waiting)
    const refused = await recordRefused(tx, turn, over.map(refusalOf))
    await settleAllowance(tx, turn.workspaceId, [...putBack, ...refused])
    return claims
      .filter(({ id }) => !kept.has(id))
      .map((claim) => {
        const next = claim.contactId === null ? undefined : quiet(claim as Restrained)
        return next === undefined ? claim : { ...claim, quietFrom: beganMs + next.changesAt - restraints.nowMs }
      })
  })
}

type Restrained = Claim & { contactId: string }

const refusalOf = ({ id, reason }: Held) => ({ id, refusal: `skipped:${reason}` })

/** Whether it is quiet for the person of a claim; undefined for a claim that no hours concern. */
function quietOf({ quietHours, nowMs }: RestraintsNow, facts: Facts): (claim: Restrained) => Quiet | undefined {
  if (quietHours === null) return () => undefined
  const zones = new Map<string, Quiet>()
  return ({ id }) => {
    const fact = facts.of.get(id)
    return fact && quietIn(zones, { quietHours, nowMs, zone: fact.zone })
  }
}

type Asked = { quietHours: QuietHours; nowMs: number; zone: string | null }

/** A zone that is not known is as good as none. */
function quietIn(known: Map<string, Quiet>, { quietHours, nowMs, zone: given }: Asked): Quiet {
  const zone = (given && timeZoneNamed(given)) || quietHours.zone
  const quiet = known.get(zone) ?? quietAt(nowMs, quietHours, zone)
  known.set(zone, quiet)
  return quiet
}

type Taking = { wishes: readonly Wish[]; restraints: RestraintsNow; priority: number }

async function placelessOf(
  tx: Transaction,
  { workspaceId }: SendTurn,
  { wishes, restraints: { frequencyCap: cap }, priority }: Taking,
): Promise<Map<string, NoPlace>> {
  if (cap === null || wishes.length === 0) return new Map()
  // In one order, so that two turns never wait for each other in a circle.
  const sorted = wishes.toSorted((one, other) => Number(BigInt(one.contactId) - BigInt(other.contactId)))
  // One that was merged or erased since the claim goes on without a place, and is found out where its mail is composed.
  const held = await holdContacts(
    tx,
    workspaceId,
    sorted.map(({ contactId }) => contactId),
  )
  const there = new Set(held.map(({ id }) => id))
  return takeSlots(
    tx,
    { workspaceId, cap, priority },
    sorted.filter(({ contactId }) => there.has(contactId)),
  )
}

/** Messages that may wait on, none for longer than it may; and those whose wait is over. */
function judged(
  held: readonly Held[],
  { facts, restraints: { frequencyCap, nowMs } }: { facts: Facts; restraints: RestraintsNow },
): { waiting: Held[]; over: Held[] } {
  const ends = new Map(held.map((one) => [one, endOf(one, { facts, frequencyCap, nowMs })]))
  const isOver = (one: Held) => {
    const endMs = ends.get(one)!
    // Nobody knows yet whether there is room: it is told nothing before it has looked again.
    if (one.collided) return false
    // The end of quiet hours is known: whoever could not be mailed by then is told so at once. Room may come sooner.
    return one.reason === 'quiet_hours' ? one.untilMs > endMs : nowMs >= endMs
  }
  const waiting = held.filter((one) => !isOver(one))
  return {
    waiting: waiting.map((one) => (one.collided ? one : { ...one, untilMs: Math.min(one.untilMs, ends.get(one)!) })),
    over: held.filter(isOver),
  }
}

type Ends = { facts: Facts; frequencyCap: FrequencyCap | null; nowMs: number }

/** Until when a message waits at most, in milliseconds since 1970. */
function endOf({ id, reason }: Held, { facts, frequencyCap, nowMs }: Ends): number {
  const fact = facts.of.get(id)
  const ownMs = fact?.notAfterMs ?? Number.POSITIVE_INFINITY
  if (reason === 'quiet_hours' || frequencyCap === null) return ownMs
  return Math.min(ownMs, (fact?.cappedSinceMs ?? nowMs) + frequencyCap.waitHours * HOUR_MS)
}
