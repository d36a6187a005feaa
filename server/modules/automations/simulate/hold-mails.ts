import { DAY_MS, HOUR_MS } from '../../../platform/durations.ts'
import { timeZoneNamed } from '../../../platform/time-zone.ts'
import { quietAt } from '../../sending/restraint/quiet-hours.ts'
import type { Restraint, Restraints } from '../../sending/restraint/restraints.ts'
import type { Micros } from '../run/model/model-run.ts'

const MS_MICROS = 1_000
/** Waits of one mail that are followed, quiet hours and places by turns. */
const WAITS_MAX = 1_000

/** A mail as its run leaves it to the sender. */
export type Queued = {
  at: Micros
  /** Later it is not sent. */
  notAfter: Micros
  /** When its run leaves early, and takes it back. */
  leavesAt: Micros
}

/** The fate of a mail: when it went, why it did not, or that it still waits at the end; and what it had to wait for. */
export type Fate = { sentAt: Micros | null; skipped: string | null; heldFor: Restraint[] }

export type Holding = {
  restraints: Restraints
  /** The person's own; null for nobody knows. */
  zone: string | null
  /** When other marketing mail went to them. */
  others: readonly Micros[]
  until: Micros
  /** Why they are mailed no more at a moment. */
  refusalAt: (at: Micros) => string | undefined
}

/**
 * Marketing mails of one person, the oldest first, as the sender would hold them back (sending/restraint): each waits for the end of
 * the quiet hours and for a place among all that the person gets, and is taken back or skipped when that comes too late. An older one
 * goes first. The mail of others goes as it did.
 */
export function holdMails<One extends Queued>(mails: readonly One[], holding: Holding): (One & Fate)[] {
  const places = [...holding.others]
  return mails.map((mail) => {
    const fate = fateOf(mail, places, holding)
    if (fate.sentAt !== null) places.push(fate.sentAt)
    return { ...mail, ...fate }
  })
}

function fateOf(mail: Queued, places: readonly Micros[], { restraints, zone, until, refusalAt }: Holding): Fate {
  const { quietHours, frequencyCap } = restraints
  const quietZone = quietHours && ((zone && timeZoneNamed(zone)) || quietHours.zone)
  const heldFor = new Set<Restraint>()
  const end = (sentAt: Micros | null, skipped: string | null = null) => ({ sentAt, skipped, heldFor: [...heldFor] })
  let cappedSince: Micros | undefined
  for (let [at, n] = [mail.at, 0]; n < WAITS_MAX; n++) {
    if (at >= until) return end(null)
    if (at > mail.at) {
      const refusal = mail.leavesAt <= at ? 'run_ended' : refusalAt(at)
      if (refusal !== undefined) return end(null, refusal)
    }
    const quiet = quietHours && quietAt(Math.floor(at / MS_MICROS), quietHours, quietZone!)
    if (quiet?.isQuiet) {
      heldFor.add('quiet_hours')
      if (quiet.changesAt * MS_MICROS > mail.notAfter) return end(null, 'quiet_hours')
      at = quiet.changesAt * MS_MICROS
      continue
    }
    const free = frequencyCap === null ? at : freeAt(places, { at, ...frequencyCap })
    if (free === at) return end(at)
    heldFor.add('frequency_cap')
    cappedSince ??= at
    const last = Math.min(mail.notAfter, cappedSince + frequencyCap!.waitHours * HOUR_MS * MS_MICROS)
    if (at >= last) return end(null, 'frequency_cap')
    at = Math.min(free, last)
  }
  return end(null)
}

/** The first moment from `at` on, as things stand then, at which there is room for one more. */
function freeAt(
  places: readonly Micros[],
  { at, messages, days }: { at: Micros; messages: number; days: number },
): Micros {
  const span = days * DAY_MS * MS_MICROS
  const taken = places.filter((one) => one <= at && one > at - span).sort((one, other) => one - other)
  return taken.length < messages ? at : taken[taken.length - messages]! + span
}
