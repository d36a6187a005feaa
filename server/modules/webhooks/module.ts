import type pg from 'pg'
import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import { handlerOf } from '../../platform/jobs/job-kind.ts'
import type { Attempt } from '../../platform/jobs/queue-worker.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import type { UrlJudgement } from '../../platform/net/judge-url.ts'
import type { Module } from '../module.ts'
import { webhooksApi } from './api.ts'
import { createAttemptRecorder } from './attempt-recorder.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { DELIVERY_NEEDS, DELIVERY_PARTITIONS } from './delivery-partitions.ts'
import { dispatchWebhooks } from './dispatch-webhooks.ts'
import { DROP_DELIVERIES, dropDeliveries } from './drop-deliveries.ts'
import { targetOf } from './endpoint-secrets.ts'
import { FAN_OUT_WEBHOOKS, type FanOutDeps, fanOutWebhooks } from './fan-out-webhooks.ts'
import { JUDGE_EVERY_SECONDS, judgeEndpoints } from './judge-endpoints.ts'
import { DELIVER_WEBHOOK, type Lane } from './lanes.ts'
import type { EndpointDeps } from './manage-endpoints.ts'
import type { AttemptResult } from './record-attempts.ts'
import { RECOVER_WEBHOOK, recoverWebhook } from './recover-webhook.ts'
import { webhooksSite } from './site.ts'

/** A job in chunks that still has work after this goes to the back of the queue. */
const CHUNKS_MS_MAX = 5_000
/** How long a recovery waits for events that are still to be stored or dispatched. */
const TOO_EARLY_MS = 500
/**
 * Time for the results that are left when no turn runs any more; the next turn of a lane takes the others' claims for
 * lost.
 */
const RECORD_WITHIN_MS = 1_000

export type WebhooksModuleDeps = {
  sql: pg.Pool
  pool: pg.Pool
  client: GuardedClient
  secrets: SecretBox
  judgeUrl: (url: string) => Promise<UrlJudgement>
  endpointsMax: number
  usedBy: NonNullable<EndpointDeps['usedBy']>
  onAttempt: (attempt: Attempt) => void
  onUnrecorded: (results: number) => void
  onParked: FanOutDeps['onParked']
  onError: (error: unknown) => void
}

export function webhooksModule(deps: WebhooksModuleDeps): Module {
  const recorder = createAttemptRecorder(deps.pool, deps.onError)
  const { sql, pool, client, secrets, judgeUrl, endpointsMax, usedBy } = deps
  const endpoints = { sql, secrets, judgeUrl, endpointsMax, usedBy }
  const delivering = {
    ...{ pool, client, recorder },
    targetOf: (lane: Lane) => targetOf(deps.pool, deps.secrets, lane),
    onAttempt: (result: AttemptResult) => deps.onAttempt(attemptOf(result)),
  }
  return {
    routes(app) {
      webhooksApi(app, endpoints)
      webhooksSite(app, endpoints)
    },
    consumers: [dispatchWebhooks],
    partitions: DELIVERY_PARTITIONS,
    needs: DELIVERY_NEEDS,
    close: async () => deps.onUnrecorded(await recorder.stop(RECORD_WITHIN_MS)),
    jobs: [
      deliverWebhook(delivering),
      handlerOf(RECOVER_WEBHOOK, {
        // A person's request is carried out, however long the database is away.
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { stopping }) {
          const end = await recoverWebhook({ pool, shouldYield: isTimeAfter(stopping) }, payload)
          return end === 'too_early' ? { outcome: 'snooze', afterMs: TOO_EARLY_MS } : { outcome: 'ok' }
        },
      }),
      handlerOf(DROP_DELIVERIES, {
        attemptsMax: Number.POSITIVE_INFINITY,
        reach: 'database',
        async run({ payload }, { stopping }) {
          const end = await dropDeliveries(pool, payload, isTimeAfter(stopping))
          return end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
        },
      }),
      handlerOf(FAN_OUT_WEBHOOKS, {
        attemptsMax: Number.POSITIVE_INFINITY,
        async run({ payload }, { stopping }) {
          const end = await fanOutWebhooks({ pool, onParked: deps.onParked }, payload.workspaceId, {
            shouldYield: isTimeAfter(stopping),
            stopping,
          })
          return end === 'more' ? { outcome: 'more' } : { outcome: 'ok' }
        },
      }),
      {
        kind: 'judge_webhook_endpoints',
        queue: 'default',
        everySeconds: JUDGE_EVERY_SECONDS,
        async run() {
          await judgeEndpoints(deps.pool)
          return { outcome: 'ok' }
        },
      },
    ],
  }
}

function isTimeAfter(stopping: AbortSignal): () => boolean {
  const until = performance.now() + CHUNKS_MS_MAX
  return () => stopping.aborted || performance.now() > until
}

/** An attempt as the job metrics count it: each delivery attempt is one, the turn around it none. */
function attemptOf(result: AttemptResult): Attempt {
  const { claimed, outcome, durationMs } = result
  const status = outcome === 'delivered' ? 'ok' : 'error'
  const { queue, kind } = DELIVER_WEBHOOK
  return { queue, kind, status, attempt: claimed.attempt, durationMs }
}
