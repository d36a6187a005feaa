import { StepSize } from '../../platform/db/bounded-step.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { type ChainDeps, type ChainStep, eachChain, inChain } from './seal-audit.ts'

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
    const size = new StepSize(PRUNED_AT_ONCE)
    const change = async (tx: Transaction, { isRight, rows: rowsMax }: ChainStep) => {
      // A log that somebody has tampered with is kept as evidence.
      if (!isRight) return 0
      const { rows } = await tx.query<{ pruned: number }>('select prune_audit_entries($1, $2, $3) as pruned', [
        id,
        cutoff,
        rowsMax,
      ])
      return rows[0]?.pruned ?? 0
    }
    let total = 0
    for (let pruned = 1; pruned > 0 && !stopping.aborted; total += pruned) {
      pruned = await inChain(deps, id, { size, change })
    }
    return total
  })
}
