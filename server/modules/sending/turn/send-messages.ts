import { assertNever } from '../../../platform/assert-never.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { JobHandler } from '../../../platform/jobs/outcome.ts'
import { turnHandler } from '../../../platform/lanes/run-turn.ts'
import type { TurnWork } from '../../../platform/lanes/turn-run.ts'
import { noteHold } from '../holds.ts'
import { SEND_CAMPAIGNS, SEND_LANES, SEND_SINGLES, type SendTurn } from '../lanes.ts'
import { type PrepareDeps, prepareTurn } from './prepare-turn.ts'
import type { SendResult } from './record-results.ts'
import { drainStream, HOLD_LOOK_MS, type Ready, StreamTurn, type StreamTurnDeps } from './stream-turn.ts'

/** A turn that still has work after this goes to the back of the queue, so that every stream gets its share. */
const TURN_MS_MAX = 10_000
/** A turn yields after seconds; a server may take ten minutes to answer for a message (RFC 5321 section 4.5.3.2.6). */
const TURN_TIMEOUT_MS = 900_000

export type SendDeps = PrepareDeps & StreamTurnDeps

/** The job `send_messages`, of each queue that has streams: one turn of a lane. */
export function sendMessages(deps: SendDeps): readonly JobHandler[] {
  const turns = sendTurns(deps)
  return [SEND_CAMPAIGNS, SEND_SINGLES].map((kind) =>
    turnHandler(turns, kind, { timeoutMs: TURN_TIMEOUT_MS, reach: 'mailbox' }),
  )
}

export function sendTurns(deps: SendDeps) {
  const open = (turn: SendTurn) => openTurn(deps, turn)
  return { pool: deps.pool, lanes: SEND_LANES, turnMsMax: TURN_MS_MAX, open }
}

/** Settles what the turn's messages go through; without that it only says why its stream waits. */
async function openTurn(deps: SendDeps, turn: SendTurn): Promise<TurnWork<Ready, SendResult>> {
  const prepared = await prepareTurn(deps, turn)
  switch (prepared.outcome) {
    case 'goes':
      return new StreamTurn(deps, turn, prepared)
    case 'held':
      return idle(deps, turn, HOLD_LOOK_MS, (tx) => noteHold(tx, turn, { reason: prepared.reason }))
    case 'waits':
      return idle(deps, turn, Math.min(HOLD_LOOK_MS, prepared.leftMs))
    default:
      return assertNever(prepared)
  }
}

/** The work of a turn that can do nothing for so long. */
function idle(
  deps: SendDeps,
  turn: SendTurn,
  afterMs: number,
  beforeEnd?: (tx: Transaction) => Promise<void>,
): TurnWork<Ready, SendResult> {
  return {
    places: () => 0,
    unrecordedMax: 0,
    claim: async () => ({ claims: [], mayHaveMore: false }),
    work: () => Promise.reject(new Error('nothing is claimed')),
    record: async () => true,
    pause: () => ({ afterMs }),
    ...(beforeEnd === undefined ? {} : { beforeEnd }),
    drained: (tx) => drainStream(deps, tx, turn),
  }
}
