import type { PartitionNeed } from '../../../platform/db/expire-partitions.ts'

/** All messages of a broadcast have its start: their month stays until they are all planned, and done again if they are to be. */
export const BROADCAST_NEEDS: readonly PartitionNeed[] = [
  {
    table: 'messages',
    async isNeeded(tx, { from, to }) {
      const { rows } = await tx.query<{ yes: boolean }>(
        `select exists (select from broadcasts where started_at >= $1 and started_at < $2 and status <> 'failed'
           and (planned_at is null or redo is not null)) as yes`,
        [from, to],
      )
      return rows[0]!.yes
    },
  },
]
