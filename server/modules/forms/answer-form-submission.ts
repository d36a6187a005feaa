import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { HOUR_MS } from '../../platform/durations.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { createMessages, SINGLE } from '../sending/ledger/create-messages.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'
import { addressBudgets, paceBudgets, type Subjects, spendBudgets } from './mail-budgets.ts'
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

/** Mails are put off by two days at most, so that their links still work for days. */
const HOURS_LATE_MAX = 48

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
  const dueAt = await dueAtOf(tx, deps, { form: { workspaceId, id: formId }, email })
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

/** As many an hour as the budgets of the recipient's domain and of the form have; the rest in the hours after. */
async function dueAtOf(
  tx: Transaction,
  { subjects, now }: AnswerDeps,
  { form, email }: { form: { workspaceId: string; id: string }; email: string },
): Promise<string> {
  const budgets = paceBudgets(subjects, form, email)
  const uses = await spendBudgets(tx, budgets, now())
  const hours = uses.map(({ used }, n) => Math.floor((used - 1) / budgets[n]!.limit))
  return new Date(now() + Math.min(HOURS_LATE_MAX, Math.max(...hours)) * HOUR_MS).toISOString()
}
