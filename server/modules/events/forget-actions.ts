import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'

/** Forgets names whose last event has left by age. */
export async function forgetActions(pool: pg.Pool, retentionDays: number): Promise<void> {
  const where = 'last_seen_at < now() - make_interval(days => $1)'
  await deleteInSteps(pool, ALL_WORKSPACES, { from: 'event_actions', where, values: [retentionDays] })
}
