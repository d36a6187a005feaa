import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import type { Pause, TurnWork } from '../../../platform/lanes/turn-run.ts'
import type { SendingIntegration } from '../../integrations/sending-integration.ts'
import { activeBackoffs } from '../../pacing/backoffs.ts'
import { endHold, noteHold } from '../holds.ts'
import type { SendTurn } from '../lanes.ts'
import type { PreparedMessages, SourceKind } from '../message-source.ts'
import { HOLD_REASONS, type HoldReason, SENDER_HOLDS } from '../message-states.ts'
import { holdBack } from '../restraint/hold-back.ts'
import type { Transport } from '../transports/transport.ts'
import { type Claim, claimMessages } from './claim-messages.ts'
import { type Backoffs, type HandOverDeps, handOver } from './hand-over.ts'
import type { PrepareDeps, Sending } from './prepare-turn.ts'
import type { SendResult } from './record-results.ts'
import type { ResultRecorder } from './result-recorder.ts'
import { settleRefused } from './settle-refused.ts'

/** Messages claimed by one statement. */
const CLAIM_MAX = 200
const CLAIMS_A_PLACE = 3
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

/** How soon a lane of a held stream looks, in the database, whether it may go on or try again. */
export const HOLD_LOOK_MS = 15_000

export type StreamTurnDeps = HandOverDeps & {
  transports: { of(integration: SendingIntegration): Transport }
  recorder: ResultRecorder
}

export type Ready = { claim: Claim; prepared: PreparedMessages }

/** One turn's messages: claimed, prepared, handed over. */
export class StreamTurn implements TurnWork<Ready, SendResult> {
  readonly unrecordedMax = UNRECORDED_MAX
  readonly #deps: PrepareDeps & StreamTurnDeps
  readonly #turn: SendTurn
  readonly #sending: Sending
  readonly #transport: Transport
  #backoffs: Backoffs = new Map()
  #unreachable = 0
  /** Why nothing more can go for now, once that is so. */
  #hold: { reason: HoldReason; afterMs?: number } | undefined
  /** Whether the server has answered for a message of this turn, as one does that can be reached and lets us in. */
  #wasAnswered = false

  constructor(deps: PrepareDeps & StreamTurnDeps, turn: SendTurn, sending: Sending) {
    this.#deps = deps
    this.#turn = turn
    this.#sending = sending
    this.#transport = deps.transports.of(sending.integration)
  }

  /** One message at a time while it is being tried whether a hold is over. */
  places(): number {
    return this.#sending.isRetry && !this.#wasAnswered ? 1 : this.#transport.concurrency + BUILT_AHEAD
  }

  /** Messages claimed up to the 24-hour limit go; every other hold is of all messages. */
  pause(): Pause | undefined {
    if (this.#hold === undefined) return undefined
    const { reason, afterMs = HOLD_LOOK_MS } = this.#hold
    return { afterMs, keepsClaims: reason === 'daily_limit' }
  }

  async claim(places: number): Promise<{ claims: readonly Ready[]; mayHaveMore: boolean }> {
    const { integration } = this.#sending
    const { workspaceId } = this.#turn
    const ahead = integration.perSecond === null ? CLAIM_MAX : Math.ceil(integration.perSecond * CLAIM_AHEAD_SECONDS)
    const wanted = Math.min(CLAIM_MAX, places * CLAIMS_A_PLACE, ahead)
    const { pool } = this.#deps
    const claiming = { turn: this.#turn, integrationId: integration.id, perDay: integration.perDay, wanted }
    const claimed = await inTransaction(pool, workspaceId, (tx) => claimMessages(tx, claiming))
    if (claimed === 'no_integration') {
      this.#hold = { reason: claimed }
      return { claims: [], mayHaveMore: false }
    }
    const { claims, refused, retryAt, restraints } = claimed
    if (refused.length > 0) await inTransaction(pool, workspaceId, (tx) => settleRefused(tx, this.#turn, refused))
    if (retryAt !== null) {
      const leftMs = Date.parse(retryAt) - Date.now()
      this.#hold = { reason: 'daily_limit', afterMs: Math.min(Math.max(1_000, leftMs), LIMIT_LOOK_MS) }
    }
    const mayHaveMore = claims.length + refused.length === wanted
    const free = restraints === undefined ? claims : await holdBack(pool, this.#turn, { claims, restraints })
    return { claims: free.length === 0 ? [] : await this.#prepare(free), mayHaveMore }
  }

  /** Not in the claim's transaction: who claims or queues beside this need not wait for templates. */
  async #prepare(claims: readonly Claim[]): Promise<Ready[]> {
    const { pool, sources } = this.#deps
    const { integration, sender } = this.#sending
    const { workspaceId } = this.#turn
    const prepared = new Map<SourceKind, PreparedMessages>()
    await inTransaction(pool, workspaceId, async (tx) => {
      this.#backoffs = await activeBackoffs(tx, workspaceId, integration.id)
      for (const [kind, messages] of Map.groupBy(claims, (claim) => claim.sourceKind)) {
        const source = sources.get(kind)
        if (!source) throw new Error(`nobody composes messages of the kind ${kind}`)
        prepared.set(kind, await source.prepare(tx, { workspaceId, messages, sender }))
      }
    })
    await Promise.all([...prepared.values()].map((one) => one.finish?.()))
    return claims.map((claim) => ({ claim, prepared: prepared.get(claim.sourceKind)! }))
  }

  async work({ claim, prepared }: Ready, signal: AbortSignal): Promise<SendResult> {
    const at = { claim, prepared, integration: this.#sending.integration, transport: this.#transport }
    const { result, hold } = await handOver(this.#deps, { ...at, backoffs: this.#backoffs, signal })
    this.#heed(hold)
    this.#wasAnswered ||= hold === null && result.reply !== null
    return result
  }

  /** One refused login is enough; a server that cannot be reached may be so for one connection, unless it was so before. */
  #heed(hold: HoldReason | null): void {
    const unreachableMax = this.#sending.isRetry && !this.#wasAnswered ? 1 : UNREACHABLE_MAX
    if (hold === null) this.#unreachable = 0
    else if (hold !== 'server_unreachable' || ++this.#unreachable >= unreachableMax) {
      if (this.#hold === undefined || this.#hold.reason === 'daily_limit') this.#hold = { reason: hold }
    }
  }

  record(result: SendResult): Promise<boolean> {
    return this.#deps.recorder.record(result)
  }

  /** A turn that found nothing due has seen nothing of what another lane is held by. */
  async beforeEnd(tx: Transaction): Promise<void> {
    const { isRetry, integration } = this.#sending
    const tried = { settings: integration.updatedAt, isRetry }
    if (this.#hold) await noteHold(tx, this.#turn, { reason: this.#hold.reason, tried })
    else await endHold(tx, this.#turn, this.#wasAnswered ? HOLD_REASONS : SENDER_HOLDS)
  }

  drained(tx: Transaction): Promise<void> {
    return drainStream(this.#deps, tx, this.#turn)
  }
}

/** Tells the stream's source that nothing of it is queued any more. */
export async function drainStream(deps: PrepareDeps, tx: Transaction, turn: SendTurn): Promise<void> {
  const { workspaceId, sourceKind, sourceId } = turn
  await endHold(tx, turn, HOLD_REASONS)
  if (sourceId !== null) await deps.sources.get(sourceKind)?.drained?.(tx, workspaceId, sourceId)
}
