import { hash } from 'node:crypto'
import type pg from 'pg'
import { tooManyRequests } from '../../catalogue/problems.ts'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, type Queryable } from '../../platform/db/transaction.ts'
import { Problem } from '../../platform/problem.ts'
import { networkOf } from './client-ip.ts'

/** Attempts before the first wait; after them each wait is twice the one before, up to the longest. */
const FREE_ATTEMPTS = {
  /**
   * A password. The account waits as one network sees it, so that a stranger who guesses keeps out nobody else. From one
   * network come 111 attempts a day at the most: as many of an account are free that only somebody with several makes it
   * wait everywhere, save where it has been logged in to before.
   */
  login: { here: 5, account: 200, address: 20 },
  /** A code of the second factor: who gets this far knows the password, so it has an account of its own. */
  code: { account: 5, address: 20 },
  /** A mail with a link to a new password: each one lands in somebody's mailbox. */
  reset: { account: 3, address: 20 },
  /** An invitation, for the same reason: revoked and made anew, it would be one mail after the other. */
  invite: { account: 5, address: 100 },
} as const
const LONGEST_WAIT_SECONDS = 900
/** A network is known for an account so long after the last login there. */
const KNOWN_DAYS = 90
/** A subject that was quiet for this long starts anew. */
const FORGET_AFTER_HOURS = 24

/** An attempt: its kind, at which account (an email, or the id of whose code it is), from which address. */
export type Attempt = { what: keyof typeof FREE_ATTEMPTS; account: string; ip: string }

/**
 * Counts an attempt for its address and its account, or throws 429 while one of them has to wait. Waits grow and end:
 * nobody can lock an account for good. Accounts that do not exist are counted alike.
 * The attempt counts before it is looked at, so that many at once get no further than one by one.
 */
export async function countAttempt(sql: pg.Pool, attempt: Attempt): Promise<void> {
  const free = FREE_ATTEMPTS[attempt.what]
  // The address first: one that has to wait cannot make the account wait longer.
  await count(sql, addressSubject(attempt), free.address)
  if ('here' in free) await count(sql, hereSubject(attempt), free.here)
  // Looked for whether it matters or not, so that the time does not tell.
  const isKnown = 'here' in free && (await isKnownNetwork(sql, attempt))
  await count(sql, accountSubject(attempt), free.account).catch((wait: unknown) => {
    if (!isKnown || !(wait instanceof Problem)) throw wait
  })
}

/**
 * After a right password or code the account starts anew, and the network is known for it. The attempt no longer counts
 * for its address, behind which a whole office may log in; but nothing else there is forgiven: whoever has an account
 * could log in to go on guessing at others.
 */
export async function forgetAttempts(sql: pg.Pool, attempt: Attempt): Promise<void> {
  await sql.query({
    name: 'forget-login-attempts',
    text: `with account as (delete from login_attempts where subject = any (array[$1, $2]::bytea[]))
           update login_attempts set attempts = attempts - 1 where subject = $3 and attempts > 1`,
    values: [accountSubject(attempt), hereSubject(attempt), addressSubject(attempt)],
  })
  if (!('here' in FREE_ATTEMPTS[attempt.what])) return
  await sql.query({
    name: 'know-network',
    text: `insert into known_networks as k (subject) values ($1)
           on conflict (subject) do update set seen_at = now() where k.seen_at < now() - interval '1 hour'`,
    values: [hereSubject(attempt)],
  })
}

/** Writes to an attempt that was counted, and changes nothing that matters. */
export async function touchAttempt(tx: Queryable, attempt: Attempt): Promise<void> {
  await tx.query({
    name: 'touch-login-attempt',
    text: 'update login_attempts set last_at = now() where subject = $1',
    values: [accountSubject(attempt)],
  })
}

export async function deleteOldAttempts(sql: pg.Pool): Promise<void> {
  await deleteInSteps(sql, ALL_WORKSPACES, {
    from: 'login_attempts',
    where: 'last_at < now() - make_interval(hours => $1)',
    values: [FORGET_AFTER_HOURS],
  })
  await deleteInSteps(sql, ALL_WORKSPACES, {
    from: 'known_networks',
    where: 'seen_at < now() - make_interval(days => $1)',
    values: [KNOWN_DAYS],
  })
}

/** The wait is held against the clock, not against `now()`, which of two at one moment may lie before the other's. */
async function count(sql: pg.Pool, subject: Buffer, freeAttempts: number): Promise<void> {
  const { rowCount } = await sql.query({
    name: 'count-login-attempt',
    text: `insert into login_attempts as a (subject, attempts, last_at, retry_at) values ($1, 1, now(), now())
           on conflict (subject) do update set
             attempts = case when a.last_at < now() - make_interval(hours => $2) then 1 else a.attempts + 1 end,
             last_at = now(),
             retry_at = case when a.attempts + 1 <= $3 or a.last_at < now() - make_interval(hours => $2) then now()
               else now() + make_interval(secs => least($4::float8, 2 ^ least(a.attempts + 1 - $3, 20))) end
           where a.retry_at <= clock_timestamp()`,
    values: [subject, FORGET_AFTER_HOURS, freeAttempts, LONGEST_WAIT_SECONDS],
  })
  if (rowCount === 1) return
  const { rows } = await sql.query<{ seconds: number }>(
    'select greatest(1, ceil(extract(epoch from retry_at - now())))::int as seconds from login_attempts where subject = $1',
    [subject],
  )
  throw tooManyRequests(rows[0]?.seconds ?? 1)
}

async function isKnownNetwork(sql: pg.Pool, attempt: Attempt): Promise<boolean> {
  const { rowCount } = await sql.query({
    name: 'is-known-network',
    text: 'select from known_networks where subject = $1 and seen_at > now() - make_interval(days => $2)',
    values: [hereSubject(attempt), KNOWN_DAYS],
  })
  return rowCount === 1
}

function accountSubject({ what, account }: Attempt): Buffer {
  return hash('sha256', `${what}:account:${account}`, 'buffer')
}

/** The account as one network sees it. */
function hereSubject({ what, account, ip }: Attempt): Buffer {
  return hash('sha256', `${what}:here:${networkOf(ip)}:${account}`, 'buffer')
}

function addressSubject({ what, ip }: Attempt): Buffer {
  return hash('sha256', `${what}:address:${networkOf(ip)}`, 'buffer')
}
