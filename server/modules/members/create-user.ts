import type pg from 'pg'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type Account, insertAccount, type NewAccount, prepareAccount } from '../auth/accounts.ts'
import type { Caller } from '../auth/caller.ts'
import type { User } from '../auth/people.ts'
import type { Role } from '../auth/roles.ts'
import { insertMembership } from './member-queries.ts'

export type NewUser = NewAccount & { role: Role }

/**
 * Makes an account and its membership in the caller's workspace. 400 for an email or password that cannot be one, 409
 * when the email has an account.
 */
export async function createUser(
  deps: { sql: pg.Pool },
  caller: Caller,
  input: NewUser,
): Promise<User & { role: Role }> {
  const account = await prepareAccount(input)
  const { role } = input
  const user = await inTransaction(deps.sql, caller.workspaceId, (tx) => storeUser(tx, caller, { account, role }))
  return { ...user, role }
}

export async function storeUser(
  tx: Transaction,
  caller: Caller,
  { account, role }: { account: Account; role: Role },
): Promise<User> {
  const user = await insertAccount(tx, account)
  await addMember(tx, caller, { user, role })
  return user
}

/** Makes somebody who has an account a member of the caller's workspace. Answers false when they are one already. */
export async function addMember(
  tx: Transaction,
  caller: Caller,
  { user, role }: { user: User; role: Role },
): Promise<boolean> {
  if (!(await insertMembership(tx, { workspaceId: caller.workspaceId, userId: user.id, role }))) return false
  await recordAudit(tx, caller, {
    action: 'membership.create',
    target: { type: 'user', id: user.id, name: user.name },
    diff: { role: { from: null, to: role }, email: 'changed' },
  })
  return true
}
