import type pg from 'pg'
import { unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { membersToTell } from '../../members/members-to-tell.ts'

/** Throws 422 unless each of normalised addresses is that of a member of the workspace; `otherwise` says what would let it be another. */
export async function requireMemberAddresses(
  sql: pg.Pool,
  workspaceId: string,
  { emails, otherwise = '' }: { emails: readonly string[]; otherwise?: string },
): Promise<void> {
  const members = await inTransaction(sql, workspaceId, (tx) => membersToTell(tx, workspaceId, [...emails]))
  const stranger = emails.find((email) => members.every((member) => member.email !== email))
  if (stranger === undefined) return
  const which = emails.length > 1 ? `, which ${stranger} is not` : ''
  const detail = `must be the address of a member of the workspace${which}${otherwise}`
  throw unprocessable([{ pointer: '/email', detail }])
}
