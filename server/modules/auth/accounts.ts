import { conflict, invalid } from '../../catalogue/problems.ts'
import { cutText } from '../../platform/cut-text.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { hashPassword } from './password-hash.ts'
import { passwordFault } from './password-rule.ts'
import type { User } from './people.ts'

export const NAME_CHARS_MAX = 200

export type NewAccount = { email: string; name?: string; password: string }
export type Account = { email: string; name: string; passwordHash: string }

/** The address by which an account is looked for: what is none is nobody's. */
export function accountEmail(text: string): string {
  return normaliseEmail(text) ?? text.trim().toLowerCase()
}

/**
 * Checks what was given and hashes the password, which takes its time outside any transaction. 400 for an email or
 * password that cannot be one.
 */
export async function prepareAccount({ email, name, password }: NewAccount): Promise<Account> {
  const address = normaliseEmail(email)
  if (address === undefined) throw invalid([{ pointer: '/email', detail: 'is not an email address' }])
  const fault = passwordFault(password)
  if (fault !== undefined) throw invalid([{ pointer: '/password', detail: fault }])
  const display = cutText(name?.trim() || address.split('@', 1)[0]!, NAME_CHARS_MAX)
  return { email: address, name: display, passwordHash: await hashPassword(password) }
}

/** Makes the account. 409 when the email has one. */
export async function insertAccount(tx: Transaction, account: Account): Promise<User> {
  const { email, name, passwordHash } = account
  const { rows } = await tx
    .query<{ id: string }>('insert into users (email, name, password_hash) values ($1, $2, $3) returning id', [
      email,
      name,
      passwordHash,
    ])
    .catch((error: unknown) => {
      throw brokenConstraint(error) === 'users_email_key' ? conflict('email', 'already has an account') : error
    })
  return { id: rows[0]!.id, email, name }
}

export async function accountByEmail(tx: Pick<Transaction, 'query'>, email: string): Promise<User | undefined> {
  const { rows } = await tx.query<User>('select id, email, name from users where email = $1', [email])
  return rows[0]
}
