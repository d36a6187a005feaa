const RFC3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})$/
const MICROSECOND_DIGITS = 6

/**
 * An RFC 3339 timestamp in UTC with `Z`, its fraction kept to the microsecond; a leap second counts as the next second.
 * Undefined for anything else: no date, a day the month does not have, an offset beyond 23:59, the year 0.
 */
export function toUtc(value: string): string | undefined {
  const match = RFC3339.exec(value)
  if (!match) return undefined
  const [, date = '', clock = '', fraction = '', zone = ''] = match
  const leap = clock.endsWith(':60')
  const seconds = Date.parse(`${date}T${leap ? `${clock.slice(0, 6)}59` : clock}${zone.toUpperCase()}`)
  if (Number.isNaN(seconds) || !isCalendarDay(date)) return undefined
  const utc = new Date(seconds + (leap ? 1_000 : 0)).toISOString()
  if (!/^\d{4}-/.test(utc) || utc.startsWith('0000')) return undefined
  const digits = fraction.slice(0, MICROSECOND_DIGITS)
  return `${utc.slice(0, 19)}${digits === '' ? '' : `.${digits}`}Z`
}

/** Date.parse takes 2026-02-30 for the 2nd of March. */
function isCalendarDay(date: string): boolean {
  const parsed = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(date)
}
