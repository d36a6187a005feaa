import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import type { JobHandler } from '../../platform/jobs/outcome.ts'
import { turnHandler } from '../../platform/lanes/run-turn.ts'
import type { TurnWork } from '../../platform/lanes/turn-run.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { attemptDelivery, type DeliveryTarget } from './attempt-delivery.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import { DELIVER_WEBHOOK, type DeliveryTurn, type Lane, WEBHOOK_LANES } from './lanes.ts'
import type { AttemptResult } from './record-attempts.ts'

/** Attempts to one endpoint at once: a receiver that answers is worked up to the most, a failing one gets the least. */
export const ENDPOINT_CONCURRENCY_MAX = 64
const ENDPOINT_CONCURRENCY_FIRST = 4
const ENDPOINT_CONCURRENCY_FAILING = 1
/**
 * Answers of a turn that wait to be recorded: what a killed process may have delivered without leaving a trace of it. As
 * many as one statement of the recorder writes: with half of them a turn waits for it (6,100 deliveries a second, 7,800).
 */
const UNRECORDED_MAX = 512
/** Deliveries claimed by one statement. */
const CLAIM_MAX = 200
const CLAIMS_A_PLACE = 3
const TURN_MS_MAX = 5_000
/** A turn yields after seconds and its last attempts end within their deadline. */
const TURN_TIMEOUT_MS = 120_000

export type DeliverDeps = {
  pool: pg.Pool
  client: GuardedClient
  recorder: AttemptRecorder
  /** Read once a turn: an endpoint's URL and its opened secrets; undefined when it is gone. */
  targetOf(lane: Lane): Promise<DeliveryTarget | undefined>
  onAttempt(result: AttemptResult): void
}

/** The job `deliver_webhook`: one turn of an endpoint's lane, with as much at once as the endpoint can take. */
export function deliverWebhook(deps: DeliverDeps): JobHandler {
  const turns = { pool: deps.pool, lanes: WEBHOOK_LANES, turnMsMax: TURN_MS_MAX }
  const open = (turn: DeliveryTurn) => openTurn(deps, turn)
  return turnHandler({ ...turns, open }, DELIVER_WEBHOOK, {
    timeoutMs: TURN_TIMEOUT_MS,
    reportsAttempts: true,
  })
}

async function openTurn(
  { pool, client, recorder, ...deps }: DeliverDeps,
  turn: DeliveryTurn,
): Promise<TurnWork<ClaimedDelivery, AttemptResult> | undefined> {
  const target = await deps.targetOf(turn)
  if (!target) return undefined
  let concurrency = turn.failing ? ENDPOINT_CONCURRENCY_FAILING : ENDPOINT_CONCURRENCY_FIRST
  return {
    places: () => concurrency,
    unrecordedMax: UNRECORDED_MAX,
    async claim(places) {
      const limit = Math.min(CLAIM_MAX, places * CLAIMS_A_PLACE)
      const claims = await claimDeliveries(pool, turn, limit)
      return { claims, mayHaveMore: claims.length === limit }
    },
    async work(claimed) {
      const result = await attemptDelivery(client, target, claimed)
      crashPoint('delivery_sent')
      concurrency = concurrencyAfter(result, concurrency)
      deps.onAttempt(result)
      return result
    },
    record: (result) => recorder.record(result),
  }
}

/** Slow start: one more at a time while the receiver accepts, half as soon as it does not answer. */
function concurrencyAfter({ outcome }: AttemptResult, concurrency: number): number {
  if (outcome === 'delivered') return Math.min(ENDPOINT_CONCURRENCY_MAX, concurrency + 1)
  return Math.max(ENDPOINT_CONCURRENCY_FAILING, Math.floor(concurrency / 2))
}
