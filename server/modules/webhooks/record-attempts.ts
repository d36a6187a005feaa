import type pg from 'pg'
import { int8Array, textArray } from '../../platform/db/arrays.ts'
import { spanOf } from '../../platform/db/span-of.ts'
import type { Statement } from '../../platform/db/statement.ts'
import {
  ALL_WORKSPACES,
  inTransaction,
  planOnce,
  queryInScope,
  type Transaction,
} from '../../platform/db/transaction.ts'
import { recordSystemAudit } from '../audit/record-audit.ts'
import { auditedEndpoint } from './audited-endpoint.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

/** How an attempt ended and what comes next. `nextInMs` undefined: no further attempt. */
export type AttemptResult = {
  claimed: ClaimedDelivery
  startedAt: Date
  durationMs: number
  outcome: 'delivered' | 'failed' | 'refused'
  status: number | null
  error: string | null
  response: string | null
  nextInMs: number | undefined
}

const STATUS_GONE = 410

/**
 * Writes the results of many attempts, of any endpoints, in one transaction: the log, the next attempt or the end, and
 * how each receiver fares. A result whose claim was taken over meanwhile is dropped. Returns how many counted.
 */
export async function recordAttempts(pool: pg.Pool, results: readonly AttemptResult[]): Promise<number> {
  const statement: Statement<{ counted: string }> = {
    name: 'record_attempts',
    text: RECORD,
    values: parametersOf(results),
  }
  const gone = results.filter((result) => result.status === STATUS_GONE).map((result) => result.claimed)
  const rows =
    gone.length === 0
      ? await queryInScope(pool, ALL_WORKSPACES, { ...statement, plan: 'once' })
      : await inTransaction(pool, ALL_WORKSPACES, async (tx) => {
          planOnce(tx)
          const recorded = await tx.query(statement)
          await disableGone(tx, gone)
          return recorded.rows
        })
  return Number(rows[0]?.counted ?? 0)
}

/**
 * Writes how a delivery goes on after an attempt of which no entry in the log can be made, and nothing else of it. Returns
 * whether it counted.
 */
export async function recordUnlogged(pool: pg.Pool, result: AttemptResult): Promise<boolean> {
  const statement = { name: 'record_unlogged_attempt', text: RECORD_UNLOGGED, values: parametersOf([result]) }
  const rows = await queryInScope<{ counted: string }>(pool, ALL_WORKSPACES, statement)
  return rows[0]?.counted === '1'
}

/**
 * The deliveries' side of results: those whose claim is still the turn's go on, or have ended. Their places hold: nobody changes a
 * delivery that a turn has and leaves it its turn, so one that changes while this waits for it is none of these.
 */
const GO_ON = `with result as materialized (
    select * from unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::text[]::timestamptz[], $6::int8[],
      $7::text[]::timestamptz[], $8::int8[], $9::text[], $10::int8[], $11::text[], $12::text[], $13::int8[])
    as r(workspace_id, endpoint_id, turn, delivery_id, created_at, attempt, started_at, duration_ms, outcome, status, error,
      response, next_in_ms)
  ), counted as materialized (
    select r.*, q.row from result r cross join lateral (
      select ctid as row from delivery_queue
      where workspace_id = r.workspace_id and delivery_id = r.delivery_id and turn = r.turn and attempt = r.attempt
      limit 1 for update) q
  ), again as (
    update delivery_queue q set turn = null, claimed_at = null,
      due_at = clock_timestamp() + c.next_in_ms * interval '1 millisecond'
    from counted c where q.ctid = c.row and c.next_in_ms is not null
  ), done as (
    delete from delivery_queue where ctid = any (array(select row from counted where next_in_ms is null))
  ), ended as (
    update deliveries d set finished_at = clock_timestamp(),
      state = case when c.outcome = 'delivered' then 'delivered' else 'discarded' end
    from counted c
    where d.workspace_id = c.workspace_id and d.id = c.delivery_id
      and d.created_at >= $14 and d.created_at < $15 and c.next_in_ms is null
  )`
