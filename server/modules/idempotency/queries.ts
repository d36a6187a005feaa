import type pg from 'pg'
import { deleteInSteps } from '../../platform/db/delete-in-steps.ts'
import { ALL_WORKSPACES, queryInScope, type Transaction } from '../../platform/db/transaction.ts'

/** Where a key is: its workspace, and the hash of its actor and itself. */
export type KeyPlace = { workspaceId: string; keyHash: Buffer }
/** The right to carry a request out: good until another process takes it over. */
export type Claim = KeyPlace & {
  /** The same for every repeat of the request. */
  id: string
  claim: string
}

export type KeyRow = {
  id: string
  claim: string
  fingerprint: Buffer
  tookEffect: boolean
  targetType: string | null
  targetId: string | null
  status: number | null
  answer: string | null
  isExpired: boolean
  /** Seconds until the request may be taken over; 0 and less once it may. */
  leaseSeconds: number
}

/**
 * A claim or an answer need not reach the disk before we go on: what the request changes is committed after its claim
 * and flushes it, and an answer lost with the database server is one that counts as lost anyway.
 */
const LAZILY = `(select set_config('synchronous_commit', 'off', true)) as lazily`

type NewKey = KeyPlace & { fingerprint: Buffer; leaseMs: number; keepSeconds: number }

/**
 * Claims a key that nobody has used; undefined when it is there already. The look before the insertion is for requests
 * that are being worked on: the insertion alone would wait for their transactions.
 */
export async function insertKey(sql: pg.Pool, key: NewKey): Promise<Claim | undefined> {
  const { workspaceId, keyHash } = key
  const [row] = await queryInScope<Pick<KeyRow, 'id' | 'claim'>>(sql, workspaceId, {
    name: 'insert-idempotency-key',
    text: `insert into idempotency_keys (workspace_id, key_hash, fingerprint, leased_until, expires_at)
           select $1, $2, $3, now() + make_interval(secs => $4), now() + make_interval(secs => $5) from ${LAZILY}
           where not exists (select from idempotency_keys where workspace_id = $1 and key_hash = $2)
           on conflict (workspace_id, key_hash) do nothing
           returning id, claim`,
    values: [workspaceId, keyHash, key.fingerprint, key.leaseMs / 1_000, key.keepSeconds],
  })
  return row && { workspaceId, keyHash, ...row }
}

export async function keyAt(sql: pg.Pool, { workspaceId, keyHash }: KeyPlace): Promise<KeyRow | undefined> {
  const [row] = await queryInScope<KeyRow>(sql, workspaceId, {
    name: 'idempotency-key-at',
    text: `select id, claim, fingerprint, took_effect as "tookEffect", target_type as "targetType",
             target_id as "targetId", status, answer, expires_at <= now() as "isExpired",
             ceil(extract(epoch from leased_until - now()))::int as "leaseSeconds"
           from idempotency_keys where workspace_id = $1 and key_hash = $2`,
    values: [workspaceId, keyHash],
  })
  return row
}

/** Takes a request over whose process did not come back; undefined when somebody was quicker, or it took effect. */
export async function takeOverKey(sql: pg.Pool, before: Claim, leaseMs: number): Promise<Claim | undefined> {
  const { workspaceId, keyHash } = before
  const [row] = await queryInScope<Pick<KeyRow, 'id' | 'claim'>>(sql, workspaceId, {
    name: 'take-over-idempotency-key',
    text: `update idempotency_keys set claim = default, leased_until = now() + make_interval(secs => $4)
           where workspace_id = $1 and key_hash = $2 and claim = $3
             and not took_effect and status is null and leased_until <= now()
           returning id, claim`,
    values: [workspaceId, keyHash, before.claim, leaseMs / 1_000],
  })
  return row && { workspaceId, keyHash, ...row }
}

export type Target = { type: string; id: string | null }

/** Notes in the transaction of the effect that there is one. False when the request is no longer the claim's. */
export async function markEffect(tx: Transaction, claim: Claim, target: Target): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark-idempotent-effect',
    text: `update idempotency_keys set took_effect = true, target_type = coalesce(target_type, $4),
             target_id = case when target_type is null then $5 else target_id end
           where workspace_id = $1 and key_hash = $2 and claim = $3`,
    values: [claim.workspaceId, claim.keyHash, claim.claim, target.type, target.id],
  })
  return rowCount === 1
}

export async function storeAnswer(
  sql: pg.Pool,
  claim: Claim,
  answer: { status: number; sealed: string | null },
): Promise<void> {
  await queryInScope(sql, claim.workspaceId, {
    name: 'store-idempotent-answer',
    text: `update idempotency_keys k set status = $4, answer = $5 from ${LAZILY}
           where k.workspace_id = $1 and k.key_hash = $2 and k.claim = $3`,
    values: [claim.workspaceId, claim.keyHash, claim.claim, answer.status, answer.sealed],
  })
}

/** Lets the next repeat take the request over at once, unless it took effect after all. */
export async function endLease(sql: pg.Pool, claim: Claim): Promise<void> {
  await queryInScope(sql, claim.workspaceId, {
    name: 'end-idempotency-lease',
    text: `update idempotency_keys set leased_until = now()
           where workspace_id = $1 and key_hash = $2 and claim = $3 and not took_effect`,
    values: [claim.workspaceId, claim.keyHash, claim.claim],
  })
}

/** Gives the key back, as if it had never been used, unless its request took effect. */
export async function deleteUnusedKey(sql: pg.Pool, claim: Claim): Promise<void> {
  await queryInScope(sql, claim.workspaceId, {
    name: 'delete-unused-idempotency-key',
    text: `delete from idempotency_keys
           where workspace_id = $1 and key_hash = $2 and claim = $3 and not took_effect`,
    values: [claim.workspaceId, claim.keyHash, claim.claim],
  })
}

export async function deleteExpiredKey(sql: pg.Pool, key: Claim): Promise<void> {
  await queryInScope(sql, key.workspaceId, {
    name: 'delete-expired-idempotency-key',
    text: `delete from idempotency_keys
           where workspace_id = $1 and key_hash = $2 and claim = $3 and expires_at <= now()`,
    values: [key.workspaceId, key.keyHash, key.claim],
  })
}

/** Deletes keys whose time is over; answers how many. */
export function deleteExpiredKeys(sql: pg.Pool, isOver?: () => boolean): Promise<number> {
  const where = 'expires_at <= now()'
  return deleteInSteps(sql, ALL_WORKSPACES, { from: 'idempotency_keys', where, ...(isOver ? { isOver } : {}) })
}

/** Forgets what was answered about these targets; that they took effect stays known. */
export async function forgetAnswerRows(
  tx: Transaction,
  workspaceId: string,
  target: { type: string; ids: Buffer },
): Promise<void> {
  await tx.query({
    name: 'forget-idempotent-answers',
    text: `update idempotency_keys set answer = null
           where workspace_id = $1 and target_type = $2 and target_id = any ($3::text[]) and answer is not null`,
    values: [workspaceId, target.type, target.ids],
  })
}
