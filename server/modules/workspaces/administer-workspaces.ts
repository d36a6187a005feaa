import type pg from 'pg'
import { invalid, notFound } from '../../catalogue/problems.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope } from '../../platform/db/transaction.ts'
import { normaliseEmail } from '../../platform/mail/mail-address.ts'
import { accountByEmail } from '../auth/accounts.ts'
import type { Caller } from '../auth/caller.ts'
import type { Membership } from '../auth/people.ts'
import { storeWorkspace } from './manage-workspaces.ts'

const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
export const WORKSPACE_NAME_CHARS_MAX = 200
const SHOWN_MAX = 1_000

export type ListedWorkspace = { id: string; slug: string; name: string; members: number; createdAt: string }

/** The workspaces of the instance, oldest first. */
export function listWorkspaces({ sql }: { sql: pg.Pool }): Promise<ListedWorkspace[]> {
  return queryInScope<ListedWorkspace>(sql, ALL_WORKSPACES, {
    text: `select w.id, w.slug, w.name, w.created_at as "createdAt",
        (select count(*)::int from memberships m where m.workspace_id = w.id) as members
      from workspaces w order by w.id limit $1`,
    values: [SHOWN_MAX],
  })
}

export type WorkspaceOrder = { slug: string; name: string; ownerEmail: string }
export type AdministerDeps = { sql: pg.Pool; furnish: (workspaceId: string) => Promise<void> }

/** Makes a workspace for somebody who has an account. Throws 400 for its slug and name, 404 without the account, 409, 422. */
export async function createWorkspaceFor(
  { sql, furnish }: AdministerDeps,
  by: (workspaceId: string) => Caller,
  { slug, name, ownerEmail }: WorkspaceOrder,
): Promise<Membership> {
  if (!SLUG.test(slug)) throw invalid([{ pointer: '/slug', detail: 'must be 1 to 63 of a-z, 0-9 and -' }])
  requireName(name)
  const made = await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const owner = await accountByEmail(tx, normaliseEmail(ownerEmail) ?? '')
    if (owner === undefined) throw notFound()
    return storeWorkspace(tx, { slug, name }, { owner, by })
  })
  await furnish(made.id)
  return made
}

/** Names stand in the subjects of mails. Throws 400. */
export function requireName(name: string): void {
  if (name.trim() !== '' && name.length <= WORKSPACE_NAME_CHARS_MAX && !/\p{Cc}/u.test(name)) return
  throw invalid([
    { pointer: '/name', detail: `must have 1 to ${WORKSPACE_NAME_CHARS_MAX} characters and no line break` },
  ])
}
