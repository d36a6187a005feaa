import type { PartitionNeed } from '../db/expire-partitions.ts'
import type { Partition } from '../db/partitions.ts'
import type { Transaction } from '../db/transaction.ts'
import { READERS } from './readers.ts'

/**
 * A partition of the log stays until every reader has come past its last row and no row of it is parked. Before any group is
 * registered all are needed.
 */
export const NEEDS_OF_GROUPS: PartitionNeed = {
  table: 'outbox',
  isNeeded: (tx, { name }) =>
    answer(
      tx,
      `select not exists (select from outbox_cursors) or exists (select from ${READERS} c, lateral (
           select from ${name} p where (p.tx, p.position) > (c.tx, c.position)
             order by p.tx, p.position limit 1) unread)
         or exists (select from outbox_parked k join ${name} p on p.tx = k.tx and p.position = k.position) as yes`,
    ),
}

/** Whether a group has still to handle rows that were recorded within these times, parked ones included. */
export function isUnreadBy(tx: Transaction, group: string, { from, to }: Pick<Partition, 'from' | 'to'>) {
  return answer(
    tx,
    `select exists (select from outbox_cursors c, lateral (
           select from outbox o where o.recorded_at >= $2 and o.recorded_at < $3 and (o.tx, o.position) > (c.tx, c.position)
             order by o.tx, o.position limit 1) unread
         where c.consumer_group = $1)
       or exists (select from outbox_parked where consumer_group = $1 and recorded_at >= $2 and recorded_at < $3) as yes`,
    [group, from, to],
  )
}

async function answer(tx: Transaction, text: string, values: unknown[] = []): Promise<boolean> {
  const { rows } = await tx.query<{ yes: boolean }>(text, values)
  return rows[0]!.yes
}
