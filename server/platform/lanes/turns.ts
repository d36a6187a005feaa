import type { Transaction } from '../db/transaction.ts'
import type { BackBecause, LaneKey, Lanes, Turn } from './lane-tables.ts'
import { callTurns } from './wake-lanes.ts'

/**
 * Begins the turn of a job; undefined when the lane has another job by now or is gone. Claims that an earlier turn
 * never answered for go back. Whether the lane is open only claims and the end ask: they see who opened it while this
 * waited for the lane.
 */
export async function beginTurn<L extends LaneKey, T, B>(
  tx: Transaction,
  lanes: Lanes<L, T, B>,
  job: L & { jobId: string },
): Promise<Turn<L, T> | undefined> {
  const { rows } = await tx.query<Turn<L, T> & { wasRunning: boolean }>({
    ...lanes.statements.begin,
    values: [...keyOf(lanes, job), job.jobId],
  })
  const turn = rows[0]
  if (!turn) return undefined
  // A turn that has ended took its claims with it, but for those that stay: the search for others is for the dead.
  if (turn.wasRunning || lanes.queue.stays !== undefined) await giveBack(tx, lanes, { turn, because: 'lost' })
  return turn
}

/**
 * `more`: work became due meanwhile. `over`: the job is done. `taken_over`: another run of the same job has begun a turn
 * since, perhaps one that had been taken for dead; the job must stay, in case that one dies as well.
 */
export type TurnEnd = 'more' | 'over' | 'taken_over'

export type Ending<L, T> = {
  turn: Turn<L, T>
  /** Whether it may have claims that it did not begin with. */
  hasClaims: boolean
  /** Goes to the back of the queue although work is left. */
  yieldNow: boolean
  /** Nothing can be done for now, whatever is due. */
  pause?: { afterMs: number } | undefined
  /** In the transaction that finds nothing queued any more. */
  drained?: ((tx: Transaction) => Promise<void>) | undefined
}

/** How soon a lane looks after claims that its turn left behind; the next turn takes them for lost. */
const STRANDED_MS = 5_000

/** Ends a turn that found nothing due, unless something became due meanwhile. The lane then waits, or is idle. */
export async function endTurn<L extends LaneKey, T, B>(
  tx: Transaction,
  lanes: Lanes<L, T, B>,
  ending: Ending<L, T>,
): Promise<TurnEnd> {
  const { turn, yieldNow, pause } = ending
  const key = keyOf(lanes, turn)
  const locked = await tx.query<L & T & { jobId: string | null; isHeld: boolean }>({
    ...lanes.statements.lock,
    values: [...key, turn.turn],
  })
  const lane = locked.rows[0]
  if (!lane?.isHeld) return lane?.jobId === turn.jobId ? 'taken_over' : 'over'
  if (ending.hasClaims) await giveBack(tx, lanes, { turn, because: 'unsent' })
  // A statement of its own, so that it sees what was committed while this one waited for the lock.
  const due = await tx.query<NextDue>({ ...lanes.statements.nextDue, values: key })
  const next = due.rows[0]!
  const isDue = next.dueNow === true && pause === undefined
  if (isDue && !yieldNow) return 'more'
  if (next.isEmpty) await ending.drained?.(tx)
  const { rows } = await tx.query<{ jobId: string | null; wakeAt: string | null }>({
    ...lanes.statements.end,
    values: [...key, turn.turn, ...wakeOf(next, pause)],
  })
  const { jobId, wakeAt } = rows[0]!
  // With work left it goes behind the lanes that wait already: the time it was due would put it in front of them.
  if (jobId !== null && wakeAt !== null) {
    await callTurns(tx, lanes, [{ ...lane, jobId, ...(isDue ? {} : { runAt: wakeAt }) }])
  }
  return 'over'
}

type NextDue = { dueAt: string | null; dueNow: boolean | null; isOpen: boolean; isEmpty: boolean; hasOwn: boolean }

/** When the lane looks again: due time and pause, of which the later counts; nulls for never. */
function wakeOf(next: NextDue, pause: { afterMs: number } | undefined): [string | null, number | null] {
  if (next.hasOwn) return [null, STRANDED_MS]
  if (!next.isOpen || next.dueAt === null) return [null, null]
  return [next.dueAt, pause?.afterMs ?? null]
}

async function giveBack<L extends LaneKey, T, B>(
  tx: Transaction,
  lanes: Lanes<L, T, B>,
  { turn, because }: { turn: Turn<L, T>; because: BackBecause },
): Promise<void> {
  const statement = because === 'lost' ? lanes.statements.giveBackOlder : lanes.statements.giveBackOwn
  const { rows } = await tx.query<B & { stays: boolean }>({ ...statement, values: [...keyOf(lanes, turn), turn.turn] })
  if (rows.length > 0) await lanes.onBack(tx, turn, rows, because)
}

function keyOf<L extends LaneKey, T, B>({ fields }: Lanes<L, T, B>, lane: L): unknown[] {
  return fields.map((field) => lane[field])
}
