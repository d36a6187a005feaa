import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { SCOPES } from '../../catalogue/scopes.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import type { Secret } from '../../platform/telemetry/secret.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { type Account, prepareAccount } from '../auth/accounts.ts'
import type { Caller } from '../auth/caller.ts'
import { storeToken } from '../auth/manage-tokens.ts'
import { makeToken, tokenHash } from '../auth/token-format.ts'
import { storeUser } from '../members/create-user.ts'
import { storeFirstTracker } from '../trackers/manage-trackers.ts'
import { UNNAMED } from './unnamed.ts'

/** One advisory lock for making the first workspace, so that processes starting together make one. */
const BOOTSTRAP_LOCK = 7_465_010
export const FIRST_WORKSPACE_ID = '1'
const FIRST_WORKSPACE = { id: FIRST_WORKSPACE_ID, slug: 'default' } as const
const DEFAULT_EMAIL = 'owner@postroom.localhost'
const PASSWORD_BYTES = 15

export type Presets = {
  email: string | undefined
  password: Secret | undefined
  token: Secret | undefined
  /** Of the first workspace. */
  workspaceName: string | undefined
}

/** How to get in the first time; `file` is where they are kept, if anywhere. */
export type Credentials = { email: string; password: string; token: string; file: string | undefined }

export type BootstrapDeps = {
  sql: pg.Pool
  /** Keeps the credentials where their owner finds them again; answers where. */
  keep?: (credentials: Omit<Credentials, 'file'>) => Promise<string>
}

/**
 * Makes workspace 1, its owner and a token with every scope, in one transaction, unless there is a workspace already.
 * Answers the credentials only when this call made them; any number of processes may call it at once.
 */
export async function bootstrap(deps: BootstrapDeps, presets: Presets): Promise<Credentials | undefined> {
  if (await hasWorkspace(deps.sql)) return undefined
  const email = presets.email ?? DEFAULT_EMAIL
  const password = presets.password?.reveal() ?? randomBytes(PASSWORD_BYTES).toString('base64url')
  const token = presets.token?.reveal() ?? makeToken().token
  const owner = await prepareAccount({ email, password })
  return inTransaction(deps.sql, ALL_WORKSPACES, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK])
    if (await hasWorkspace(tx)) return undefined
    await makeFirstWorkspace(tx, { owner, token, name: presets.workspaceName ?? UNNAMED })
    const credentials = { email: owner.email, password, token }
    // Before the commit: a process that dies between the two must not leave a workspace to which nobody has the key.
    return { ...credentials, file: await deps.keep?.(credentials) }
  })
}

/** Whether a token is one of this database: credentials that were kept may be of another. */
export async function knowsToken(sql: pg.Pool, token: string): Promise<boolean> {
  const [row] = await queryInScope<{ found: boolean }>(sql, ALL_WORKSPACES, {
    text: 'select exists (select from api_tokens where hash = $1) as found',
    values: [Buffer.from(tokenHash(token), 'hex')],
  })
  return row!.found
}

async function hasWorkspace(db: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select exists (select from workspaces) as found')
  return rows[0]?.found ?? false
}

async function makeFirstWorkspace(
  tx: Transaction,
  { owner, token, name }: { owner: Account; token: string; name: string },
): Promise<void> {
  const { id, slug } = FIRST_WORKSPACE
  // Its id is 1 even when an earlier start was cut short and used up numbers.
  await tx.query('insert into workspaces (id, slug, name) overriding system value values ($1, $2, $3)', [
    id,
    slug,
    name,
  ])
  await tx.query(`select setval(pg_get_serial_sequence('workspaces', 'id'), $1)`, [id])
  const system: Caller = {
    workspaceId: id,
    actor: { kind: 'system', id: null, name: null },
    scopes: new Set(SCOPES),
    requestId: null,
    ip: null,
    userAgent: null,
  }
  await recordAudit(tx, system, { action: 'workspace.create', target: { type: 'workspace', id, name } })
  await storeUser(tx, system, { account: owner, role: 'owner' })
  await storeToken(tx, system, { name: 'First token', scopes: SCOPES, token })
  await storeFirstTracker(tx, system)
}
