import { crashPoint } from '../../../platform/crash-point.ts'
import { inTransaction } from '../../../platform/db/transaction.ts'
import type { SendingIntegration } from '../../integrations/sending-integration.ts'
import { activeBackoffs } from '../../pacing/backoffs.ts'
import type { PreparedMessages, SourceKind } from '../message-source.ts'
import type { HoldReason } from '../message-states.ts'
import type { Transport } from '../transports/transport.ts'
import { type Claim, claimMessages } from './claim-messages.ts'
import { type Backoffs, type HandOverDeps, handOver } from './hand-over.ts'
import type { PrepareDeps, Sending } from './prepare-turn.ts'
import type { SendResult } from './record-results.ts'
import type { ResultRecorder } from './result-recorder.ts'
import { settleRefused } from './settle-refused.ts'
import type { Turn } from './turns.ts'

/** Messages claimed by one statement. */
const CLAIM_MAX = 200
/** At a limited rate, what is claimed ahead: what is claimed waits here, and nobody else can send it meanwhile. */
const CLAIM_AHEAD_SECONDS = 2
/** Messages that are rendered and signed while others are on the wire. */
const BUILT_AHEAD = 4
/** Results of a turn that wait to be recorded: with those under way, what a kill leaves uncertain. */
const UNRECORDED_MAX = 100
/** Failures to reach the server, one after the other, after which the lane rests. */
const UNREACHABLE_MAX = 3
/** How soon a raised 24-hour limit is seen. */
const LIMIT_LOOK_MS = 60_000
/** How often a turn whose messages are under way looks for what came due meanwhile, if nobody tells it. */
const LOOK_AGAIN_MS = 500

export type TurnRunDeps = HandOverDeps & {
  transports: { of(integration: SendingIntegration): Transport }
  recorder: ResultRecorder
}

type Ready = { claim: Claim; prepared: PreparedMessages }

/** The messages of one turn. Everything that changes its state rings; the loop then looks what there is to do. */
export class TurnRun {
  /** Why nothing more can go for now, once that is so. */
  hold: { reason: HoldReason; afterMs?: number } | undefined
  /** Whether the server has answered for a message of this turn, as one does that can be reached and lets us in. */
  wasAnswered = false
  readonly #deps: PrepareDeps & TurnRunDeps
  readonly #turn: Turn
  readonly #sending: Sending
  readonly #transport: Transport
  #ready: Ready[] = []
  #backoffs: Backoffs = new Map()
  #underWay = 0
  #unrecorded = 0
  #claiming = false
  #mayHaveMore = true
  #unreachable = 0
  #failure: unknown
  #ring: (() => void) | undefined

  constructor(deps: PrepareDeps & TurnRunDeps, turn: Turn, sending: Sending) {
    this.#deps = deps
    this.#turn = turn
    this.#sending = sending
    this.#transport = deps.transports.of(sending.integration)
  }

  lookAgain(): void {
    this.#mayHaveMore = true
    this.#ring?.()
  }

  /** Returns when nothing is due, or `enough()`, or on a hold, and every message that was begun is recorded. */
  async sendWhatIsDue(enough: () => boolean, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted || enough() || this.#isStopped() || this.#failure !== undefined) this.#ready = []
      // Results of messages under way are worth keeping: only then does the turn fail.
      if (this.#failure !== undefined && !this.#isBusy()) throw this.#failure
      while (this.#ready.length > 0 && this.#maySend()) this.#send(this.#ready.shift()!, signal)
      const wantsMore = this.#mayHaveMore && !this.hold && this.#failure === undefined && !enough()
      if (wantsMore && !this.#claiming && this.#ready.length < this.#places()) this.#claim()
      if (!this.#isBusy() && this.#ready.length === 0 && !wantsMore && this.#failure === undefined) return
      await this.#change()
    }
  }

  /** What was claimed up to the 24-hour limit goes; every other hold is of all messages. */
  #isStopped(): boolean {
    return this.hold !== undefined && this.hold.reason !== 'daily_limit'
  }

  #places(): number {
    return this.#transport.concurrency + BUILT_AHEAD
  }

  #isBusy(): boolean {
    return this.#underWay > 0 || this.#unrecorded > 0 || this.#claiming
  }

