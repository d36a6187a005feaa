import type { PreflightCheck } from '../../lib/site-types.ts'
import { atOnceText, whenFault } from './choose-when.ts'
import type { When } from './when.ts'

/** A finding of the server, or one on the time, which it is told only with the act. */
export type Finding = Omit<PreflightCheck, 'code'> & { code: PreflightCheck['code'] | 'time' }

export const WHEN_FIELD = 'scheduledAt'

/** What speaks against a time, and what should be known of it. */
export function whenFindings(when: When): Finding[] {
  const fault = whenFault(when)
  const detail = fault ?? atOnceText(when)
  if (detail === undefined) return []
  return [{ code: 'time', severity: fault === undefined ? 'warning' : 'error', field: WHEN_FIELD, line: null, detail }]
}
