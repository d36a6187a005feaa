import { textArray } from '../../platform/db/arrays.ts'
import type { Queryable, Transaction } from '../../platform/db/transaction.ts'

export type FactorState = { enabled: boolean; enabledAt: string | null; recoveryCodesLeft: number }

export async function factorState(db: Queryable, userId: string): Promise<FactorState> {
  const { rows } = await db.query<{ enabledAt: string; left: number }>({
    name: 'second-factor-state',
    text: `select f.confirmed_at as "enabledAt",
             (select count(*)::int from recovery_codes c where c.user_id = f.user_id and c.used_at is null) as left
           from second_factors f where f.user_id = $1 and f.confirmed_at is not null`,
    values: [userId],
  })
  const [row] = rows
  return { enabled: row !== undefined, enabledAt: row?.enabledAt ?? null, recoveryCodesLeft: row?.left ?? 0 }
}

/** Begins an enrolment, or begins it anew. Answers false when there is a confirmed factor. */
export async function insertUnconfirmed(tx: Transaction, userId: string, secret: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into second_factors as f (user_id, secret) values ($1, $2)
     on conflict (user_id) do update set secret = excluded.secret, last_step = 0, created_at = now()
       where f.confirmed_at is null`,
    [userId, secret],
  )
  return rowCount === 1
}

/** The sealed secret of a factor that is confirmed, or that waits for it; the row is held until the transaction ends. */
export async function lockSecret(
  tx: Transaction,
  userId: string,
  { confirmed }: { confirmed: boolean },
): Promise<string | undefined> {
  const { rows } = await tx.query<{ secret: string }>(
    'select secret from second_factors where user_id = $1 and (confirmed_at is not null) = $2 for update',
    [userId, confirmed],
  )
  return rows[0]?.secret
}

export async function confirmFactor(tx: Transaction, userId: string, step: number): Promise<void> {
  await tx.query('update second_factors set confirmed_at = now(), last_step = $2 where user_id = $1', [userId, step])
}

/** Takes the code of a time step, once: false when a code of that step or a later one was taken. */
export async function takeStep(tx: Transaction, userId: string, step: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update second_factors set last_step = $2 where user_id = $1 and last_step < $2 and confirmed_at is not null',
    [userId, step],
  )
  return rowCount === 1
}

export async function takeRecoveryCode(tx: Transaction, userId: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update recovery_codes c set used_at = now() from second_factors f
     where c.user_id = $1 and c.hash = $2 and c.used_at is null and f.user_id = c.user_id and f.confirmed_at is not null`,
    [userId, hash],
  )
  return rowCount === 1
}

export async function replaceRecoveryCodes(tx: Transaction, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.query('delete from recovery_codes where user_id = $1', [userId])
  await tx.query(
    `insert into recovery_codes (user_id, hash) select $1, decode(hex, 'hex') from unnest($2::text[]) as given (hex)`,
    [userId, textArray(hashes.map((hash) => hash.toString('hex')))],
  )
}

/** Removes a factor with its recovery codes. Answers false when there was none that asked for anything. */
export async function deleteFactor(tx: Transaction, userId: string): Promise<boolean> {
  const { rows } = await tx.query<{ confirmed: boolean }>(
    'delete from second_factors where user_id = $1 returning confirmed_at is not null as confirmed',
    [userId],
  )
  return rows[0]?.confirmed ?? false
}

/** Whether a person belongs to a workspace that the other one does not run. */
export async function belongsElsewhere(tx: Transaction, userId: string, runBy: string | null): Promise<boolean> {
  const { rows } = await tx.query<{ elsewhere: boolean }>(
    `select exists (
       select from memberships m where m.user_id = $1 and not exists (
         select from memberships r
         where r.workspace_id = m.workspace_id and r.user_id = $2 and r.role in ('owner', 'admin'))) as elsewhere`,
    [userId, runBy],
  )
  return rows[0]!.elsewhere
}
