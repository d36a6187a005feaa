import type pg from 'pg'
import { conflict, invalid } from '../../catalogue/problems.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from './caller.ts'
import { hashPassword } from './password-hash.ts'
import type { User } from './people.ts'
import type { Role } from './roles.ts'

/** NIST SP 800-63B section 5.1.1: at least eight characters, nothing said about which, long ones welcome. */
export const PASSWORD_CHARS_MIN = 8
export const PASSWORD_CHARS_MAX = 1_024
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/
const NAME_CHARS_MAX = 200

export type NewUser = { email: string; name?: string; password: string; role: Role }

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
  return inTransaction(deps.sql, caller.workspaceId, (tx) => storeUser(tx, caller, account))
}

export type Account = { email: string; name: string; passwordHash: string; role: Role }

/** Checks what was given and hashes the password, which takes its time outside any transaction. */
export async function prepareAccount({ email, name, password, role }: NewUser): Promise<Account> {
  const address = email.trim().toLowerCase()
  if (!EMAIL.test(address)) throw invalid([{ pointer: '/email', detail: 'is not an email address' }])
  if (password.length < PASSWORD_CHARS_MIN || password.length > PASSWORD_CHARS_MAX) {
    const detail = `must have ${PASSWORD_CHARS_MIN} to ${PASSWORD_CHARS_MAX} characters`
    throw invalid([{ pointer: '/password', detail }])
  }
  const display = (name?.trim() || address.split('@', 1)[0]!).slice(0, NAME_CHARS_MAX)
  return { email: address, name: display, passwordHash: await hashPassword(password), role }
}

export async function storeUser(tx: Transaction, caller: Caller, account: Account): Promise<User & { role: Role }> {
  const { email, name, passwordHash, role } = account
  const inserted = await tx
    .query<{ id: string }>('insert into users (email, name, password_hash) values ($1, $2, $3) returning id', [
      email,
      name,
      passwordHash,
    ])
    .catch((error: unknown) => {
      throw brokenConstraint(error) === 'users_email_key' ? conflict('email', 'already has an account') : error
    })
  const { id } = inserted.rows[0]!
  await tx.query('insert into memberships (workspace_id, user_id, role) values ($1, $2, $3)', [
    caller.workspaceId,
    id,
    role,
  ])
  await recordAudit(tx, caller, {
    action: 'membership.create',
    target: { type: 'user', id, name },
    diff: { role: { from: null, to: role }, email: 'changed' },
  })
  return { id, email, name, role }
}
