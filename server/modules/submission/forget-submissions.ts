import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES } from '../../platform/db/transaction.ts'
import { KNOWN_HOURS } from './take-in-submission.ts'

/** Deletes the names of mails that are old enough to be handed over as new ones. */
export async function forgetSubmissions(sql: pg.Pool, isOver: () => boolean): Promise<void> {
  const where = 'created_at < now() - make_interval(hours => $1)'
  await deleteInSteps(sql, ALL_WORKSPACES, { from: 'submission_keys', where, values: [KNOWN_HOURS], isOver })
}
