import type { PartitionNeed } from '../../platform/db/expire-partitions.ts'
import type { PartitionedTable } from '../../platform/db/partitions.ts'

export const HIT_PARTITIONS: PartitionedTable = { table: 'message_hits', span: 'month', ahead: 2 }

/** A hit that is still to be judged is still to be counted, and told with its message. */
export const HIT_NEEDS: readonly PartitionNeed[] = [
  {
    table: HIT_PARTITIONS.table,
    async isNeeded(tx, { name }) {
      const { rows } = await tx.query<{ yes: boolean }>(
        `select exists (select from ${name} where verdict is null) as yes`,
      )
      return rows[0]!.yes
    },
  },
  {
    table: 'messages',
    async isNeeded(tx, { name }) {
      const { rows } = await tx.query<{ yes: boolean }>(
        `select exists (select from message_hits h join ${name} m on m.workspace_id = h.workspace_id and m.id = h.message_id
           where h.verdict is null) as yes`,
      )
      return rows[0]!.yes
    },
  },
]
