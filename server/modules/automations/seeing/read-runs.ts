import type pg from 'pg'
import { badCursor, notFound } from '../../../catalogue/problems.ts'
import { queryInScope } from '../../../platform/db/transaction.ts'
import { parseExactJson } from '../../../platform/json/exact-json.ts'
import { cursorsOf } from '../../../platform/schema/paging.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import {
  eventNamesStatement,
  knownAutomationStatement,
  lastLookedAtStatement,
  type RunFilter,
  type RunRow,
  runByIdStatement,
  runsStatement,
  stepsStatement,
  withEventNames,
} from './run-queries.ts'
import type { Run, RunTrace } from './schemas.ts'
import { variablesAfter } from './variables-after.ts'

export const RUNS_A_PAGE_MAX = 100
const RUNS_A_PAGE = 25

const cursors = cursorsOf('runs', [/^[0-9]{1,19}$/])

type Key = { workspaceId: string; id: string }
/** `seesValues`: whether the asker may see fields and tags of contacts, by which rules were decided. */
export type SeeingKey = Key & { seesValues: boolean }

/** Runs of an automation, newest first. A page of those at a node, or in a state, may have few of them, or none, and go on. Throws 404, 400 for a bad cursor. */
export async function readRuns(
  sql: pg.Pool,
  key: Key,
  { cursor, limit = RUNS_A_PAGE, ...filter }: RunFilter & { cursor?: string | undefined; limit?: number | undefined },
): Promise<{ items: Run[]; nextCursor?: string }> {
  const [beforeId] = cursor === undefined ? [null] : (cursors.decode(cursor) ?? [])
  if (beforeId === undefined) throw badCursor()
  const [known] = await queryInScope(sql, key.workspaceId, knownAutomationStatement(key))
  if (!known) throw notFound()
  if (filter.contactId !== undefined && isBeyondIds(filter.contactId)) return { items: [] }
  const looks = filter.contactId === undefined && (filter.node !== undefined || filter.state !== undefined)
  const [last] = looks ? await queryInScope(sql, key.workspaceId, lastLookedAtStatement(key, filter, beforeId)) : []
  const fromId = last?.id ?? null
  const page = { beforeId, fromId, limit: limit + 1 }
  const rows = await queryInScope(sql, key.workspaceId, runsStatement(key, filter, page))
  const items = rows.slice(0, limit)
  const lastId = rows.length > limit ? items.at(-1)!.id : fromId
  return { items, ...(lastId === null ? {} : { nextCursor: cursors.encode([lastId]) }) }
}

/** A run with its trace. Throws 404. */
export async function readRun(sql: pg.Pool, key: SeeingKey, runId: string): Promise<RunTrace> {
  const [run] = await queryInScope(sql, key.workspaceId, runByIdStatement(key, runId))
  if (!run) throw notFound()
  const [trace] = await withTraces(sql, key, [run])
  return trace!
}

/** Runs with their traces. */
export async function withTraces(
  sql: pg.Pool,
  { workspaceId, seesValues }: Omit<SeeingKey, 'id'>,
  runs: readonly RunRow[],
): Promise<RunTrace[]> {
  const seenIn = (seen: unknown) => {
    if (seen === null) return null
    const { values, ...others } = parseExactJson(String(seen)) as Record<string, unknown>
    return seesValues && values !== undefined ? { ...others, values } : others
  }
  const steps = await queryInScope(sql, workspaceId, stepsStatement(workspaceId, runs))
  const ids = steps.map(({ eventId }) => eventId)
  const names = await queryInScope(sql, workspaceId, eventNamesStatement(workspaceId, ids))
  const byRun = Map.groupBy(withEventNames(steps, names), ({ runId }) => runId)
  return runs.map((run) => {
    const trace = (byRun.get(run.id) ?? []).map(({ seen, ...step }) => ({ ...step, seen: seenIn(seen) }))
    return { ...run, variables: variablesAfter(trace), steps: trace }
  })
}
