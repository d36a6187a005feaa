import type pg from 'pg'
import { notFound, unprocessable, wrongStatus } from '../../../catalogue/problems.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { enqueue } from '../../../platform/jobs/enqueue.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { readAutomation } from '../definition/read-automations.ts'
import { closedEntry } from '../entry/closed-entry.ts'
import {
  type BackfillKey,
  type BackfillRow,
  backfillStatement,
  type Counted,
  countPast,
  type Window,
} from './backfill-queries.ts'
import { PLACE_BACKFILL } from './place-backfill.ts'
import type { Backfill, BackfillBody, BackfillPreview } from './schemas.ts'

type Deps = {
  sql: pg.Pool
  /** Instead of COUNT_MS_MAX. */
  countMsMax?: number
}

/** Events that one goes through. */
export const BACKFILL_EVENTS_MAX = 1_000_000
/** Below what the routes give their requests. */
const COUNT_MS_MAX = 8_000

/** Counts whom a backfill would go through, and changes nothing. Throws 404, 409 without a version in force, 422 without a trigger that is an event, or for too many to count. */
export async function previewBackfill(
  deps: Deps,
  key: BackfillKey,
  { days }: { days: number },
): Promise<BackfillPreview> {
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const { names } = await triggersOf(tx, key, false)
    const window = windowOf(names, days)
    const { events, people, enteredBefore } = await counted(deps, tx, { key, window })
    const numbers = { events: Number(events), people: Number(people), enteredBefore: Number(enteredBefore) }
    return { from: window.from, until: window.until, ...numbers }
  })
}

/**
 * Has past triggers go through the entry, by a job: whether anybody comes in the automation's own rules decide, and leave their
 * verdicts. Throws 404, 409 while its entry is closed or another one runs, 422 without a trigger that is an event or for too many.
 */
export async function beginBackfill(
  deps: Deps,
  caller: Caller,
  { id, body }: { id: string; body: BackfillBody },
): Promise<Backfill> {
  const key = { workspaceId: caller.workspaceId, automationId: id }
  return inTransaction(deps.sql, key.workspaceId, async (tx) => {
    const { names } = await triggersOf(tx, key, true)
    const window = windowOf(names, body.days)
    const { events, people } = await counted(deps, tx, { key, window })
    if (Number(events) > BACKFILL_EVENTS_MAX) {
      const detail = `has ${events} events, more than ${BACKFILL_EVENTS_MAX}: go through fewer days`
      throw unprocessable([{ pointer: '/days', detail }])
    }
    const { name } = await triggersOf(tx, key, true, 'for share')
    const { rowCount } = await tx.query({
      name: 'begin_backfill',
      // One that runs is left alone by this statement itself: of two that begin at once the first may have no row yet to be held by.
      text: `insert into automation_backfills as b (workspace_id, automation_id, as_of, names, from_at, until_at, per_minute, events)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (workspace_id, automation_id) do update set state = 'running', as_of = excluded.as_of, names = excluded.names,
          from_at = excluded.from_at, until_at = excluded.until_at, per_minute = excluded.per_minute, events = excluded.events,
          placed = 0, last_id = null, created_at = now(), ended_at = null
        where b.state <> 'running'`,
      values: [...[key.workspaceId, id, body.asOf, names, window.from, window.until], body.perMinute ?? null, events],
    })
    if (rowCount === 0) throw wrongStatus('One runs already: wait, or revoke it.')
    await enqueue(tx, PLACE_BACKFILL, key)
    const to = { days: body.days, asOf: body.asOf, events: Number(events), people: Number(people) }
    await audit(tx, caller, { action: 'automation.backfill', id, name, diff: { backfill: { from: null, to } } })
    return backfillWithin(tx, key)
  })
}

/** The last one, if there was any. Throws 404 for the automation. */
export async function lastBackfill({ sql }: Deps, key: BackfillKey): Promise<Backfill | null> {
  await readAutomation(sql, { workspaceId: key.workspaceId, id: key.automationId })
  const [row] = await queryInScope(sql, key.workspaceId, backfillStatement(key))
  return row ? backfillOf(row) : null
}

