import { dateTimeText, utcText } from '../../lib/format.ts'
import { localText, ZONE } from '../../lib/local-time.ts'

export type When =
  | { is: 'now' }
  /** `local` as the field has it, in the reader's zone. */
  | { is: 'at'; local: string }
  | { is: 'local'; local: string; zone: string }

export const NOW: When = { is: 'now' }
const HOUR_MS = 3_600_000
/** The first and the last zone of the earth. */
const FIRST_ZONE_HOURS = 14
const LAST_ZONE_HOURS = -12

/** The choice of this name, with a first time to change. */
export function whenOf(is: string): When {
  const local = localText(new Date(Date.now() + HOUR_MS))
  if (is === 'at') return { is, local }
  return is === 'local' ? { is, local, zone: ZONE } : NOW
}

/** The moment of a time of day in a zone so many hours before UTC. */
const momentIn = (local: string, hours: number) => new Date(Date.parse(`${local}:00Z`) - hours * HOUR_MS).toISOString()

/** In a sentence, with its zone. */
export function whenText(when: When): string {
  if (when.is === 'now') return 'It goes out as soon as you have confirmed it.'
  if (Number.isNaN(Date.parse(when.local))) return 'Choose a date and a time.'
  if (when.is === 'at') {
    const at = new Date(when.local).toISOString()
    return `It starts on ${dateTimeText(at)} ${ZONE}, which is ${utcText(at)}.`
  }
  const [first, last] = [momentIn(when.local, FIRST_ZONE_HOURS), momentIn(when.local, LAST_ZONE_HOURS)]
  return `It reaches the first zone of the earth on ${dateTimeText(first)} and the last on ${dateTimeText(last)} (${ZONE}).`
}
