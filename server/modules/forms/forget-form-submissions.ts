import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'

const ROWS_MAX = 5_000

/** `addressHash` is in hexadecimal. Submissions after `until` are about somebody new. */
type Forgotten = { workspaceId: string; addressHash: string; until: string }

/** Enqueued in the transaction that erases the person who has the address. */
export const FORGET_FORM_SUBMISSIONS = jobKind<Forgotten>({
  kind: 'forget_form_submissions',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
})

/** Deletes whatever was filled in with an address, by whomever, and takes the address out of the mails that asked it. */
export async function forgetFormSubmissions(
  pool: pg.Pool,
  { workspaceId, addressHash, until }: Forgotten,
  shouldYield: () => boolean,
): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    const { rows } = await tx.query<{ messageId: string | null }>({
      name: 'forget_form_submissions',
      text: `delete from form_submissions where workspace_id = $1 and id in (
          select id from form_submissions
          where workspace_id = $1 and address_hash = decode($2, 'hex') and created_at <= $3 order by id limit $4)
        returning message_id as "messageId"`,
      values: [workspaceId, addressHash, until, limit],
    })
    await forgetMessages(
      tx,
      workspaceId,
      rows.flatMap(({ messageId }) => messageId ?? []),
    )
    return rows.length
  }
  while ((await boundedStep(pool, workspaceId, { size, work })) > 0) if (shouldYield()) return 'more'
  return 'done'
}
