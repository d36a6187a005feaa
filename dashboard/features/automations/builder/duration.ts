/** Units of ISO 8601 with what stands around their number. */
export const UNITS = [
  { value: 'minutes', label: 'minutes', before: 'PT', after: 'M' },
  { value: 'hours', label: 'hours', before: 'PT', after: 'H' },
  { value: 'days', label: 'days', before: 'P', after: 'D' },
  { value: 'weeks', label: 'weeks', before: 'P', after: 'W' },
  { value: 'months', label: 'months', before: 'P', after: 'M' },
] as const
export type Unit = (typeof UNITS)[number]
const ONE_UNIT = /^P(?:(\d+)([DWM])|T(\d+)([HM]))$/

/** `PT2H` as two hours; undefined for what has no unit or several. */
export function readDuration(text: string): { count: number; unit: Unit } | undefined {
  const [, days, dayUnit, hours, hourUnit] = ONE_UNIT.exec(text) ?? []
  const [before, after, count] = days === undefined ? ['PT', hourUnit, hours] : ['P', dayUnit, days]
  const unit = UNITS.find((one) => one.before === before && one.after === after)
  return unit && { count: Number(count), unit }
}
