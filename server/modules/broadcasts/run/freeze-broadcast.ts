import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { withQueryTimeout } from '../../../platform/db/query-timeout.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { Problem } from '../../../platform/problem.ts'
import type { BroadcastKey } from '../queries.ts'
import { freezeAudience } from './audience.ts'
import { failBroadcast } from './end-broadcast.ts'
import { markFrozen, markSlow, markStretch, orderChunks, stretchEnd } from './freeze-queries.ts'
import type { Progress } from './progress-queries.ts'

/** How long a stretch may take. It writes nothing before all of it is found, so readers of the log pass it until then. */
const STRETCH_MS = 15_000
/** The server ends the statement; if even that is not answered, the database is away. */
const ANSWER_MS = 5_000
const STRETCH_MAX = 100_000
const STRETCH_MIN = 1_000
/** A stretch that did not end in its time is tried again with so many times fewer contacts. */
const SHRINK = 10
/** A stretch that took less than this part of its time is followed by one twice as large. */
const QUICK = 0.25
/** How often, and how soon, the smallest stretch is tried again: the database may have been busy. */
const TRIES_MAX = 5
const RETRY_MS = 10_000

/**
 * Judges one that was approved in the transaction that freezes it: before each stretch, and after the last one with how many people it has.
 * Throws a problem where it is not what was approved.
 */
export type JudgeFrozen = {
  before(tx: Transaction, key: BroadcastKey): Promise<void>
  after(tx: Transaction, key: BroadcastKey, recipientsCount: number): Promise<void>
}

export type FreezeDeps = { pool: pg.Pool; stretchMs?: number; judgeFrozen?: JudgeFrozen | undefined }

/** Another run was faster: what this one has done is undone. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

/**
 * Freezes the audience: by one statement, as it is at that moment; or, when that takes too long, stretch by stretch, each
 * as it is when it is read. A stretch is written together with how far it goes, so whoever goes on after a kill does so
 * there, and each contact is judged once. Fails the broadcast when its segments are not what they were, or even the
 * smallest stretch takes too long time and again. Answers after how many milliseconds to go on.
 */
export async function freezeBroadcast(deps: FreezeDeps, key: BroadcastKey, progress: Progress): Promise<number> {
  const limitMs = deps.stretchMs ?? STRETCH_MS
  const startedMs = performance.now()
  try {
    await inTransaction(deps.pool, key.workspaceId, async (plain) => {
      const tx = withQueryTimeout(plain, limitMs + ANSWER_MS)
      await tx.query(`set local statement_timeout = ${limitMs}`)
      const isQuick = () => performance.now() - startedMs < limitMs * QUICK
      await freezeNext(tx, { key, progress, isQuick, judge: deps.judgeFrozen })
    })
  } catch (error) {
    if (error instanceof Overtaken) return 0
    if (error instanceof Problem) {
      // A segment that is gone, that holds no longer, or that was approved otherwise: nobody is mailed by a rule that nobody meant.
      await failBroadcast(deps, key, { failure: error.detail ?? error.title })
      return 0
    }
    if (databaseOutcome(error) !== 'timed_out') throw error
    return heedTime(deps, { key, progress, limitMs })
  }
  crashPoint('broadcast_frozen')
  return 0
}

type Freezing = { key: BroadcastKey; progress: Progress; isQuick: () => boolean; judge: JudgeFrozen | undefined }

async function freezeNext(tx: Transaction, { key, progress, isQuick, judge }: Freezing): Promise<void> {
  await judge?.before(tx, key)
  const { freezeAfterId: after, freezeToId, freezeSize } = progress
  const isWhole = freezeToId === null || freezeSize === null
  const to = isWhole ? null : await stretchEnd(tx, key, { after, to: freezeToId, size: freezeSize })
  const size = await freezeAudience(tx, key, { ...progress, stretch: to === null ? null : { after, to } })
  const isLast = to === freezeToId
  if (isLast && !isWhole && progress.localTime !== null) await orderChunks(tx, key)
  const nextSize = isWhole || !isQuick() ? freezeSize : Math.min(STRETCH_MAX, freezeSize * 2)
  if (!isLast) {
    if (!(await markStretch(tx, key, { after, to: to!, size, nextSize: nextSize! }))) throw new Overtaken()
    return
  }
  const recipientsCount = await markFrozen(tx, key, { after })
  if (recipientsCount === undefined) throw new Overtaken()
  await judge?.after(tx, key, recipientsCount)
}

type Slow = { key: BroadcastKey; progress: Progress; limitMs: number }

/** Has a stretch that took too long be followed by a smaller one; gives up where there is none. */
async function heedTime(deps: FreezeDeps, { key, progress, limitMs }: Slow): Promise<number> {
  const { freezeAfterId: after, freezeSize, freezeFailures } = progress
  const isSmallest = freezeSize === STRETCH_MIN
  if (isSmallest && freezeFailures + 1 >= TRIES_MAX) {
    await failBroadcast(deps, key, { failure: tooSlow(limitMs) })
    return 0
  }
  const size = freezeSize === null ? STRETCH_MAX : Math.max(STRETCH_MIN, Math.floor(freezeSize / SHRINK))
  const failures = isSmallest ? freezeFailures + 1 : 0
  await inTransaction(deps.pool, key.workspaceId, (tx) => markSlow(tx, key, { after, size, failures }))
  return isSmallest ? RETRY_MS : 0
}

function tooSlow(limitMs: number): string {
  return (
    `Its audience cannot be gathered: to tell who of ${STRETCH_MIN} contacts is in its segments takes longer than ` +
    `${limitMs / 1_000} s. Narrow their rules, above all those about events, then unschedule it and send it again.`
  )
}