const COUNTED = 'select count(*) as counted from counted'

const RECORD_UNLOGGED = `${GO_ON} ${COUNTED}`
// The log is in partitions by time: a process whose clock is wrong must not begin its attempts where there is none.
const RECORD = `${GO_ON}, logged as (
    insert into delivery_attempts
      (workspace_id, delivery_id, started_at, attempt, outcome, status, error, duration_ms, response)
    select workspace_id, delivery_id, least(greatest(started_at, now() - interval '1 hour'), now()), attempt, outcome, status,
      error, duration_ms, response
    from counted
  ), health as (
    select workspace_id, endpoint_id, bool_or(outcome = 'delivered') as answered from counted group by 1, 2
  ), lane as (
    update webhook_lanes l set failing_since = case when h.answered then null else now() end,
      warnings = 0
    from health h
    where l.workspace_id = h.workspace_id and l.endpoint_id = h.endpoint_id
      and h.answered = (l.failing_since is not null)
  ) ${COUNTED}`

function parametersOf(results: readonly AttemptResult[]): unknown[] {
  const ids = (pick: (result: AttemptResult) => string | number | null | undefined) =>
    int8Array(
      results.map((result) => {
        const value = pick(result)
        return value === null || value === undefined ? null : String(value)
      }),
    )
  const texts = (pick: (result: AttemptResult) => string | null) => textArray(results.map(pick))
  return [
    ids(({ claimed }) => claimed.workspaceId),
    ids(({ claimed }) => claimed.endpointId),
    ids(({ claimed }) => claimed.turn),
    ids(({ claimed }) => claimed.deliveryId),
    texts(({ claimed }) => claimed.createdAt),
    ids(({ claimed }) => claimed.attempt),
    texts(({ startedAt }) => startedAt.toISOString()),
    ids(({ durationMs }) => Math.round(durationMs)),
    texts(({ outcome }) => outcome),
    ids(({ status }) => status),
    texts(({ error }) => storable(error)),
    texts(({ response }) => storable(response)),
    ids(({ nextInMs }) => nextInMs),
    ...spanOf(results.map(({ claimed }) => claimed.createdAt)),
  ]
}

/** A receiver's answer may hold characters that a text column cannot. */
function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd')
}

/**
 * RFC 9110 section 15.5.11: the receiver is gone for good. Deliveries still queued wait, should the owner switch it on.
 */
async function disableGone(tx: Transaction, gone: readonly ClaimedDelivery[]): Promise<void> {
  const { rows } = await tx.query<DisabledEndpoint>(
    `update webhook_endpoints e set enabled = false, disabled_reason = 'gone', updated_at = now()
     from webhook_lanes l, unnest($1::bigint[], $2::bigint[], $3::bigint[]) as g(workspace_id, endpoint_id, turn)
     where e.workspace_id = g.workspace_id and e.id = g.endpoint_id and e.enabled
       and l.workspace_id = e.workspace_id and l.endpoint_id = e.id and l.turn = g.turn
     returning e.workspace_id as "workspaceId", e.id as "endpointId", e.url`,
    [gone.map((g) => g.workspaceId), gone.map((g) => g.endpointId), gone.map((g) => g.turn)],
  )
  for (const endpoint of rows) await auditSwitchedOff(tx, endpoint, 'gone')
}

export type DisabledEndpoint = { workspaceId: string; endpointId: string; url: string }

/** The audit entry of an endpoint that the system has switched off. */
export async function auditSwitchedOff(tx: Transaction, endpoint: DisabledEndpoint, reason: string): Promise<void> {
  await recordSystemAudit(tx, endpoint.workspaceId, {
    action: 'webhook_endpoint.disable',
    target: auditedEndpoint({ id: endpoint.endpointId, url: endpoint.url }),
    diff: { enabled: { from: true, to: false }, disabledReason: { from: null, to: reason } },
  })
}
