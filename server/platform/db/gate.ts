import { int8Array } from './arrays.ts'
import type { Queryable } from './transaction.ts'

export type Gate = {
  /** Goes through the gates of things of a workspace, side by side with others, until the transaction ends. */
  pass(tx: Queryable, workspaceId: string, ids: readonly string[]): Promise<void>
  /** Waits for those who are inside, and keeps others out until the transaction ends: before the thing's row is locked. */
  close(tx: Queryable, workspaceId: string, id: string): Promise<void>
}

/**
 * Gates of the things of one kind, for turns that follow each other without a gap, and whoever changes the thing. A shared lock on its row
 * would do, were it not that PostgreSQL grants these past whoever waits for the row alone. Here whoever waits is before those who come later.
 */
export function gateOf(kind: string): Gate {
  const keyOf = (id: string) => `hashtextextended('${kind} ' || ${id}, $1::bigint)`
  return {
    async pass(tx, workspaceId, ids) {
      await tx.query({
        name: `pass_gates_of_${kind}s`,
        text: `select pg_advisory_xact_lock_shared(${keyOf('of.id')}) from (
          select distinct id from unnest($2::int8[]) as given (id) order by id) of`,
        values: [workspaceId, int8Array(ids)],
      })
    },
    async close(tx, workspaceId, id) {
      await tx.query({
        name: `close_gate_of_${kind}`,
        text: `select pg_advisory_xact_lock(${keyOf('$2::text')})`,
        values: [workspaceId, id],
      })
    },
  }
}
