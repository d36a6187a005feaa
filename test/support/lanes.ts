import type pg from 'pg'
import { QUEUES } from '../../server/catalogue/queues.ts'
import type { ClaimedDelivery } from '../../server/modules/webhooks/claim-deliveries.ts'
import { DELIVERY_PARTITIONS } from '../../server/modules/webhooks/delivery-partitions.ts'
import { insertPing } from '../../server/modules/webhooks/delivery-queries.ts'
import { type DeliveryTurn, type Lane, WEBHOOK_LANES } from '../../server/modules/webhooks/lanes.ts'
import type { EndpointDeps } from '../../server/modules/webhooks/manage-endpoints.ts'
import { createEndpoint } from '../../server/modules/webhooks/manage-endpoints.ts'
import type { AttemptResult } from '../../server/modules/webhooks/record-attempts.ts'
import { ensurePartitions } from '../../server/platform/db/partitions.ts'
import { ALL_WORKSPACES, inTransaction, queryInScope, type Transaction } from '../../server/platform/db/transaction.ts'
import { migrateJobs } from '../../server/platform/jobs/schema.ts'
import { beginTurn } from '../../server/platform/lanes/turns.ts'
import { wakeLanes } from '../../server/platform/lanes/wake-lanes.ts'
import type { TestDatabase } from './postgres.ts'
import { callerOf, testWorkspace } from './workspace.ts'

/** The parts of delivering, without the processes that run it: a test takes the steps in the order it wants to. */
export type LaneBench = { database: TestDatabase; pool: pg.Pool; workspaceId: string; deps: EndpointDeps }

/** For a file's top level. */
export async function laneBench({ connections = 10 } = {}): Promise<LaneBench> {
  const { database, pool, workspaceId } = await testWorkspace({ connections })
  for (const table of DELIVERY_PARTITIONS) await ensurePartitions(pool, table)
  await migrateJobs(pool, QUEUES)
  const deps: EndpointDeps = {
    sql: pool,
    secrets: { seal: (secret) => secret, open: (sealed) => sealed },
    judgeUrl: async () => ({ outcome: 'allowed' }),
    endpointsMax: 100,
  }
  return { database, pool, workspaceId, deps }
}

export async function newLane({ deps, workspaceId }: LaneBench): Promise<Lane> {
  const { id } = await createEndpoint(deps, callerOf(workspaceId), { url: 'https://receiver.example/' })
  return { workspaceId, endpointId: id }
}

/** Makes deliveries due, as dispatching does, in a transaction of the caller. */
export async function addDeliveries(tx: Transaction, lane: Lane, count = 1): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await insertPing(tx, { ...lane, eventType: 'test' }))
  await wakeLanes(tx, WEBHOOK_LANES, [lane])
  return ids
}

export function makeDue(bench: LaneBench, lane: Lane, count = 1): Promise<string[]> {
  return inTransaction(bench.pool, lane.workspaceId, (tx) => addDeliveries(tx, lane, count))
}

export type LaneRow = { state: string; jobId: string | null; wakeAt: string | null; turn: string; failing: boolean }

export async function laneRow({ pool }: LaneBench, lane: Lane): Promise<LaneRow> {
  const [row] = await queryInScope<LaneRow>(pool, lane.workspaceId, {
    text: `select state, job_id as "jobId", wake_at as "wakeAt", turn, failing_since is not null as failing
      from webhook_lanes where workspace_id = $1 and endpoint_id = $2`,
    values: [lane.workspaceId, lane.endpointId],
  })
  return row!
}

/** Begins the turn of the job that the lane names now. */
export async function beginNamed(bench: LaneBench, lane: Lane): Promise<DeliveryTurn> {
  const jobId = (await laneRow(bench, lane)).jobId!
  const turn = await inTransaction(bench.pool, lane.workspaceId, (tx) =>
    beginTurn(tx, WEBHOOK_LANES, { ...lane, jobId }),
  )
  return turn!
}

export type QueueRow = { id: string; attempt: number; turn: string | null; isDue: boolean }

export function queueRows({ pool }: LaneBench, lane: Lane): Promise<QueueRow[]> {
  return queryInScope<QueueRow>(pool, lane.workspaceId, {
    text: `select delivery_id as id, attempt, turn, due_at <= now() as "isDue" from delivery_queue
      where workspace_id = $1 and endpoint_id = $2 order by delivery_id`,
    values: [lane.workspaceId, lane.endpointId],
  })
}

export type LoggedAttempt = { id: string; attempt: number; outcome: string }

export function attemptRows({ pool }: LaneBench, lane: Lane): Promise<LoggedAttempt[]> {
  return queryInScope<LoggedAttempt>(pool, lane.workspaceId, {
    text: `select a.delivery_id as id, a.attempt, a.outcome from delivery_attempts a
      join deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id
      where d.workspace_id = $1 and d.endpoint_id = $2 order by a.delivery_id, a.started_at`,
    values: [lane.workspaceId, lane.endpointId],
  })
}

/** The result of a delivery: accepted, or failed with the next attempt after `nextInMs` (none: discarded). */
export function resultFor(claimed: ClaimedDelivery, failed?: { nextInMs: number | undefined }): AttemptResult {
  return {
    claimed,
    startedAt: new Date(),
    durationMs: 1,
    outcome: failed ? 'failed' : 'delivered',
    status: failed ? 500 : 200,
    error: failed ? 'status_not_2xx' : null,
    response: '',
    nextInMs: failed?.nextInMs,
  }
}

/**
 * Deliveries that nobody will ever send, at one moment: not claimed though no turn is coming for them in time, or
 * claimed by a turn that is over. Paused endpoints only hold. Every writer keeps this empty in every transaction.
 */
export function forgottenDeliveries({ pool }: Pick<LaneBench, 'pool'>): Promise<Record<string, unknown>[]> {
  return queryInScope(pool, ALL_WORKSPACES, {
    text: `select q.delivery_id, q.attempt, q.due_at, q.turn as claimed_by, l.state, l.turn, l.wake_at, j.state as job
      from delivery_queue q
      join webhook_lanes l on l.workspace_id = q.workspace_id and l.endpoint_id = q.endpoint_id
      join webhook_endpoints e on e.workspace_id = q.workspace_id and e.id = q.endpoint_id
      left join jobs.job_common j on j.id = l.job_id and j.state < 'completed'
      where case when q.turn is null
        then e.enabled and (l.state = 'idle' or j.id is null
          or (l.state = 'waiting' and greatest(l.wake_at, j.start_after) > greatest(q.due_at, clock_timestamp())))
        else q.turn <> l.turn or l.state <> 'running' or j.id is null end`,
  })
}
