import type { ExpiringTable } from '../../platform/db/partitions.ts'

/** Traces, ended runs and their mails, by the month in which a run began or a mail was made. */
export function automationPartitions(keepDays: number): ExpiringTable[] {
  return ['run_steps', 'ended_runs', 'run_messages'].map((table) => ({ table, span: 'month', ahead: 2, keepDays }))
}
