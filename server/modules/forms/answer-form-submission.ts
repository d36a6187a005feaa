import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { DAY_MS } from '../../platform/durations.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { createMessages, SINGLE } from '../sending/ledger/create-messages.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { addressBudgets, paces, type Subjects, spendBudgets, takePlaces } from './mail-budgets.ts'
import type { FilledIn } from './read-values.ts'
import type { FormSubmission } from './schemas.ts'
import {
  countOutcome,
  isBlocked,
  noteMessage,
  refuseSubmission,
  type SubmissionRow,
  submissionForChange,
} from './submission-queries.ts'
import { submissionRow } from './submission-row.ts'

export const ANSWER_FORM_SUBMISSION = jobKind<{ workspaceId: string; submissionId: string }>({
  kind: 'answer_form_submission',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

export type AnswerDeps = { pool: pg.Pool; secrets: SecretBox; subjects: Subjects; now: () => number }

/** A mail is put off by five days at most: after seven its link is worth nothing. */
const LATE_MS_MAX = 5 * DAY_MS

/**
 * Asks by mail whoever has the address of a submission whether it was they, unless they were asked often enough or said that
 * it was not. The one who filled in the form has long been answered, and learns nothing from that of what became of it. A
 * second run changes nothing.
 */
export async function answerFormSubmission(
  deps: AnswerDeps,
  { workspaceId, submissionId }: { workspaceId: string; submissionId: string },
): Promise<void> {
  await inTransaction(deps.pool, workspaceId, async (tx) => {
    const submission = await submissionForChange(tx, workspaceId, submissionId)
    if (submission?.state !== 'pending' || submission.messageId !== null) return
    const outcome = await answer(tx, deps, { workspaceId, submission })
    const { formId } = submission
    await countOutcome(tx, workspaceId, { formId, outcome, nowMs: deps.now() })
  })
}

type Asked = { workspaceId: string; submission: SubmissionRow }

async function answer(tx: Transaction, deps: AnswerDeps, { workspaceId, submission }: Asked): Promise<string> {
  const { id, formId, addressHash, content } = submission
  const refuse = async (reason: NonNullable<FormSubmission['reason']>) => {
    await refuseSubmission(tx, workspaceId, { id, reason })
    return reason
  }
  const { email } = JSON.parse(deps.secrets.open(content!, submissionRow(workspaceId, id))) as FilledIn
  if (await isBlocked(tx, workspaceId, addressHash)) return refuse('blocked')
  if (await isSpent(tx, deps, { workspaceId, email })) return refuse('address_budget')
  const budgets = paces(deps.subjects, { workspaceId, id: formId }, email)
  const dueMs = await takePlaces(tx, budgets, { nowMs: deps.now(), waitMsMax: LATE_MS_MAX })
  if (dueMs === undefined) return refuse('address_budget')
  const dueAt = new Date(dueMs).toISOString()
  const items = [{ contactId: null, destination: email, dueAt }]
  const [message] = await createMessages(tx, { workspaceId, origin: SINGLE.confirmation, items })
  await noteMessage(tx, workspaceId, { id, messageId: message!.id })
  if (message!.state === 'pending') return 'mailed'
  await forgetMessages(tx, workspaceId, [message!.id])
  return refuse(message!.state === 'suppressed' ? 'suppressed' : 'unsubscribed')
}

/** One budget after the other: who was asked today already uses up nothing of the month, nor of other workspaces. */
async function isSpent(
  tx: Transaction,
  { subjects, now }: AnswerDeps,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<boolean> {
  for (const budget of addressBudgets(subjects, workspaceId, email)) {
    const [use] = await spendBudgets(tx, [budget], now())
    if (use!.used > budget.limit) return true
  }
  return false
}
