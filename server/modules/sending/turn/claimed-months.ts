import type { Claim } from './claim-messages.ts'

/**
 * The span of the ledger that messages are of, RFC 3339, its end excluded. A statement that is planned once knows by it which
 * months it need not open: it joins the others as well, one by one, each with its policies and indexes.
 */
export function claimedMonths(claims: readonly Claim[]): [from: string, to: string] {
  const times = claims.map(({ createdAt }) => Date.parse(createdAt))
  // The column has microseconds.
  return [new Date(Math.min(...times)).toISOString(), new Date(Math.max(...times) + 1).toISOString()]
}
