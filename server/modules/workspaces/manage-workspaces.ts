import type pg from 'pg'
import { isAppPath } from '../../catalogue/app-paths.ts'
import {
  conflict,
  factorNeeded,
  invalid,
  missingPermission,
  notFound,
  unprocessable,
} from '../../catalogue/problems.ts'
import type { ReaderLanguage } from '../../catalogue/reader-languages.ts'
import { brokenConstraint } from '../../platform/db/errors.ts'
import { ALL_WORKSPACES, inTransaction, type Queryable, type Transaction } from '../../platform/db/transaction.ts'
import { diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import type { Membership, Origin, User } from '../auth/people.ts'
import { ROLE_PERMISSIONS } from '../auth/roles.ts'
import { addMember } from '../members/create-user.ts'
import { storeFirstTracker } from '../trackers/manage-trackers.ts'
import { URL_CHARS_MAX } from './schemas.ts'

/** How many workspaces one person may own: making them is free, and each has its own schedules and partitions to fill. */
const OWNED_WORKSPACES_MAX = 20

type Deps = { sql: pg.Pool }

export type Workspace = {
  id: string
  slug: string
  name: string
  requireSecondFactor: boolean
  auditRetentionDays: number | null
  language: ReaderLanguage
  logoUrl: string | null
  color: string | null
  palette: { name: string; color: string }[]
  fontFamily: string | null
  confirmedUrl: string | null
  createdAt: string
  updatedAt: string
}

const WORKSPACE = `w.id, w.slug, w.name, w.require_second_factor as "requireSecondFactor",
  w.audit_retention_days as "auditRetentionDays", w.language, w.logo_url as "logoUrl", w.color, w.palette,
  w.font_family as "fontFamily", w.confirmed_url as "confirmedUrl", w.created_at as "createdAt",
  w.updated_at as "updatedAt"`

/** As the database gives it, the palette as JSON. */
type WorkspaceRow = Omit<Workspace, 'palette'> & { palette: string }

const workspaceOf = (row: WorkspaceRow): Workspace => ({ ...row, palette: JSON.parse(row.palette) })

/** 404 when there is none. */
export async function readWorkspace(db: Queryable, id: string): Promise<Workspace> {
  const { rows } = await db.query<WorkspaceRow>({
    name: 'workspace-settings',
    text: `select ${WORKSPACE} from workspaces w where w.id = $1`,
    values: [id],
  })
  const [workspace] = rows
  if (workspace === undefined) throw notFound()
  return workspaceOf(workspace)
}

export type WorkspaceChange = Partial<Omit<Workspace, 'id' | 'slug' | 'createdAt' | 'updatedAt'>>

/** Changes a workspace's settings. 400 for an address that is none or a name that stands twice, 412, and 403 for who asks others for a second factor without having one. */
export async function updateWorkspace(
  { sql }: Deps,
  caller: Caller,
  input: { change: WorkspaceChange; requireMatchOf: (current: Workspace) => void },
): Promise<Workspace> {
  const { workspaceId } = caller
  const change = { ...input.change, ...addressesOf(input.change), ...paletteOf(input.change) }
  return inTransaction(sql, workspaceId, async (tx) => {
    await tx.query('select from workspaces where id = $1 for no key update', [workspaceId])
    const before = await readWorkspace(tx, workspaceId)
    input.requireMatchOf(before)
    const after = { ...before, ...change }
    after.color = after.color?.toLowerCase() ?? null
    const changed = diffOf(before, after)
    if (Object.keys(changed).length === 0) return before
    if (after.requireSecondFactor && !before.requireSecondFactor) await requireOwnFactor(tx, caller)
    const { rows } = await tx.query<WorkspaceRow>(
      `update workspaces w set name = $2, require_second_factor = $3, audit_retention_days = $4, language = $5,
         logo_url = $6, color = $7, confirmed_url = $8, palette = $9, font_family = $10, updated_at = now()
       where w.id = $1 returning ${WORKSPACE}`,
      [workspaceId, after.name, after.requireSecondFactor, after.auditRetentionDays, ...brandOf(after)],
    )
    await recordAudit(tx, caller, {
      action: 'workspace.update',
      target: { type: 'workspace', id: workspaceId, name: after.name },
      diff: changed,
    })
    return workspaceOf(rows[0]!)
  })
}

/** Colours as they are compared, in lower case. Throws 400 for a name that stands twice. */
function paletteOf({ palette }: WorkspaceChange): WorkspaceChange {
  if (palette === undefined) return {}
  const names = palette.map(({ name }) => name.toLowerCase())
  const twice = names.findIndex((name, at) => names.indexOf(name) !== at)
  if (twice !== -1) throw invalid([{ pointer: `/palette/${twice}/name`, detail: 'is the name of another colour' }])
  return { palette: palette.map(({ name, color }) => ({ name, color: color.toLowerCase() })) }
}

/** Addresses that readers are led to, as they go over the wire: ASCII alone. Throws 400 for what is none. */
function addressesOf(change: WorkspaceChange): WorkspaceChange {
  const given = (['logoUrl', 'confirmedUrl'] as const).flatMap((field) => {
    const text = change[field]
    return text ? [{ field, href: URL.parse(text)?.href }] : []
  })
  const faults = given.flatMap(({ field, href }) => {
    if (href === undefined) return [{ pointer: `/${field}`, detail: 'must be an address' }]
    return href.length <= URL_CHARS_MAX
      ? []
      : [{ pointer: `/${field}`, detail: `is longer than ${URL_CHARS_MAX} encoded` }]
  })
  if (faults.length > 0) throw invalid(faults)
  return Object.fromEntries(given.map(({ field, href }) => [field, href]))
}

function brandOf({ language, logoUrl, color, confirmedUrl, palette, fontFamily }: Workspace) {
  return [language, logoUrl, color, confirmedUrl, JSON.stringify(palette), fontFamily]
}

/** Nobody shuts themselves out: what is asked of all others the caller has. */
async function requireOwnFactor(tx: Transaction, { actor }: Caller): Promise<void> {
  if (actor.kind !== 'user') return
  const { rowCount } = await tx.query('select from second_factors where user_id = $1 and confirmed_at is not null', [
    actor.id,
  ])
  if (rowCount === 0) throw factorNeeded()
}

export type NewWorkspace = { slug: string; name: string }

/** A workspace with the person as its owner. 409 for a taken slug, 422 for one that leads to a page of the application. */
export async function storeWorkspace(
  tx: Transaction,
  input: NewWorkspace,
  { owner, by }: { owner: User; by: (workspaceId: string) => Caller },
): Promise<Membership> {
  if (isAppPath(input.slug)) throw unprocessable([{ pointer: '/slug', detail: 'is a page of the application itself' }])
  const { rows } = await tx
    .query<{ id: string }>('insert into workspaces (slug, name) values ($1, $2) returning id', [input.slug, input.name])
    .catch((error: unknown) => {
      throw brokenConstraint(error) === 'workspaces_slug_key' ? conflict('slug') : error
    })
  const { id } = rows[0]!
  const caller = by(id)
  await recordAudit(tx, caller, {
    action: 'workspace.create',
    target: { type: 'workspace', id, name: input.name },
    diff: { slug: { from: null, to: input.slug }, name: { from: null, to: input.name } },
  })
  await addMember(tx, caller, { user: owner, role: 'owner' })
  await storeFirstTracker(tx, caller)
  return { id, ...input, role: 'owner' }
}

/**
 * Makes a workspace with the person as its owner. Only who owns one already may make more: whoever was merely invited to
 * this instance starts nothing of their own. 403, 409 for a taken slug, 422 for too many.
 */
export async function createWorkspace(
  { sql }: Deps,
  { user, origin }: { user: User; origin: Origin },
  input: NewWorkspace,
): Promise<Membership> {
  return inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    // One at a time for each person, so that the limit holds.
    await tx.query('select from users where id = $1 for no key update', [user.id])
    const { rows: owned } = await tx.query<{ count: number }>(
      `select count(*)::int as count from memberships where user_id = $1 and role = 'owner'`,
      [user.id],
    )
    const count = owned[0]!.count
    if (count === 0) throw missingPermission('workspace:write')
    if (count >= OWNED_WORKSPACES_MAX) {
      throw unprocessable([{ pointer: '', detail: `one person may own ${OWNED_WORKSPACES_MAX} workspaces` }])
    }
    const actor = { kind: 'user', id: user.id, name: user.name } as const
    const by = (workspaceId: string): Caller => ({ workspaceId, actor, scopes: ROLE_PERMISSIONS.owner, ...origin })
    return storeWorkspace(tx, input, { owner: user, by })
  })
}
