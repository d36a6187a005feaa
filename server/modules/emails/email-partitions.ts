import type { PartitionNeed } from '../../platform/db/expire-partitions.ts'
import type { ExpiringTable, PartitionedTable } from '../../platform/db/partitions.ts'
import { neededToSend } from '../sending/ledger/message-partitions.ts'

const PARTITIONED: readonly PartitionedTable[] = [
  { table: 'emails', span: 'month', ahead: 2 },
  { table: 'email_attachments', span: 'month', ahead: 2 },
  { table: 'submitted_mails', span: 'month', ahead: 2 },
]

/** Contents are kept as long as their messages. */
export function emailPartitions(keepDays: number): ExpiringTable[] {
  return PARTITIONED.map((table) => ({ ...table, keepDays }))
}

export const EMAIL_NEEDS: readonly PartitionNeed[] = PARTITIONED.map(({ table }) => neededToSend(table))
