import type pg from 'pg'
import { invalid, limitReached, notFound } from '../../catalogue/problems.ts'
import { nameFault } from '../../catalogue/read-name.ts'
import { CONTROL_CHARACTER } from '../../platform/control-characters.ts'
import { inTransaction, queryInScope, type Transaction } from '../../platform/db/transaction.ts'
import { requireMatch } from '../../platform/etag.ts'
import type { FieldError } from '../../platform/problem.ts'
import type { PageQuery } from '../../platform/schema/paging.ts'
import { type AuditOrigin, type Diff, diffOf, recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { readAllowedOrigin } from './allowed-origins.ts'
import type { Tracker, TrackerBody, TrackerChange } from './schemas.ts'
import { KEY_OVERLAP_DAYS, makeTrackerKey } from './tracker-key.ts'
import {
  countTrackersForAdding,
  deleteTrackerRow,
  insertTracker,
  rotateTrackerRow,
  TRACKERS_MAX,
  trackerByIdStatement,
  trackerForChange,
  trackersPageStatement,
  trackersTotalStatement,
  updateTrackerRow,
} from './tracker-queries.ts'

type Deps = { sql: pg.Pool }

/** As a tracker is when nothing else is said: nothing before consent, and nothing that a browser says is believed. */
const DEFAULTS = {
  allowedOrigins: [],
  consentMode: 'required',
  identify: 'unsigned',
  allowedActions: [],
  serverOnlyActions: [],
  respectGpc: true,
  linkIdentity: false,
  autoMerge: false,
  paused: false,
} as const satisfies TrackerChange

/** A page, ascending by id. */
export async function listTrackers({ sql }: Deps, workspaceId: string, page: PageQuery) {
  const [items, totals] = await Promise.all([
    queryInScope(sql, workspaceId, trackersPageStatement(workspaceId, page)),
    queryInScope(sql, workspaceId, trackersTotalStatement(workspaceId)),
  ])
  return { items, total: Number(totals[0]?.total ?? 0) }
}

/** Throws 404. */
export async function readTracker({ sql }: Deps, workspaceId: string, id: string): Promise<Tracker> {
  const [tracker] = await queryInScope(sql, workspaceId, trackerByIdStatement(workspaceId, id))
  if (!tracker) throw notFound()
  return tracker
}

/** Throws 400, 409 for one too many. */
export async function createTracker({ sql }: Deps, caller: Caller, body: TrackerBody): Promise<Tracker> {
  const settings = { name: body.name, ...readSettings(body) }
  return inTransaction(sql, caller.workspaceId, async (tx) => {
    if ((await countTrackersForAdding(tx, caller.workspaceId)) >= TRACKERS_MAX) {
      throw limitReached(`A workspace has at most ${TRACKERS_MAX} trackers.`)
    }
    return storeTracker(tx, caller, settings)
  })
}

/** A tracker with a key of its own, and as `DEFAULTS` say what is not said. */
async function storeTracker(tx: Transaction, origin: AuditOrigin, settings: TrackerBody): Promise<Tracker> {
  const content = { ...DEFAULTS, ...settings, key: makeTrackerKey() }
  const tracker = await insertTracker(tx, origin.workspaceId, content)
  await record(tx, origin, { verb: 'create', tracker, diff: diffOf(undefined, content) })
  return tracker
}

/** The one that a workspace begins with. */
export function storeFirstTracker(tx: Transaction, origin: AuditOrigin): Promise<Tracker> {
  return storeTracker(tx, origin, { name: 'Website' })
}

type Target = { id: string; ifMatch?: string | undefined }

/** Absent fields stay. Throws 400, 404, 412. */
export async function updateTracker({ sql }: Deps, caller: Caller, input: Target & { change: TrackerChange }) {
  const { workspaceId } = caller
  const change = readSettings(input.change)
  return inTransaction(sql, workspaceId, async (tx) => {
    const before = await requireTracker(tx, workspaceId, input)
    const after = { ...before, ...change }
    const diff = diffOf(before, after)
    if (Object.keys(diff).length === 0) return before
    const tracker = await updateTrackerRow(tx, workspaceId, after)
    await record(tx, caller, { verb: 'update', tracker, diff })
    return tracker
  })
}

/** Another key; the old one stays good for a week. Throws 404. */
export async function rotateTrackerKey({ sql }: Deps, caller: Caller, id: string): Promise<Tracker> {
  const { workspaceId } = caller
  return inTransaction(sql, workspaceId, async (tx) => {
    const before = await requireTracker(tx, workspaceId, { id })
    const rotation = { id, key: makeTrackerKey(), overlapDays: KEY_OVERLAP_DAYS }
    const tracker = await rotateTrackerRow(tx, workspaceId, rotation)
    await record(tx, caller, { verb: 'rotate_key', tracker, diff: diffOf({ key: before.key }, { key: tracker.key }) })
    return tracker
  })
}

/** Its key is refused from then on. Throws 404, 412. */
export async function deleteTracker({ sql }: Deps, caller: Caller, target: Target): Promise<void> {
  const { workspaceId } = caller
  await inTransaction(sql, workspaceId, async (tx) => {
    const tracker = await requireTracker(tx, workspaceId, target)
    await deleteTrackerRow(tx, workspaceId, tracker.id)
    await record(tx, caller, { verb: 'delete', tracker, diff: diffOf({ name: tracker.name }, undefined) })
  })
}

/** The tracker, which stays as it is until the transaction ends. Throws 404. */
export function holdTracker(tx: Transaction, workspaceId: string, id: string): Promise<Tracker> {
  return requireTracker(tx, workspaceId, { id })
}

async function requireTracker(tx: Transaction, workspaceId: string, { id, ifMatch }: Target): Promise<Tracker> {
  const tracker = await trackerForChange(tx, workspaceId, id)
  if (!tracker) throw notFound()
  requireMatch(ifMatch, tracker)
  return tracker
}

/** The settings with origins as browsers send them and nothing twice. Throws 400. */
function readSettings(given: TrackerChange): TrackerChange {
  const faults: FieldError[] = []
  const settings = { ...given }
  if (given.name !== undefined) {
    settings.name = given.name.trim()
    const fault = nameFault(settings.name)
    if (fault !== undefined) faults.push({ pointer: '/name', detail: fault })
  }
  if (given.allowedOrigins !== undefined) {
    const origins = given.allowedOrigins.map((text, index) => {
      const origin = readAllowedOrigin(text)
      if (origin !== undefined) return origin
      faults.push({ pointer: `/allowedOrigins/${index}`, detail: 'must be an origin, such as https://shop.example' })
      return text
    })
    settings.allowedOrigins = [...new Set(origins)]
  }
  for (const list of ['allowedActions', 'serverOnlyActions'] as const) {
    const actions = given[list]
    if (actions === undefined) continue
    for (const [index, action] of actions.entries()) {
      if (action.trim() === '' || CONTROL_CHARACTER.test(action)) {
        faults.push({ pointer: `/${list}/${index}`, detail: 'must be the name of an event' })
      }
    }
    settings[list] = [...new Set(actions)]
  }
  if (faults.length > 0) throw invalid(faults)
  return settings
}

function record(
  tx: Transaction,
  origin: AuditOrigin,
  entry: { verb: 'create' | 'update' | 'rotate_key' | 'delete'; tracker: Tracker; diff: Diff },
): Promise<void> {
  const { verb, tracker, diff } = entry
  const target = { type: 'tracker', id: tracker.id, name: tracker.name }
  return recordAudit(tx, origin, { action: `tracker.${verb}`, target, diff })
}
