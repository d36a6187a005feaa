import { localText, ZONE } from '../../lib/local-time.ts'
import type { Broadcast } from '../../lib/site-types.ts'

export type When =
  | { is: 'now' }
  /** `local` as the field has it, in the reader's zone. */
  | { is: 'at'; local: string }
  | { is: 'local'; local: string; zone: string }

export const NOW: When = { is: 'now' }
/** Of a time as a field has it. */
export const MINUTE_CHARS = '2026-12-01T09:00'.length

/** The time of one that is scheduled, to be changed. */
export function whenPlanned({ scheduledAt, localTime, localTimeZone }: Broadcast): When {
  if (localTime !== null) return { is: 'local', local: localTime.slice(0, MINUTE_CHARS), zone: localTimeZone ?? ZONE }
  return scheduledAt === null ? NOW : { is: 'at', local: localText(new Date(scheduledAt)) }
}
