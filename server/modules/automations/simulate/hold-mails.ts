import { DAY_MS, HOUR_MS } from '../../../platform/durations.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import { quietAt } from '../../sending/restraint/quiet-hours.ts'
import type { Restraint, Restraints } from '../../sending/restraint/restraints.ts'
import type { Micros } from '../run/model/model-run.ts'

const MS_MICROS = 1_000
/** Looks at one mail that are followed, quiet hours and places by turns. */
const LOOKS_MAX = 1_000
/** How soon it is looked again where no place is taken, and only others come first. */
const BEHIND_OTHERS_MICROS: Micros = 900_000_000

/** A mail as it is left to the sender. */
export type Queued = {
  at: Micros
  /** Later it is not sent. */
  notAfter: Micros
  /** Of those that wait the highest goes first, then the oldest. */
  priority: number
  /** Why it is not sent at a moment. */
  refusalAt: (at: Micros) => string | undefined
}

/** The fate of a mail: when it went, why it did not, or that it still waits at the end; and what it had to wait for. */
export type Fate = { sentAt: Micros | null; skipped: string | null; heldFor: Restraint[] }

export type Holding = {
  restraints: Restraints
  /** The person's own; null for nobody knows. */
  zone: string | null
  /** When marketing mail has gone to them that is not among the queued. */
  gone: readonly Micros[]
  until: Micros
}

/** A mail on its way, and when it is looked at next. */
type Looked<One> = {
  mail: One
  place: number
  at: Micros
  looks: number
  heldFor: Set<Restraint>
  cappedSince: Micros | undefined
}

/**
 * Marketing mails of one person, the oldest first, as the sender would hold them back (sending/restraint): each waits for the end of
 * the quiet hours and for a place among all that the person gets, and is taken back or skipped when that comes too late. Of those
 * that wait for a place the priority decides, then which is older; mail that has gone took its place when it went.
 */
export function holdMails<One extends Queued>(mails: readonly One[], holding: Holding): (One & Fate)[] {
  const gone = [...holding.gone]
  // The next one to be looked at is the last; of those that wait the one that goes first is the first.
  const queue: Looked<One>[] = []
  const waiting: Looked<One>[] = []
  const fates = new Map<One, Fate>()
  for (const [place, mail] of mails.entries()) {
    const looked = { mail, place, at: mail.at, looks: 0, heldFor: new Set<Restraint>(), cappedSince: undefined }
    insert(queue, looked, isLater)
  }
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const wasWaiting = next.heldFor.size > 0
    const end = look(next, { gone, waiting }, holding)
    if (end === undefined) {
      insert(queue, next, isLater)
      if (!wasWaiting) insert(waiting, next, isAhead)
      continue
    }
    if (wasWaiting) waiting.splice(waiting.indexOf(next), 1)
    fates.set(next.mail, { ...end, heldFor: [...next.heldFor] })
    if (end.sentAt !== null) gone.push(end.sentAt)
  }
  return mails.map((mail) => ({ ...mail, ...fates.get(mail)! }))
}

/** Puts one where it belongs among those in order, of which none is equal to it. */
function insert<One>(among: One[], one: One, isBefore: (one: One, other: One) => boolean): void {
  let [from, to] = [0, among.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(among[middle]!, one)) from = middle + 1
    else to = middle
  }
  among.splice(from, 0, one)
}

const isLater = (one: Looked<Queued>, other: Looked<Queued>): boolean =>
  one.at > other.at || (one.at === other.at && isAhead(other, one))

function isAhead(one: Looked<Queued>, other: Looked<Queued>): boolean {
  const more = one.mail.priority - other.mail.priority
  return more > 0 || (more === 0 && one.place < other.place)
}

/** How many of those that wait go before one; no more than `max` are counted, behind whom it waits for all places anyway. */
function countAhead(waiting: readonly Looked<Queued>[], one: Looked<Queued>, max: number): number {
  let ahead = 0
  for (const other of waiting) {
    if (ahead === max || !isAhead(other, one)) break
    if (other.mail.refusalAt(one.at) === undefined) ahead++
  }
  return ahead
}

type Places = { gone: readonly Micros[]; waiting: readonly Looked<Queued>[] }
type End = Omit<Fate, 'heldFor'>

/** Looks at a mail at its moment; undefined where it waits for another one. */
function look(one: Looked<Queued>, { gone, waiting }: Places, { restraints, zone, until }: Holding): End | undefined {
  const { mail, at } = one
  const { quietHours, frequencyCap } = restraints
  one.looks++
  if (at >= until || one.looks > LOOKS_MAX) return { sentAt: null, skipped: null }
  const refusal = mail.refusalAt(at)
  if (refusal !== undefined) return { sentAt: null, skipped: refusal }
  const quietZone = quietHours && ((zone && timeZoneNamed(zone)) || quietHours.zone)
  const quiet = quietHours && quietAt(Math.floor(at / MS_MICROS), quietHours, quietZone!)
  if (quiet?.isQuiet) {
    one.heldFor.add('quiet_hours')
    one.at = quiet.changesAt * MS_MICROS
    return one.at > mail.notAfter ? { sentAt: null, skipped: 'quiet_hours' } : undefined
  }
  const ahead = frequencyCap === null ? 0 : countAhead(waiting, one, frequencyCap.messages)
  const free = frequencyCap === null ? at : freeAt({ gone, ahead }, { at, ...frequencyCap })
  if (free === at) return { sentAt: at, skipped: null }
  one.heldFor.add('frequency_cap')
  one.cappedSince ??= at
  const last = Math.min(mail.notAfter, one.cappedSince + frequencyCap!.waitHours * HOUR_MS * MS_MICROS)
  if (at >= last) return { sentAt: null, skipped: 'frequency_cap' }
  one.at = Math.min(free, last)
  return undefined
}

/** The first moment from `at` on, as things stand then, at which there may be room for one more behind those ahead. */
function freeAt(
  { gone, ahead }: { gone: readonly Micros[]; ahead: number },
  { at, messages, days }: { at: Micros; messages: number; days: number },
): Micros {
  const span = days * DAY_MS * MS_MICROS
  const taken = gone.filter((one) => one <= at && one > at - span).sort((one, other) => one - other)
  const missing = taken.length + ahead + 1 - messages
  if (missing <= 0) return at
  const last = taken[Math.min(missing, taken.length) - 1]
  return last === undefined ? at + BEHIND_OTHERS_MICROS : last + span
}
