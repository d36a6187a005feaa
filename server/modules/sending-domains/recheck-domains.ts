import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { claimDueDomains } from './check-queries.ts'
import { type CheckDeps, checkClaimed } from './verify-domain.ts'

/** How many due domains a round takes. */
export const DOMAINS_A_ROUND = 100
/** Checks at once in a round: it is done within 100 / 20 × 15 s when no zone answers, and one that does not holds nobody up. */
const CHECKS_AT_ONCE = 20

/**
 * The job `recheck_domains`: checks the domains that are due, least recently checked first. One that fails does not keep
 * the others from their check; its error is thrown in the end. Answers how many were checked.
 */
export async function recheckDomains(deps: CheckDeps, stopping: AbortSignal): Promise<number> {
  const claimed = await inTransaction(deps.pool, ALL_WORKSPACES, (tx) => claimDueDomains(tx, DOMAINS_A_ROUND))
  const errors: unknown[] = []
  let checked = 0
  const takeTurns = async () => {
    for (let next = claimed.shift(); next !== undefined && !stopping.aborted; next = claimed.shift()) {
      await checkClaimed(deps, next).then(
        () => (checked += 1),
        (error: unknown) => errors.push(error),
      )
    }
  }
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, takeTurns))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} sending domains could not be checked`)
  return checked
}
