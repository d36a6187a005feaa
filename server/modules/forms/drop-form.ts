import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'

const ROWS_MAX = 5_000

type Dropped = { workspaceId: string; formId: string }

/** Enqueued in the transaction that takes the form away from everybody. */
export const DROP_FORM = jobKind<Dropped>({
  kind: 'drop_form',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * Deletes a form that is nobody's any more: its submissions first, with the addresses of those who had not confirmed, its sums by the
 * hour, and at last the form with its versions.
 */
export async function dropForm(pool: pg.Pool, dropped: Dropped, shouldYield: () => boolean): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  for (const step of [deleteSubmissions, deleteHours, deleteForm]) {
    const work = (tx: Transaction, rows: number) => step(tx, dropped, rows)
    while ((await boundedStep(pool, dropped.workspaceId, { size, work })) > 0) if (shouldYield()) return 'more'
  }
  return 'done'
}

async function deleteSubmissions(tx: Transaction, { workspaceId, formId }: Dropped, limit: number): Promise<number> {
  const { rows } = await tx.query<{ messageId: string | null; isTheirs: boolean }>({
    name: 'delete_submissions_of_form',
    text: `delete from form_submissions where workspace_id = $1 and id in (
        select id from form_submissions where workspace_id = $1 and form_id = $2 order by id limit $3)
      returning message_id as "messageId", contact_id is not null as "isTheirs"`,
    values: [workspaceId, formId, limit],
  })
  const asked = rows.flatMap(({ messageId, isTheirs }) => (messageId === null || isTheirs ? [] : [messageId]))
  await forgetMessages(tx, workspaceId, asked)
  return rows.length
}

async function deleteHours(tx: Transaction, { workspaceId, formId }: Dropped, limit: number): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'delete_hours_of_form',
    text: `delete from form_hours where ctid = any (array(
        select ctid from form_hours where workspace_id = $1 and form_id = $2 limit $3))`,
    values: [workspaceId, formId, limit],
  })
  return rowCount ?? 0
}

async function deleteForm(tx: Transaction, { workspaceId, formId }: Dropped): Promise<number> {
  await tx.query({
    name: 'delete_form',
    text: 'delete from forms where workspace_id = $1 and id = $2 and deleted_at is not null',
    values: [workspaceId, formId],
  })
  return 0
}
