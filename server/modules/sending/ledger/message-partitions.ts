import type { PartitionNeed } from '../../../platform/db/expire-partitions.ts'
import type { ExpiringTable, PartitionedTable } from '../../../platform/db/partitions.ts'

const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'messages', span: 'month', ahead: 2 },
  { table: 'message_attempts', span: 'month', ahead: 2 },
]

/** Totals of broadcasts outlive their messages. */
export function messagePartitions(keepDays: number): ExpiringTable[] {
  return PARTITIONED.map((table) => ({ ...table, keepDays }))
}

/** Rows of a message, its attempts included, stay while it is still to be sent. */
export const MESSAGE_NEEDS: readonly PartitionNeed[] = [
  neededToSend('messages'),
  {
    table: 'message_attempts',
    async isNeeded(tx, { to }) {
      const { rows } = await tx.query<{ yes: boolean }>(
        'select exists (select from message_queue where message_created_at < $1) as yes',
        [to],
      )
      return rows[0]!.yes
    },
  },
]

/** For tables whose rows belong to messages and have their `created_at`. */
export function neededToSend(table: string): PartitionNeed {
  return {
    table,
    async isNeeded(tx, { from, to }) {
      const { rows } = await tx.query<{ yes: boolean }>(
        'select exists (select from message_queue where message_created_at >= $1 and message_created_at < $2) as yes',
        [from, to],
      )
      return rows[0]!.yes
    },
  }
}
