import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { deleteOldBudgets } from './mail-budgets.ts'
import { SIGN_UP_DAYS } from './sign-up-link.ts'
import { countOutcome } from './submission-queries.ts'

/** Ends come in steps, so that nobody’s events wait for them. */
const SUBMISSIONS_PER_STEP = 500
/** Submissions that led to nothing are kept for a while, to be counted and looked at. */
const KEPT_DAYS = 90

export type ExpireDeps = { pool: pg.Pool; now: () => number }

type Expired = { workspaceId: string; formId: string; messageId: string | null }

/**
 * Ends submissions that nobody confirmed in time: what was filled in is erased, the address of the mail that asked too. False
 * when it was told to stop before the end.
 */
export async function expireFormSubmissions({ pool, now }: ExpireDeps, isOver: () => boolean): Promise<boolean> {
  await deleteOldBudgets(pool, now(), isOver)
  const size = new StepSize(SUBMISSIONS_PER_STEP)
  for (let ended = 1; ended > 0; ) {
    if (isOver()) return false
    ended = await boundedStep(pool, ALL_WORKSPACES, { size, work: (tx, rows) => expireSome(tx, now(), rows) })
  }
  await clearVisitors(pool)
  await deleteInSteps(pool, ALL_WORKSPACES, {
    from: 'form_submissions',
    where: `state in ('expired', 'refused') and created_at <= $1::timestamptz - make_interval(days => $2)`,
    values: [new Date(now()).toISOString(), KEPT_DAYS],
    isOver,
  })
  return !isOver()
}

async function expireSome(tx: Transaction, nowMs: number, limit: number): Promise<number> {
  const { rows } = await tx.query<Expired>({
    name: 'expire_form_submissions',
    text: `with over as (
        select workspace_id, id from form_submissions
        where state = 'pending' and created_at <= $1::timestamptz - make_interval(days => $2)
        order by created_at limit $3 for update skip locked
      )
      update form_submissions s set state = 'expired', content = null, visitor_id = null from over
      where s.workspace_id = over.workspace_id and s.id = over.id
      returning s.workspace_id as "workspaceId", s.form_id as "formId", s.message_id as "messageId"`,
    values: [new Date(nowMs).toISOString(), SIGN_UP_DAYS, limit],
  })
  for (const [workspaceId, theirs] of Map.groupBy(rows, (row) => row.workspaceId)) {
    await forgetMessages(
      tx,
      workspaceId,
      theirs.flatMap(({ messageId }) => messageId ?? []),
    )
    for (const [formId, { length }] of Map.groupBy(theirs, (row) => row.formId)) {
      await countOutcome(tx, workspaceId, { formId, outcome: 'expired', nowMs, total: length })
    }
  }
  return rows.length
}

/** Versions before migration 0106 end submissions without clearing in which browser they were filled in. */
async function clearVisitors(pool: pg.Pool): Promise<void> {
  await inTransaction(pool, ALL_WORKSPACES, (tx) =>
    tx.query({
      name: 'clear_visitors_of_form_submissions',
      text: `update form_submissions s set visitor_id = null from (
          select workspace_id, id from form_submissions where visitor_id is not null and state <> 'pending'
          limit $1 for update skip locked
        ) ended where s.workspace_id = ended.workspace_id and s.id = ended.id`,
      values: [SUBMISSIONS_PER_STEP],
    }),
  )
}
