import { clockText, dateTimeText, utcText } from '../../lib/format.ts'
import { localText, ZONE } from '../../lib/local-time.ts'
import { MINUTE_CHARS, NOW, type When } from './when.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
/** The first and the last zone of the earth. */
const FIRST_ZONE_HOURS = 14
const LAST_ZONE_HOURS = -12
const MORNING = '09:00'
/** Places by which it is told where on earth a time has passed, from west to east; the last is in the first zone. */
const PLACES = [
  'America/Los_Angeles',
  'America/New_York',
  'America/Sao_Paulo',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Helsinki',
  'Asia/Dubai',
  'Asia/Kolkata',
  'Asia/Bangkok',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
]
const PLACES_NAMED_MAX = 2
const listed = new Intl.ListFormat('en')

/** The choice of this name, with a first time to change: in each zone it is to come. */
export function whenOf(is: string): When {
  const inHours = (hours: number) => localText(new Date(Date.now() + hours * HOUR_MS))
  if (is === 'at') return { is, local: inHours(1) }
  if (is !== 'local') return NOW
  const mornings = [1, 2].map((days) => `${inHours(days * DAY_HOURS).slice(0, 'YYYY-MM-DD'.length)}T${MORNING}`)
  return { is, local: mornings.find((local) => !isBegun(local)) ?? mornings.at(-1)!, zone: ZONE }
}

/** What keeps it from being scheduled for this time. */
export function whenFault(when: When): string | undefined {
  if (when.is === 'now') return undefined
  if (Number.isNaN(Date.parse(when.local))) return 'Choose a date and a time.'
  if (when.is === 'at') {
    return Date.parse(when.local) > Date.now() ? undefined : 'This time has passed: choose one to come.'
  }
  return hasCome(when.local, when.zone) ? `This time has passed in ${when.zone}: choose one to come.` : undefined
}

/** For whom it does not wait for its time, of one for each zone that has come to some of them already. */
export function atOnceText(when: When): string | undefined {
  if (when.is !== 'local' || whenFault(when) !== undefined || !isBegun(when.local)) return undefined
  const passed = PLACES.filter((zone) => hasCome(when.local, zone)).slice(0, PLACES_NAMED_MAX)
  const cities = listed.format(passed.map((zone) => zone.slice(zone.indexOf('/') + 1).replace('_', ' ')))
  return `Where this time has passed already, as in ${cities}, people get it at once.`
}

/** In sentences, with its zone. */
export function whenText(when: When): string {
  if (when.is === 'now') return 'It goes out as soon as you have confirmed it.'
  const fault = whenFault(when)
  if (fault !== undefined) return fault
  if (when.is === 'at') {
    const at = new Date(when.local).toISOString()
    return `It starts on ${dateTimeText(at)} ${ZONE}, which is ${utcText(at)}.`
  }
  const [first, last] = [FIRST_ZONE_HOURS, LAST_ZONE_HOURS].map((hours) => dateTimeText(momentIn(when.local, hours)))
  const chosen = `${clockText(when.local)} in each contact’s own zone.`
  return isBegun(when.local)
    ? `${chosen} It starts as soon as you have confirmed it, and reaches the last zone of the earth on ${last} (${ZONE}).`
    : `${chosen} It reaches the first zone of the earth on ${first} and the last on ${last} (${ZONE}).`
}

/** The moment of a time of day in a zone so many hours before UTC. */
const momentIn = (local: string, hours: number) => new Date(Date.parse(`${local}:00Z`) - hours * HOUR_MS).toISOString()

/** Whether a time of day has come to the first zone of the earth. */
const isBegun = (local: string) => Date.parse(momentIn(local, FIRST_ZONE_HOURS)) <= Date.now()

/** Whether a date and time has come in a zone; one that this browser does not know is left to the server. */
function hasCome(local: string, zone: string): boolean {
  try {
    // The Swedish write a time as the field has it.
    const clock = new Date().toLocaleString('sv', { timeZone: zone })
    return local <= clock.slice(0, MINUTE_CHARS).replace(' ', 'T')
  } catch {
    return false
  }
}
