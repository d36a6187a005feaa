/** A moment as microseconds since 1970: what the database keeps of it, exactly. */
export type Micros = bigint

const MS = 1_000n
const FRACTION = /^(.{19})(?:\.(\d{1,6}))?Z$/

/** RFC 3339 in UTC, as the database answers, with up to six digits of a second. */
export function microsOf(moment: string): Micros {
  const [, whole, fraction = ''] = FRACTION.exec(moment) ?? []
  if (whole === undefined) throw new Error(`not a moment of the database: ${moment}`)
  return BigInt(Date.parse(`${whole}Z`)) * MS + BigInt(fraction.padEnd(6, '0'))
}

export function momentOf(micros: Micros): string {
  const seconds = micros / 1_000_000n
  const fraction = (micros % 1_000_000n).toString().padStart(6, '0')
  return `${new Date(Number(seconds) * 1_000).toISOString().slice(0, 19)}.${fraction}Z`
}

export const fromMs = (ms: number): Micros => BigInt(Math.round(ms)) * MS

/** Negative where the first moment is the earlier one. Their texts do not sort: `…:40Z` is before `…:40.1Z`. */
export function compareMoments(one: string, other: string): number {
  const [a, b] = [microsOf(one), microsOf(other)]
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** The earliest of some moments; of none `otherwise`. */
export function earliestOf(moments: readonly string[], otherwise: string): string {
  return moments.toSorted(compareMoments)[0] ?? otherwise
}
