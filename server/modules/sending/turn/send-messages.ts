import { crashPoint } from '../../../platform/crash-point.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import type { Lane, LaneDeps } from '../lanes.ts'
import { HOLD_REASONS, type HoldReason, SENDER_HOLDS } from '../message-states.ts'
import { endHold, noteHold } from '../streams.ts'
import { type PrepareDeps, prepareTurn } from './prepare-turn.ts'
import type { RunningTurns } from './running-turns.ts'
import { TurnRun, type TurnRunDeps } from './turn-run.ts'
import { beginTurn, type Ending, endTurn, type Turn, type TurnEnd } from './turns.ts'

/** A turn that still has work after this goes to the back of the queue, so that every stream gets its share. */
const TURN_MS_MAX = 10_000
/** How soon it is worth looking again at what a person or another server has to mend. */
const HOLD_MS: Record<HoldReason, number> = {
  no_integration: 15_000,
  integration_disabled: 15_000,
  unverified_domain: 15_000,
  credentials_refused: 60_000,
  server_unreachable: 15_000,
  daily_limit: 60_000,
}

export type SendDeps = PrepareDeps & TurnRunDeps & LaneDeps & { running: RunningTurns }

/**
 * The job `send_messages`: one turn of a lane. Settles what its messages go through, then claims what is due and sends it
 * until nothing is due, the turn has had its time, nothing can go, or `stopping` says that the process ends; what it
 * claimed and did not begin to hand over goes back untouched.
 */
export async function sendMessages(
  deps: SendDeps,
  job: Lane & { jobId: string },
  stopping: AbortSignal,
): Promise<Exclude<TurnEnd, 'more'>> {
  const turn = await inTransaction(deps.pool, job.workspaceId, (tx) => beginTurn(tx, job))
  if (!turn) return 'over'
  crashPoint('send_turn_begun')
  const sending = await prepareTurn(deps, turn)
  const run = typeof sending === 'string' ? undefined : new TurnRun(deps, turn, sending)
  const yieldAt = performance.now() + TURN_MS_MAX
  const isTime = () => stopping.aborted || performance.now() > yieldAt
  const leave = deps.running.enter(() => run?.lookAgain())
  try {
    for (;;) {
      await run?.sendWhatIsDue(isTime, stopping)
      crashPoint('send_turn_before_end')
      const hold =
        run === undefined ? holdOf(sending as HoldReason) : run.hold && holdOf(run.hold.reason, run.hold.afterMs)
      const ending = { turn, yieldNow: isTime(), onDrained: (tx: Transaction) => drained(deps, tx, turn) }
      const end = await inTransaction(deps.pool, turn.workspaceId, async (tx) => {
        // A turn that found nothing due has seen nothing of what another lane is held by.
        if (hold) await noteHold(tx, turn, hold.reason)
        else await endHold(tx, turn, run?.wasAnswered ? HOLD_REASONS : SENDER_HOLDS)
        return endTurn(tx, deps, { ...ending, ...(hold ? { hold } : {}) })
      })
      crashPoint('send_turn_ended')
      if (end !== 'more') return end
      run?.lookAgain()
    }
  } finally {
    leave()
  }
}

function holdOf(reason: HoldReason, afterMs?: number): NonNullable<Ending['hold']> {
  return { reason, afterMs: afterMs ?? HOLD_MS[reason] }
}

async function drained(deps: PrepareDeps, tx: Transaction, turn: Turn): Promise<void> {
  const { workspaceId, sourceKind, sourceId } = turn
  await endHold(tx, turn, HOLD_REASONS)
  if (sourceId !== null) await deps.sources.get(sourceKind)?.drained?.(tx, workspaceId, sourceId)
}
