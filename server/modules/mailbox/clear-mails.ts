import type pg from 'pg'
import { notFound } from '../../catalogue/problems.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { deleteMail, deleteMails, newestMail } from './mail-queries.ts'
import type { MailFilterQuery } from './mailbox-schemas.ts'

/** Mails of a transaction: of 50 KB each some 0.2 s. */
const STEP_MAILS_MAX = 2_000
/** Of a mailbox that is full. */
export const CLEAR_DEADLINE_MS = 30_000

type Deps = { sql: pg.Pool }

/** Throws 404. */
export async function deleteCaughtMail({ sql }: Deps, caller: Caller, id: string): Promise<void> {
  await inTransaction(sql, caller.workspaceId, async (tx) => {
    if (!(await deleteMail(tx, caller.workspaceId, id))) throw notFound()
    await noteCleared(tx, caller, 1)
  })
}

/**
 * Deletes the mail that fits and is there by now, all of it without a filter, in steps, each with its entry in the audit log: what is too
 * much for one statement is not too much for the mailbox. Returns how many.
 */
export async function clearMails({ sql }: Deps, caller: Caller, filter: MailFilterQuery): Promise<number> {
  const { workspaceId } = caller
  const through = await newestMail(sql, workspaceId)
  if (through === null) return 0
  let total = 0
  for (let after: string | null = '0'; after !== null; ) {
    const from: string = after
    // Anew for each step: on a busy machine a transaction takes long whatever is in it, and smaller ones would be more of them.
    const size = new StepSize(STEP_MAILS_MAX)
    const work = async (tx: Transaction, limit: number) => {
      const { deleted, found, last } = await deleteMails(tx, workspaceId, { ...filter, after: from, through, limit })
      if (deleted > 0) await noteCleared(tx, caller, deleted)
      return { deleted, next: found < limit ? null : last }
    }
    const { deleted, next } = await boundedStep(sql, workspaceId, { size, work })
    total += deleted
    after = next
  }
  return total
}

async function noteCleared(tx: Transaction, caller: Caller, mails: number): Promise<void> {
  const target = { type: 'mailbox', id: null, name: null }
  await recordAudit(tx, caller, { action: 'mailbox.clear', target, diff: { mails: { from: mails, to: 0 } } })
}
