import type pg from 'pg'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { deleteOldBudgets } from './mail-budgets.ts'
import { SIGN_UP_DAYS } from './sign-up-link.ts'
import { countOutcome } from './submission-queries.ts'

/** Ends come in steps, so that none is long. */
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
  await inTransaction(pool, ALL_WORKSPACES, (tx) => deleteOldBudgets(tx, now()))
  for (;;) {
    if (isOver()) return false
    const ended = await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
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
        values: [new Date(now()).toISOString(), SIGN_UP_DAYS, SUBMISSIONS_PER_STEP],
      })
      for (const [workspaceId, theirs] of Map.groupBy(rows, (row) => row.workspaceId)) {
        await forgetMessages(
          tx,
          workspaceId,
          theirs.flatMap(({ messageId }) => messageId ?? []),
        )
        for (const [formId, { length }] of Map.groupBy(theirs, (row) => row.formId)) {
          await countOutcome(tx, workspaceId, { formId, outcome: 'expired', nowMs: now(), total: length })
        }
      }
      return rows.length
    })
    if (ended < SUBMISSIONS_PER_STEP) break
  }
  await clearVisitors(pool)
  return deleteOld(pool, now, isOver)
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

async function deleteOld(pool: pg.Pool, now: () => number, isOver: () => boolean): Promise<boolean> {
  for (;;) {
    if (isOver()) return false
    const { rowCount } = await inTransaction(pool, ALL_WORKSPACES, (tx) =>
      tx.query({
        name: 'delete_old_form_submissions',
        text: `delete from form_submissions s using (
            select workspace_id, id from form_submissions
            where state in ('expired', 'refused') and created_at <= $1::timestamptz - make_interval(days => $2)
            order by created_at limit $3 for update skip locked
          ) old where s.workspace_id = old.workspace_id and s.id = old.id`,
        values: [new Date(now()).toISOString(), KEPT_DAYS, SUBMISSIONS_PER_STEP],
      }),
    )
    if ((rowCount ?? 0) < SUBMISSIONS_PER_STEP) return true
  }
}
