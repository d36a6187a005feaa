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
  const open = new Set(
    mails.map((mail, place): Looked<One> => {
      return { mail, place, at: mail.at, looks: 0, heldFor: new Set(), cappedSince: undefined }
    }),
  )
  const fates = new Map<One, Fate>()
  while (open.size > 0) {
    const next = [...open].reduce((first, one) =>
      one.at < first.at || (one.at === first.at && isAhead(one, first)) ? one : first,
    )
    const ahead = [...open].filter((one) => waits(one, next.at) && isAhead(one, next)).length
    const end = look(next, { gone, ahead }, holding)
    if (end === undefined) continue
    open.delete(next)
    fates.set(next.mail, { ...end, heldFor: [...next.heldFor] })
    if (end.sentAt !== null) gone.push(end.sentAt)
  }
  return mails.map((mail) => ({ ...mail, ...fates.get(mail)! }))
}

const waits = ({ mail, heldFor }: Looked<Queued>, at: Micros) => heldFor.size > 0 && mail.refusalAt(at) === undefined

function isAhead(one: Looked<Queued>, other: Looked<Queued>): boolean {
  const more = one.mail.priority - other.mail.priority
  return more > 0 || (more === 0 && one.place < other.place)
}

type Places = { gone: readonly Micros[]; ahead: number }
type End = Omit<Fate, 'heldFor'>

/** Looks at a mail at its moment; undefined where it waits for another one. */
function look(one: Looked<Queued>, places: Places, { restraints, zone, until }: Holding): End | undefined {
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
  const free = frequencyCap === null ? at : freeAt(places, { at, ...frequencyCap })
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
  { gone, ahead }: Places,
  { at, messages, days }: { at: Micros; messages: number; days: number },
): Micros {
  const span = days * DAY_MS * MS_MICROS
  const taken = gone.filter((one) => one <= at && one > at - span).sort((one, other) => one - other)
  const missing = taken.length + ahead + 1 - messages
  if (missing <= 0) return at
  const last = taken[Math.min(missing, taken.length) - 1]
  return last === undefined ? at + BEHIND_OTHERS_MICROS : last + span
}
