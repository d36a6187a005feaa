import type { Deletion } from '../../platform/db/delete-in-steps.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'
import type { Origin, User } from '../auth/people.ts'

export type ResetRequest = { id: string; email: string; origin: Origin; lifeSeconds: number }

/** Notes that somebody asked for a new password for an address, whether it has an account or not. */
export async function insertResetRequest(tx: Transaction, request: ResetRequest): Promise<void> {
  const { id, email, origin, lifeSeconds } = request
  await tx.query({
    name: 'insert-password-reset',
    text: `insert into password_resets (id, email, expires_at, request_id, ip, user_agent)
           values ($1, $2, now() + make_interval(secs => $3), $4, $5, $6)`,
    values: [id, email, lifeSeconds, origin.requestId, origin.ip, origin.userAgent?.slice(0, 500) ?? null],
  })
}

/** A request that has no link yet; held until the transaction ends. */
export async function lockResetRequest(tx: Transaction, id: string): Promise<{ email: string } | undefined> {
  const { rows } = await tx.query<{ email: string }>(
    'select email from password_resets where id = $1 and token_hash is null for update',
    [id],
  )
  return rows[0]
}

export async function deleteReset(tx: Transaction, id: string): Promise<void> {
  await tx.query('delete from password_resets where id = $1', [id])
}

/** Gives a request its account and its link, good from now on. */
export async function issueReset(
  tx: Transaction,
  reset: { id: string; userId: string; tokenHash: Buffer; lifeSeconds: number },
): Promise<void> {
  await tx.query(
    `update password_resets set user_id = $2, token_hash = $3, issued_at = now(),
       expires_at = now() + make_interval(secs => $4)
     where id = $1`,
    [reset.id, reset.userId, reset.tokenHash, reset.lifeSeconds],
  )
}

/** A password that was changed since ends every link made before. */
const LIVE = `r.token_hash = $1 and r.expires_at > now() and u.id = r.user_id and u.password_changed_at <= r.issued_at`

export type OpenReset = User & { expiresAt: string }

/** The person whose password a link sets; undefined for one that is unknown, used or over. */
export async function resetByToken(db: Queryable, tokenHash: Buffer): Promise<OpenReset | undefined> {
  const { rows } = await db.query<OpenReset>({
    name: 'password-reset-by-token',
    text: `select u.id, u.email, u.name, r.expires_at as "expiresAt" from password_resets r, users u where ${LIVE}`,
    values: [tokenHash],
  })
  return rows[0]
}

/** Takes a link away, so that of several who come with it one sets the password. */
export async function takeReset(tx: Transaction, tokenHash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(`delete from password_resets r using users u where ${LIVE}`, [tokenHash])
  return rowCount === 1
}

export const OLD_RESETS: Deletion = { from: 'password_resets', where: 'expires_at < now()' }
