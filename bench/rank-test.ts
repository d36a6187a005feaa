/**
 * How far the values of one list stand from those of another by their ranks, in standard deviations: the normal approximation of Mann
 * and Whitney's test (1947), with mean ranks for ties. Outliers, of which a busy machine has many, weigh no more than other values.
 */
export function zOfRanks(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))]
  all.sort((a, b) => a.value - b.value)
  let ranks = 0
  let ties = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    while (to < all.length && all[to]!.value === all[from]!.value) to += 1
    const mean = (from + 1 + to) / 2
    for (let at = from; at < to; at += 1) if (all[at]!.isOne) ranks += mean
    ties += (to - from) ** 3 - (to - from)
    from = to
  }
  const [m, n, both] = [one.length, other.length, all.length]
  const spread = Math.sqrt(((m * n) / 12) * (both + 1 - ties / (both * (both - 1))))
  return spread === 0 ? 0 : (ranks - (m * (m + 1)) / 2 - (m * n) / 2) / spread
}
