/**
 * Whether something has come back of a message `m` that shows that it arrived, before it was known that nobody saw it taken; `handingAt`: when
 * this handover of it began. A bounce from before that is of an attempt that failed.
 */
export function hasArrived(handingAt: string): string {
  return `(coalesce(m.opened_at, m.clicked_at, m.unsubscribed_at, m.complained_at) is not null
    or coalesce(m.bounced_at >= ${handingAt}, false))`
}

/** The state of a message whose handover began at `handingAt` and that nobody saw taken, and the reason with it; `reason` is SQL. */
export function unseen(handingAt: string, reason: string): { state: string; reason: string } {
  const arrived = hasArrived(handingAt)
  return {
    state: `case when ${arrived} then 'accepted' else 'uncertain' end`,
    reason: `case when not ${arrived} then ${reason} end`,
  }
}
