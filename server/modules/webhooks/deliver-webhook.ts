import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import type { GuardedClient } from '../../platform/net/guarded-client.ts'
import { attemptDelivery, type DeliveryTarget } from './attempt-delivery.ts'
import type { AttemptRecorder } from './attempt-recorder.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import { beginTurn, endTurn, type Lane, type LaneDeps, type Turn, type TurnEnd } from './lanes.ts'
import type { AttemptResult } from './record-attempts.ts'
import type { RunningTurns } from './running-turns.ts'

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
/** A turn that still has work after this goes to the back of the queue, so that every lane gets its share. */
const TURN_MS_MAX = 5_000
/** How often a turn whose attempts are under way looks for deliveries that came due meanwhile, if nobody tells it. */
const LOOK_AGAIN_MS = 500

export type DeliverDeps = LaneDeps & {
  pool: pg.Pool
  client: GuardedClient
  recorder: AttemptRecorder
  running: RunningTurns
  /** Read once a turn: an endpoint's URL and its opened secrets; undefined when it is gone. */
  targetOf(lane: Lane): Promise<DeliveryTarget | undefined>
  onAttempt(result: AttemptResult): void
}

/**
 * The job `deliver_webhook`: one turn of an endpoint's lane. Claims what is due, sends it with the endpoint's
 * concurrency, hands every result to the recorder, until nothing is due, or the turn has had its time, or `signal` says
 * that the process is stopping; then what it claimed and did not send goes back untouched.
 */
export async function deliverWebhook(
  deps: DeliverDeps,
  job: Lane & { jobId: string },
  signal: AbortSignal,
): Promise<Exclude<TurnEnd, 'more'>> {
  const turn = await inTransaction(deps.pool, job.workspaceId, (tx) => beginTurn(tx, job))
  if (!turn) return 'over'
  crashPoint('turn_begun')
  const target = await deps.targetOf(turn)
  if (!target) return 'over'
  const run = new TurnRun(deps, turn, target)
  const yieldAt = performance.now() + TURN_MS_MAX
  const leave = deps.running.enter(turn, () => run.lookAgain())
  try {
    for (;;) {
      await run.sendWhatIsDue(() => signal.aborted || performance.now() > yieldAt, signal)
      const yieldNow = signal.aborted || performance.now() > yieldAt
      crashPoint('turn_before_end')
      const end = await inTransaction(deps.pool, turn.workspaceId, (tx) => endTurn(tx, deps, { ...turn, yieldNow }))
      crashPoint('turn_ended')
      if (end !== 'more') return end
      run.lookAgain()
    }
  } finally {
    leave()
  }
}

/** The attempts of one turn. Everything that changes its state rings; the loop then looks what there is to do. */
class TurnRun {
  readonly #deps: DeliverDeps
  readonly #turn: Turn
  readonly #target: DeliveryTarget
  #claimed: ClaimedDelivery[] = []
  #concurrency: number
  #underWay = 0
  #unrecorded = 0
  #claiming = false
  #mayHaveMore = true
  #failure: unknown
  #ring: (() => void) | undefined

  constructor(deps: DeliverDeps, turn: Turn, target: DeliveryTarget) {
    this.#deps = deps
    this.#turn = turn
    this.#target = target
    this.#concurrency = turn.failing ? ENDPOINT_CONCURRENCY_FAILING : ENDPOINT_CONCURRENCY_FIRST
  }

  lookAgain(): void {
    this.#mayHaveMore = true
    this.#ring?.()
  }

  /** Returns when nothing is due, or `enough()`, and every attempt that was begun is recorded. */
  async sendWhatIsDue(enough: () => boolean, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted || this.#failure !== undefined) this.#claimed = []
      // Results of attempts under way are worth keeping: only then does the turn fail.
      if (this.#failure !== undefined && !this.#isBusy()) throw this.#failure
      while (this.#claimed.length > 0 && this.#maySend()) this.#send(this.#claimed.shift()!)
      const wantsMore = this.#mayHaveMore && this.#failure === undefined && !enough()
      if (wantsMore && !this.#claiming && this.#claimed.length < this.#concurrency) this.#claim()
      if (!this.#isBusy() && this.#claimed.length === 0 && !wantsMore && this.#failure === undefined) return
      await this.#change()
    }
  }

  #isBusy(): boolean {
    return this.#underWay > 0 || this.#unrecorded > 0 || this.#claiming
  }

  #maySend(): boolean {
    return this.#underWay < this.#concurrency && this.#underWay + this.#unrecorded < UNRECORDED_MAX
  }

  #claim(): void {
    this.#claiming = true
    // Cleared before the claim looks: what becomes due while it is under way must not be forgotten when it returns.
    this.#mayHaveMore = false
    const limit = Math.min(CLAIM_MAX, this.#concurrency * 3)
    claimDeliveries(this.#deps.pool, this.#turn, limit)
      .then((claimed) => {
        crashPoint('deliveries_claimed')
        this.#claimed.push(...claimed)
        if (claimed.length === limit) this.#mayHaveMore = true
      })
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => {
        this.#claiming = false
        this.#ring?.()
      })
  }

  /** The receiver's slot is free with its answer: it does not wait for the answer to be recorded. */
  #send(claimed: ClaimedDelivery): void {
    this.#underWay++
    attemptDelivery(this.#deps.client, this.#target, claimed)
      .finally(() => this.#underWay--)
      .then((result) => {
        crashPoint('delivery_sent')
        this.#adapt(result)
        this.#deps.onAttempt(result)
        this.#record(result)
      })
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => this.#ring?.())
  }

  #record(result: AttemptResult): void {
    this.#unrecorded++
    this.#deps.recorder.record(result).finally(() => {
      this.#unrecorded--
      this.#ring?.()
    })
  }

  /** Slow start: one more at a time while the receiver accepts, half as soon as it does not answer. */
  #adapt(result: AttemptResult): void {
    if (result.outcome === 'delivered') this.#concurrency = Math.min(ENDPOINT_CONCURRENCY_MAX, this.#concurrency + 1)
    else this.#concurrency = Math.max(ENDPOINT_CONCURRENCY_FAILING, Math.floor(this.#concurrency / 2))
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.lookAgain(), LOOK_AGAIN_MS)
      this.#ring = () => {
        clearTimeout(timer)
        this.#ring = undefined
        resolve()
      }
    })
  }
}
