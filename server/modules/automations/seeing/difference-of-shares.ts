/** So many of so many. */
export type Share = { reached: number; people: number }
/** `low` and `high` are the ends of the interval, in which the true difference is 19 times of 20. */
export type Difference = { value: number; low: number; high: number }

/** The normal quantile of a two-sided interval of 95 %. */
const Z = 1.959963984540054

/**
 * The difference between the shares of two groups of different people, with its interval of 95 %; both have somebody.
 * R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven methods", Statistics in
 * Medicine 17 (1998) 873-890, method 10: made of the score intervals of E. B. Wilson (1927), without correction for continuity. It holds where
 * nobody or everybody has reached it, and where a group is small, as one that is held out is; the usual one does not.
 */
export function differenceOfShares(one: Share, other: Share): Difference {
  const [p1, p2] = [one.reached / one.people, other.reached / other.people]
  const [first, second] = [scoreInterval(one), scoreInterval(other)]
  const value = p1 - p2
  return {
    value,
    low: value - Math.hypot(p1 - first.low, second.high - p2),
    high: value + Math.hypot(first.high - p1, p2 - second.low),
  }
}

function scoreInterval({ reached, people }: Share): { low: number; high: number } {
  const middle = 2 * reached + Z ** 2
  const half = Z * Math.sqrt(Z ** 2 + 4 * reached * (1 - reached / people))
  const scale = 2 * (people + Z ** 2)
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) }
}
