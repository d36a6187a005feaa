import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { dropExpiredPartitions } from '../../platform/db/expire-partitions.ts'
import { ensurePartitions, type PartitionedTable } from '../../platform/db/partitions.ts'
import { enqueue, type NewJob } from '../../platform/jobs/enqueue.ts'
import type { Attempt } from '../../platform/jobs/queue-worker.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import type { Module } from '../module.ts'
import { webhooksApi } from './api.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import { type EndpointDeps, targetOf } from './endpoint-deps.ts'
import { JUDGE_EVERY_SECONDS, judgeEndpoints } from './judge-endpoints.ts'
import type { Lane, TurnJob } from './lanes.ts'
import type { AttemptResult } from './record-attempts.ts'
import { type Recovery, recoverWebhook } from './recover-webhook.ts'
import { createRunningTurns, type RunningTurns } from './running-turns.ts'
import { webhooksSite } from './site.ts'

const QUEUE = 'webhooks'
const RECOVERY_QUEUE = 'default'
/** Endpoints that only fail come after the others, and never take all places. */
const FAILING_PRIORITY = -1

const DELIVERY_PARTITIONS: PartitionedTable = { table: 'deliveries', span: 'month', ahead: 2 }
const ATTEMPT_PARTITIONS: PartitionedTable = { table: 'delivery_attempts', span: 'month', ahead: 2 }
/** The delivery log can be read and replayed at least this long. */
export const DELIVERIES_RETENTION_DAYS = 30
const MAINTAIN_EVERY_SECONDS = 3_600
/** A turn yields after seconds and its last attempts end within their deadline. */
const TURN_TIMEOUT_MS = 120_000
/** How long the turn of another run of the same job may take to end, before the job looks after it. */
const TAKEN_OVER_MS = 30_000
/** How long a recovery waits for events that are still to be stored or dispatched. */
const TOO_EARLY_MS = 500

export type WebhooksModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  client: GuardedClient
  secrets: SecretBox
  judgeUrl: (url: string) => Promise<UrlJudgement>
  onAttempt: (attempt: Attempt) => void
  onError: (error: unknown) => void
}

/** The partitions that deliveries of this and the next months need. Run at the start, before anything is written. */
export async function ensureDeliveryPartitions(pool: pg.Pool): Promise<void> {
  for (const spec of [DELIVERY_PARTITIONS, ATTEMPT_PARTITIONS]) await ensurePartitions(pool, spec)
}

export type OperationDeps = Pick<WebhooksModuleDeps, 'sql' | 'secrets' | 'judgeUrl'> & {
  /** The turns of this process, where it runs any. */
  running?: RunningTurns
}

/** The operations' dependencies, for this process's surfaces and for the command line. */
export function endpointOperations(deps: OperationDeps): EndpointDeps {
  return {
    sql: deps.sql,
    secrets: deps.secrets,
    judgeUrl: deps.judgeUrl,
    enqueueTurns: (tx, jobs) => enqueue(tx, jobs.map(turnJob)),
    enqueueRecovery: (tx, recovery) =>
      enqueue(tx, [{ queue: RECOVERY_QUEUE, kind: 'recover_webhook', payload: recovery }]),
    tellTurns: (lanes) => deps.running?.tell(lanes),
  }
}

function turnJob({ jobId, runAt, failing, workspaceId, endpointId }: TurnJob): NewJob {
  return {
    id: jobId,
    queue: QUEUE,
    kind: 'deliver_webhook',
    payload: { workspaceId, endpointId },
    groupKey: workspaceId,
    priority: failing ? FAILING_PRIORITY : 0,
    ...(runAt === undefined ? {} : { runAt }),
  }
}

export function webhooksModule(deps: WebhooksModuleDeps): Module {
  const running = createRunningTurns()
  const recorder = createAttemptRecorder(deps.pool, deps.onError)
  const endpoints = endpointOperations({ ...deps, running })
  const delivering = {
    ...endpoints,
    pool: deps.pool,
    client: deps.client,
    recorder,
    running,
    targetOf: (lane: Lane) => targetOf(deps.pool, deps.secrets, lane),
    onAttempt: (result: AttemptResult) => deps.onAttempt(attemptOf(result)),
  }
  return {
    routes(app) {
      webhooksApi(app, endpoints)
      webhooksSite(app, endpoints)
    },
    consumers: [dispatchWebhooks(endpoints)],
    jobs: [
      {
        kind: 'deliver_webhook',
        queue: QUEUE,
        // The lane keeps its own account of attempts; the job only has to come back until its turn is over.
        attemptsMax: Number.POSITIVE_INFINITY,
        timeoutMs: TURN_TIMEOUT_MS,
        async run(job, { stopping }) {
          const end = await deliverWebhook(delivering, { ...(job.payload as Lane), jobId: job.id }, stopping)
          return end === 'taken_over' ? { outcome: 'snooze', afterMs: TAKEN_OVER_MS } : { outcome: 'ok' }
        },
      },
      {
        kind: 'recover_webhook',
        queue: RECOVERY_QUEUE,
        async run(job) {
          const end = await recoverWebhook({ ...endpoints, pool: deps.pool }, job.payload as Recovery)
          return end === 'too_early' ? { outcome: 'snooze', afterMs: TOO_EARLY_MS } : { outcome: 'ok' }
        },
      },
      {
        kind: 'judge_webhook_endpoints',
        queue: 'default',
        everySeconds: JUDGE_EVERY_SECONDS,
        async run() {
          await judgeEndpoints(deps.pool)
          return { outcome: 'ok' }
        },
      },
      {
        kind: 'maintain_deliveries',
        queue: 'default',
        everySeconds: MAINTAIN_EVERY_SECONDS,
        async run() {
          await ensureDeliveryPartitions(deps.pool)
          const expiry = { retentionDays: DELIVERIES_RETENTION_DAYS, now: new Date() }
          await dropExpiredPartitions(deps.pool, DELIVERY_PARTITIONS, expiry)
          await dropExpiredPartitions(deps.pool, ATTEMPT_PARTITIONS, expiry)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}

/** An attempt as the job metrics count it: each delivery attempt is one, the turn around it none. */
function attemptOf(result: AttemptResult): Attempt {
  const { claimed, outcome, durationMs } = result
  const status = outcome === 'delivered' ? 'ok' : 'error'
  return { queue: QUEUE, kind: 'deliver_webhook', status, attempt: claimed.attempt, durationMs }
}