/** The same. Throws 404 where there was none. */
export async function readBackfill(deps: Deps, key: BackfillKey): Promise<Backfill> {
  const last = await lastBackfill(deps, key)
  if (last === null) throw notFound()
  return last
}

/** Ends one: nobody more comes in by it, and those who wait for their turn do not. Throws 404, 409 for one that is over. */
export async function revokeBackfill({ sql }: Deps, caller: Caller, id: string): Promise<Backfill> {
  const key = { workspaceId: caller.workspaceId, automationId: id }
  const { waiting } = await readBackfill({ sql }, key)
  return inTransaction(sql, key.workspaceId, async (tx) => {
    const { rows } = await tx.query<{ name: string }>({
      name: 'revoke_backfill',
      text: `update automation_backfills b set state = 'revoked', ended_at = now() from automations a
        where b.workspace_id = $1 and b.automation_id = $2 and (b.state = 'running' or b.state = 'done' and $3::bigint > 0)
          and a.workspace_id = $1 and a.id = $2 returning a.name`,
      values: [key.workspaceId, id, waiting],
    })
    if (!rows[0]) throw wrongStatus('It is over.')
    await enqueue(tx, PLACE_BACKFILL, key)
    await audit(tx, caller, { action: 'automation.revoke_backfill', id, name: rows[0].name })
    return backfillWithin(tx, key)
  })
}

/** The one that the transaction itself has changed. */
async function backfillWithin(tx: Transaction, key: BackfillKey): Promise<Backfill> {
  return backfillOf((await tx.query(backfillStatement(key))).rows[0]!)
}

type Noted = { action: string; id: string; name: string; diff?: Parameters<typeof recordAudit>[2]['diff'] }

const audit = (tx: Transaction, caller: Caller, { action, id, name, diff }: Noted) =>
  recordAudit(tx, caller, { action, target: { type: 'automation', id, name }, ...(diff && { diff }) })

function windowOf(names: readonly string[], days: number): Window {
  const untilMs = Date.now()
  return { names, from: new Date(untilMs - days * DAY_MS).toISOString(), until: new Date(untilMs).toISOString() }
}

async function counted(
  { countMsMax = COUNT_MS_MAX }: Deps,
  tx: Transaction,
  { key, window }: { key: BackfillKey; window: Window },
): Promise<Counted> {
  try {
    return await countPast(withQueryTimeout(tx, countMsMax), key, window)
  } catch (error) {
    if (databaseOutcome(error) !== 'timed_out') throw error
    const detail = `has more events than can be counted in ${countMsMax / 1_000} s: go through fewer days`
    throw unprocessable([{ pointer: '/days', detail }])
  }
}

type InForce = { name: string; version: number | null; entryOpen: boolean; isStopped: boolean }

async function triggersOf(
  tx: Transaction,
  key: BackfillKey,
  mustBeOpen: boolean,
  lock: '' | 'for share' = '',
): Promise<{ name: string; names: string[] }> {
  if (isBeyondIds(key.automationId)) throw notFound()
  const { rows } = await tx.query<InForce>({
    name: `automation_to_backfill${lock === '' ? '' : '_held'}`,
    text: `select name, published_version as version, entry_open as "entryOpen", stopped_at is not null as "isStopped"
      from automations where workspace_id = $1 and id = $2 and deleted_at is null ${lock}`,
    values: [key.workspaceId, key.automationId],
  })
  const [automation] = rows
  if (!automation) throw notFound()
  const { version, entryOpen, name } = automation
  if (version === null || (mustBeOpen && !entryOpen)) throw closedEntry(automation)
  const { enter } = (await loadDefinitions(tx, key, [version])).get(version)!
  const names = [...new Set(enter.on.flatMap((trigger) => ('event' in trigger ? [trigger.event] : [])))]
  if (names.length > 0) return { name, names }
  throw unprocessable([{ pointer: '/days', detail: 'no event brings people into this automation' }])
}

function backfillOf({ names: _, lastId: __, events, placed, waiting, ...row }: BackfillRow): Backfill {
  return { ...row, events: Number(events), placed: Number(placed), waiting: Number(waiting) }
}
