import type pg from 'pg'
import { int8Array } from '../../platform/db/arrays.ts'
import { queryInScope, type Transaction } from '../../platform/db/transaction.ts'

/** A mail that was handed over whole, and the moment it came, which finds it quickly. */
export type SubmittedKey = { id: string; createdAt: string }

/** Keeps a mail, and has its messages go out as it. */
export async function keepSubmittedMail(
  tx: Transaction,
  workspaceId: string,
  { raw, messages }: { raw: Buffer; messages: readonly { id: string; createdAt: string }[] },
): Promise<void> {
  await tx.query({
    name: 'keep_submitted_mail',
    text: `with kept as (
        insert into submitted_mails (workspace_id, created_at, message_ids, raw)
        values ($1, $2::timestamptz, $3::int8[], $4) returning id
      )
      update emails e set submitted_id = kept.id from kept
      where e.workspace_id = $1 and e.message_id = any ($3::int8[]) and e.created_at = $2::timestamptz`,
    values: [workspaceId, messages[0]!.createdAt, int8Array(messages.map(({ id }) => id)), raw],
  })
}

/** The bytes of a mail that was handed over; undefined when they were erased. */
export async function submittedMail(
  sql: pg.Pool,
  workspaceId: string,
  { id, createdAt }: SubmittedKey,
): Promise<Buffer | undefined> {
  const [row] = await queryInScope<{ raw: Buffer }>(sql, workspaceId, {
    name: 'submitted_mail',
    text: 'select raw from submitted_mails where workspace_id = $1 and id = $2 and created_at = $3::timestamptz',
    values: [workspaceId, id, createdAt],
  })
  return row?.raw
}
