import { ALL_WORKSPACES, queryInScope } from '../../platform/db/transaction.ts'
import { type ChainDeps, eachChain, inChain } from './seal-audit.ts'

/** A transaction's worth: what is taken is verified first, at some 5,000 entries a second. */
const PRUNED_AT_ONCE = 1_000

/**
 * The job `prune_audit`: takes entries older than a workspace keeps them from the beginning of its log, in the order of
 * the chain, and moves its anchor behind them, so that the rest can still be proved. Answers how many went.
 */
export async function pruneAudit(deps: ChainDeps, stopping: AbortSignal): Promise<number> {
  const workspaces = await queryInScope<{ id: string; cutoff: string }>(deps.sql, ALL_WORKSPACES, {
    text: `select id, now() - make_interval(days => audit_retention_days) as cutoff
           from workspaces where audit_retention_days is not null order by id`,
  })
  return eachChain(workspaces, async ({ id, cutoff }) => {
    let total = 0
    let pruned: number
    do {
      pruned = await inChain(deps, id, async (tx, isRight) => {
        // A log that somebody has tampered with is kept as evidence.
        if (!isRight) return 0
        const { rows } = await tx.query<{ pruned: number }>('select prune_audit_entries($1, $2, $3) as pruned', [
          id,
          cutoff,
          PRUNED_AT_ONCE,
        ])
        return rows[0]?.pruned ?? 0
      })
      total += pruned
    } while (pruned === PRUNED_AT_ONCE && !stopping.aborted)
    return total
  })
}
