import { sql } from 'kysely'
import type pg from 'pg'
import { unprocessable } from '../../catalogue/problems.ts'
import { errorCode } from '../../platform/db/errors.ts'
import { createQueryBuilder } from '../../platform/db/query-builder.ts'
import { SQLSTATE } from '../../platform/db/sqlstates.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { createTurns } from '../../platform/turns.ts'
import { shownContacts } from '../contacts/contacts-with-ids.ts'
import { compileMembers } from './compile-members.ts'
import type { Preview } from './schemas.ts'
import { conditionOf } from './segment-facts.ts'

/** The longest a preview may take in the database. */
const PREVIEW_TIMEOUT_MS = 5_000
/** The longest until its answer: its turn, the look itself, and what stands around it. */
export const PREVIEW_DEADLINE_MS = 8_000
/** Previews of a process: they hold connections that short requests need, and those of one workspace leave others a turn. */
const TURNS = { atOnceMax: 3, atOnceOfOneMax: 2, waitingMax: 20, retryAfterSeconds: 2 }
const SAMPLE_CONTACTS = 10
/**
 * Cost of passing a row on, to the planner, in sequential page reads. Only ids are passed here, and the default of 0.1
 * would have large segments looked through by one process: two took half the time for groups in groups.
 */
const PARALLEL_TUPLE_COST = 0.001

const build = createQueryBuilder<Record<string, never>>()

/** Members of a definition now: the exact count, and its first ten contacts. `gone`: nobody waits for it any more. */
export type PreviewDefinition = (workspaceId: string, definition: string, gone?: AbortSignal) => Promise<Preview>

/** Makes the preview of a process. It throws a 422 for a definition that is wrong or too slow, a 503 when too many wait. */
export function createPreview(pool: pg.Pool, { timeoutMs = PREVIEW_TIMEOUT_MS } = {}): PreviewDefinition {
  const turns = createTurns(TURNS)
  return (workspaceId, definition, gone) => {
    const look = { workspaceId, definition, timeoutMs }
    return turns(workspaceId, () => inTransaction(pool, workspaceId, (tx) => preview(tx, look), gone), gone)
  }
}

type Look = { workspaceId: string; definition: string; timeoutMs: number }

async function preview(tx: Transaction, { workspaceId, definition, timeoutMs }: Look): Promise<Preview> {
  const members = compileMembers(workspaceId, await conditionOf(tx, workspaceId, definition))
  // The ids are gathered once, and both counted and picked from.
  const { sql: text, parameters } = sql`with member as materialized (${members})
    select (select count(*) from member) as count,
      array(select id from member order by id limit ${sql.lit(SAMPLE_CONTACTS)})::text[] as ids`.compile(build)
  const statement = { text, values: [...parameters], query_timeout: timeoutMs + 1_000 }
  const [, { rows }] = await Promise.all([
    tx.query(`set local statement_timeout = ${timeoutMs}; set local parallel_tuple_cost = ${PARALLEL_TUPLE_COST}`),
    tx.query<{ count: string; ids: string[] }>(statement),
  ]).catch((error: unknown) => throwTooSlow(error, timeoutMs))
  const [found] = rows
  return { count: Number(found?.count), sample: await shownContacts(tx, workspaceId, found?.ids ?? []) }
}

function throwTooSlow(error: unknown, timeoutMs: number): never {
  if (errorCode(error) !== SQLSTATE.queryCanceled) throw error
  const detail = `takes more than ${timeoutMs / 1_000} s to look through: ask for less, or for a shorter time`
  throw unprocessable([{ pointer: '/definition', detail }])
}
