import type pg from 'pg'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { forgetMessages } from '../sending/ledger/forget-messages.ts'

const ROWS_MAX = 5_000
/** By then whatever drew its number before the erasure is committed, or refused. */
const SETTLED_MS = 2_000

/**
 * The submissions there are: their highest number, which the database has given out, and its clock (RFC 3339). No process's own clock is
 * asked: those of two may differ.
 */
export type SubmittedSoFar = { throughId: string; until: string }

/** `addressHash` is in hexadecimal. Jobs of versions before have no `throughId`, and these versions go by `until`. */
type Forgotten = { workspaceId: string; addressHash: string; until: string; throughId?: string }

export async function submittedSoFar(tx: Transaction): Promise<SubmittedSoFar> {
  const { rows } = await tx.query<SubmittedSoFar>({
    name: 'form_submissions_so_far',
    text: 'select last_value as "throughId", clock_timestamp() as until from form_submissions_id_seq',
  })
  return rows[0]!
}

/** Enqueued in the transaction that erases the person who has the address. */
export const FORGET_FORM_SUBMISSIONS = jobKind<Forgotten>({
  kind: 'forget_form_submissions',
  queue: 'default',
  delayMs: SETTLED_MS,
  groupKey: ({ workspaceId }) => workspaceId,
})

/** Deletes whatever was filled in with an address, by whomever, and takes the address out of the mails that asked it. */
export async function forgetFormSubmissions(
  pool: pg.Pool,
  { workspaceId, addressHash, until, throughId }: Forgotten,
  shouldYield: () => boolean,
): Promise<'done' | 'more'> {
  const size = new StepSize(ROWS_MAX)
  const work = async (tx: Transaction, limit: number) => {
    const { rows } = await tx.query<{ messageId: string | null }>({
      name: 'forget_form_submissions',
      text: `delete from form_submissions where workspace_id = $1 and id in (
          select id from form_submissions
          where workspace_id = $1 and address_hash = decode($2, 'hex')
            and case when $5::bigint is null then created_at <= $3 else id <= $5 end
          order by id limit $4)
        returning message_id as "messageId"`,
      values: [workspaceId, addressHash, until, limit, throughId ?? null],
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
