import type pg from 'pg'
import { unprocessable } from '../../../catalogue/problems.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import { membersToTell } from '../../members/members-to-tell.ts'

/** Throws 422 unless a normalised address is that of a member of the workspace; `otherwise` says what would let it be another. */
export async function requireMemberAddress(
  sql: pg.Pool,
  workspaceId: string,
  { email, otherwise = '' }: { email: string; otherwise?: string },
): Promise<void> {
  const members = await inTransaction(sql, workspaceId, (tx) => membersToTell(tx, workspaceId, [email]))
  if (members.some((member) => member.email === email)) return
  throw unprocessable([{ pointer: '/email', detail: `must be the address of a member of the workspace${otherwise}` }])
}
