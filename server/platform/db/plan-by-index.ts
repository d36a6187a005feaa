import type { Transaction } from './transaction.ts'

/**
 * Has the rest of a transaction go by indexes: few rows of tables of any size, where without statistics a plan by hash or scan would
 * read all of them.
 */
export async function planByIndex(tx: Transaction): Promise<void> {
  await tx.query(`set local enable_hashjoin = off; set local enable_mergejoin = off; set local enable_seqscan = off;
    set local jit = off`)
}
