import type pg from 'pg'
import { noSession } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, type Queryable } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import { lockPerson, type Origin, recordAccountAudit, type User } from './people.ts'

export type OwnAccount = User & {
  secondFactor: boolean
  passwordChangedAt: string
  createdAt: string
  updatedAt: string
}

/** A person's account as they see it themselves. */
export async function readOwnAccount(db: Queryable, userId: string): Promise<OwnAccount> {
  const { rows } = await db.query<OwnAccount>({
    name: 'own-account',
    text: `select u.id, u.email, u.name, u.password_changed_at as "passwordChangedAt", u.created_at as "createdAt",
             u.updated_at as "updatedAt",
             exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as "secondFactor"
           from users u where u.id = $1`,
    values: [userId],
  })
  const [account] = rows
  // Deleted between the guard and here.
  if (account === undefined) throw noSession()
  return account
}

export type AccountChange = { name?: string; ifMatch: string | undefined; origin: Origin }

/** Changes how a person is shown. 412 when `ifMatch` names an older state. */
export async function updateOwnAccount(deps: { sql: pg.Pool }, user: User, change: AccountChange): Promise<OwnAccount> {
  return inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await lockPerson(tx, user.id)
    const before = await readOwnAccount(tx, user.id)
    requireMatch(change.ifMatch, before)
    const name = change.name?.trim() ?? before.name
    if (name === before.name) return before
    await tx.query('update users set name = $2, updated_at = now() where id = $1', [user.id, name])
    await recordAccountAudit(tx, user, { ...change.origin, action: 'user.update', diff: { name: 'changed' } })
    return readOwnAccount(tx, user.id)
  })
}
