import { CAP_DAYS_MAX, CAP_MESSAGES_MAX, CAP_WAIT_HOURS_MAX } from '../../sending/restraint/restraints.ts'
import { readTime, zoneNamed } from '../definition/read-parts.ts'
import type { Reading } from '../definition/reading.ts'
import type { ScenarioWorkspace } from './scenario.ts'

/** Reads the workspace of a scenario: the quiet hours and the cap that mail is to heed; none where nothing is said. */
export function readWorkspace(reading: Reading, given: unknown, at: string): ScenarioWorkspace {
  const value = reading.object(given, at, ['quietHours', 'frequencyCap'])
  return {
    quietHours: isThere(value.quietHours) ? readQuietHours(reading, value.quietHours, `${at}/quietHours`) : null,
    frequencyCap: isThere(value.frequencyCap) ? readCap(reading, value.frequencyCap, `${at}/frequencyCap`) : null,
  }
}

const isThere = (value: unknown) => value !== undefined && value !== null

function readQuietHours(reading: Reading, given: unknown, at: string): ScenarioWorkspace['quietHours'] {
  const value = reading.object(given, at, ['from', 'until', 'zone'])
  const [from, until] = [readTime(reading, value.from, `${at}/from`), readTime(reading, value.until, `${at}/until`)]
  if (from === until && value.from === value.until) reading.fault(`${at}/until`, 'must be another time than `from`')
  const zone = typeof value.zone === 'string' ? zoneNamed(value.zone) : undefined
  if (isThere(value.zone) && zone === undefined)
    reading.fault(`${at}/zone`, 'must be a time zone, such as Europe/Berlin')
  return { from, until, zone: zone ?? null }
}

function readCap(reading: Reading, given: unknown, at: string): ScenarioWorkspace['frequencyCap'] {
  const value = reading.object(given, at, ['messages', 'days', 'waitHours'])
  return {
    messages: reading.whole(value.messages, `${at}/messages`, { min: 1, max: CAP_MESSAGES_MAX }),
    days: reading.whole(value.days, `${at}/days`, { min: 1, max: CAP_DAYS_MAX }),
    waitHours: reading.whole(value.waitHours, `${at}/waitHours`, { min: 0, max: CAP_WAIT_HOURS_MAX }),
  }
}
