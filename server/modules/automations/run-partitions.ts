import type { PartitionNeed } from '../../platform/db/expire-partitions.ts'
import type { ExpiringTable } from '../../platform/db/partitions.ts'
import { neededToSend } from '../sending/ledger/message-partitions.ts'

/** Traces, ended runs and their mails, by the month in which a run began or a mail was made. */
export function automationPartitions(keepDays: number): ExpiringTable[] {
  return ['run_steps', 'ended_runs', 'run_messages'].map((table) => ({ table, span: 'month', ahead: 2, keepDays }))
}

/** The trace of a run, and the place for its end, stay while somebody is on it; that of a mail while it is still to be sent. */
export const RUN_NEEDS: readonly PartitionNeed[] = [
  neededToSend('run_messages'),
  ...['run_steps', 'ended_runs'].map((table) => ({ table, isNeeded: holdsRuns })),
]

async function holdsRuns(...[tx, { from, to }]: Parameters<PartitionNeed['isNeeded']>): Promise<boolean> {
  const { rows } = await tx.query<{ yes: boolean }>(
    'select exists (select from runs where created_at >= $1 and created_at < $2) as yes',
    [from, to],
  )
  return rows[0]!.yes
}
