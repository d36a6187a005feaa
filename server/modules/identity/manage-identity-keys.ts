import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { limitReached, notFound } from '../../catalogue/problems.ts'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { holdTracker } from '../trackers/manage-trackers.ts'
import type { IdentityKey, NewIdentityKey } from './schemas.ts'

const LIVE_MAX = 2
const SECRET_BYTES = 32

export type KeyDeps = { sql: pg.Pool; secrets: SecretBox }

/** The live keys of a tracker, oldest first, without their secrets. Throws 404. */
export async function listIdentityKeys(
  { sql }: KeyDeps,
  workspaceId: string,
  trackerId: string,
): Promise<IdentityKey[]> {
  return inTransaction(sql, workspaceId, async (tx) => {
    await holdTracker(tx, workspaceId, trackerId)
    return keysOf(tx, workspaceId, trackerId)
  })
}

/** Another key, shown this once. Throws 404, 409 while two are live. */
export async function createIdentityKey(
  { sql, secrets }: KeyDeps,
  caller: Caller,
  trackerId: string,
): Promise<NewIdentityKey> {
  const { workspaceId } = caller
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return inTransaction(sql, workspaceId, async (tx) => {
    const tracker = await holdTracker(tx, workspaceId, trackerId)
    if ((await keysOf(tx, workspaceId, trackerId)).length >= LIVE_MAX) {
      throw limitReached(`A tracker has at most ${LIVE_MAX} identity keys: delete the old one first.`)
    }
    const sealed = secrets.seal(secret, place(workspaceId, trackerId))
    const { rows } = await tx.query<IdentityKey>({
      name: 'insert_identity_key',
      text: `insert into identity_keys (workspace_id, tracker_id, secret) values ($1, $2, $3)
        returning id as kid, created_at as "createdAt"`,
      values: [workspaceId, trackerId, sealed],
    })
    const made = rows[0]!
    await recordAudit(tx, caller, {
      action: 'identity_key.create',
      target: { type: 'tracker', id: trackerId, name: tracker.name },
      diff: { kid: { from: null, to: made.kid } },
    })
    return { ...made, secret }
  })
}

/** Tokens signed with it are worth nothing from then on. Throws 404. */
export async function deleteIdentityKey({ sql }: KeyDeps, caller: Caller, key: { trackerId: string; kid: string }) {
  const { workspaceId } = caller
  const { trackerId, kid } = key
  await inTransaction(sql, workspaceId, async (tx) => {
    const tracker = await holdTracker(tx, workspaceId, trackerId)
    const { rowCount } = await tx.query({
      name: 'delete_identity_key',
      text: 'delete from identity_keys where workspace_id = $1 and tracker_id = $2 and id = $3',
      values: [workspaceId, trackerId, kid],
    })
    if (rowCount === 0) throw notFound()
    await recordAudit(tx, caller, {
      action: 'identity_key.delete',
      target: { type: 'tracker', id: trackerId, name: tracker.name },
      diff: { kid: { from: kid, to: null } },
    })
  })
}

/** The bytes that the holder of a key signs with: its text as it was shown. */
export async function identitySecret(
  { sql, secrets }: KeyDeps,
  workspaceId: string,
  { trackerId, kid }: { trackerId: string; kid: string },
): Promise<Buffer | undefined> {
  const [row] = await queryInScope<{ secret: string }>(sql, workspaceId, {
    name: 'identity_secret',
    text: 'select secret from identity_keys where workspace_id = $1 and tracker_id = $2 and id = $3::numeric',
    values: [workspaceId, trackerId, kid],
  })
  return row && Buffer.from(secrets.open(row.secret, place(workspaceId, trackerId)), 'utf8')
}

async function keysOf(tx: Transaction, workspaceId: string, trackerId: string): Promise<IdentityKey[]> {
  const { rows } = await tx.query<IdentityKey>({
    name: 'identity_keys_of_tracker',
    text: `select id as kid, created_at as "createdAt" from identity_keys
      where workspace_id = $1 and tracker_id = $2 order by id`,
    values: [workspaceId, trackerId],
  })
  return rows
}

const place = (workspaceId: string, trackerId: string) => `${workspaceId}:identity_keys:${trackerId}:secret`