  #maySend(): boolean {
    return this.#underWay < this.#places() && this.#underWay + this.#unrecorded < UNRECORDED_MAX
  }

  #claim(): void {
    this.#claiming = true
    // Cleared before the claim looks: what becomes due while it is under way must not be forgotten when it returns.
    this.#mayHaveMore = false
    this.#claimAndPrepare()
      .then((ready) => {
        crashPoint('messages_claimed')
        this.#ready.push(...ready)
      })
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => {
        this.#claiming = false
        this.#ring?.()
      })
  }

  async #claimAndPrepare(): Promise<Ready[]> {
    const { integration, sender } = this.#sending
    const { workspaceId } = this.#turn
    const ahead = integration.perSecond === null ? CLAIM_MAX : Math.ceil(integration.perSecond * CLAIM_AHEAD_SECONDS)
    const wanted = Math.min(CLAIM_MAX, this.#places() * 3, ahead)
    const { pool, sources } = this.#deps
    const claiming = { turn: this.#turn, integrationId: integration.id, perDay: integration.perDay, wanted }
    const claimed = await inTransaction(pool, workspaceId, (tx) => claimMessages(tx, claiming))
    if (claimed === 'no_integration') {
      this.hold = { reason: claimed }
      return []
    }
    const { claims, refused, retryAt } = claimed
    if (refused.length > 0) await inTransaction(pool, workspaceId, (tx) => settleRefused(tx, this.#turn, refused))
    if (claims.length + refused.length === wanted) this.#mayHaveMore = true
    if (retryAt !== null) {
      const leftMs = Date.parse(retryAt) - Date.now()
      this.hold = { reason: 'daily_limit', afterMs: Math.min(Math.max(1_000, leftMs), LIMIT_LOOK_MS) }
    }
    if (claims.length === 0) return []
    // Not in the claim's transaction: who claims or queues beside this need not wait for templates.
    return inTransaction(pool, workspaceId, async (tx) => {
      this.#backoffs = await activeBackoffs(tx, workspaceId, integration.id)
      const prepared = new Map<SourceKind, PreparedMessages>()
      for (const [kind, messages] of Map.groupBy(claims, (claim) => claim.sourceKind)) {
        const source = sources.get(kind)
        if (!source) throw new Error(`nobody composes messages of the kind ${kind}`)
        prepared.set(kind, await source.prepare(tx, { workspaceId, messages, sender }))
      }
      return claims.map((claim) => ({ claim, prepared: prepared.get(claim.sourceKind)! }))
    })
  }

  /** A place on the wire is free with the server's answer: it does not wait for the answer to be recorded. */
  #send({ claim, prepared }: Ready, signal: AbortSignal): void {
    this.#underWay++
    const at = { claim, prepared, integration: this.#sending.integration, transport: this.#transport }
    handOver(this.#deps, { ...at, backoffs: this.#backoffs, signal })
      .finally(() => this.#underWay--)
      .then(({ result, hold }) => {
        this.#heed(hold)
        this.wasAnswered ||= hold === null && result.reply !== null
        this.#record(result)
      })
      .catch((error: unknown) => {
        this.#failure = error
      })
      .finally(() => this.#ring?.())
  }

  /** One refused login is enough; a server that cannot be reached may be so for one connection. */
  #heed(hold: HoldReason | null): void {
    if (hold === null) this.#unreachable = 0
    else if (hold !== 'server_unreachable' || ++this.#unreachable >= UNREACHABLE_MAX) {
      if (!this.#isStopped()) this.hold = { reason: hold }
    }
  }

  #record(result: SendResult): void {
    this.#unrecorded++
    this.#deps.recorder.record(result).finally(() => {
      this.#unrecorded--
      this.#ring?.()
    })
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
