import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { type Clock, systemClock } from '../../platform/clock.ts'
import { databaseOutcome } from '../../platform/db/errors.ts'
import { createRecorder } from '../../platform/db/recorder.ts'
import { ALL_WORKSPACES, inTransaction } from '../../platform/db/transaction.ts'
import { enqueueAll } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { type AgedHit, claimNumber, type Hit, type HitBatch, insertHits } from './hit-queries.ts'
import { COMPANY_MS } from './judge-hit.ts'

/** `full`: too many wait for the database. `refused`: it does not take them. `ended`: it was away when the process ended. */
export type LostHits = { hits: number; reason: 'full' | 'refused' | 'ended' }

export type HitRecorder = {
  /**
   * Resolves when the hit is durable, and in any case after `ANSWER_WITHIN_MS`: who follows a link is led on even when
   * the database is away. The hit is then written as soon as it can be. Never rejects.
   */
  record(hit: Hit): Promise<void>
  /** Writes what is waiting, for at most two seconds. */
  stop(): Promise<void>
}

export type HitRecorderDeps = {
  sql: pg.Pool
  onLost: (lost: LostHits) => void
  onError: (error: unknown) => void
  clock?: Clock
}

/** The longest that a visitor waits for the commit, in ms. One takes some milliseconds; 300 is what people do not notice as waiting. */
export const ANSWER_WITHIN_MS = 300
const HITS_PER_WRITE_MAX = 1_000
/** Hits that wait for the database; what comes beyond them is not counted. */
const HITS_WAITING_MAX = 20_000
export const STOP_WITHIN_MS = 2_000
/** Judged when everything that can be part of the evidence has come. */
const JUDGE_AFTER_MS = COMPANY_MS + 1_000
const AGENT_CHARS_MAX = 300

type Waiting = Hit & { sinceMs: number }

/** Hits share commits: one is under way at a time and process, and takes all that came during the one before it. */
export function createHitRecorder(deps: HitRecorderDeps): HitRecorder {
  const { sql, onLost, onError, clock = systemClock } = deps
  const writer = randomUUID()
  const waiting = new Set<Promise<boolean>>()
  let ended = false
  /** Since when the commit under way has been tried. */
  let tryingSinceMs: number | undefined
  const recorder = createRecorder<Waiting>({
    itemsMax: HITS_PER_WRITE_MAX,
    onError,
    wasWritten: (number) => claimNumber(sql, { writer, number }).then((isFree) => !isFree),
    async writeAll(hits, number) {
      tryingSinceMs ??= clock.nowMs()
      try {
        await writeHits(sql, { writer, number }, hits.map(aged))
        tryingSinceMs = undefined
      } catch (error) {
        if (databaseOutcome(error) === undefined) tryingSinceMs = undefined
        throw error
      }
    },
  })

  const aged = ({ sinceMs, ...hit }: Waiting): AgedHit => ({ ...hit, ageMs: Math.round(clock.nowMs() - sinceMs) })

  /** While the database is away nobody waits for it, only those who came before that was known. */
  const isStuck = () => tryingSinceMs !== undefined && clock.nowMs() - tryingSinceMs > ANSWER_WITHIN_MS

  return {
    async record(hit) {
      if (waiting.size >= HITS_WAITING_MAX) return onLost({ hits: 1, reason: 'full' })
      const userAgent = hit.userAgent?.slice(0, AGENT_CHARS_MAX) ?? null
      const written = recorder.record({ ...hit, userAgent, sinceMs: clock.nowMs() })
      waiting.add(written)
      const settled = written.then((isWritten) => {
        waiting.delete(written)
        if (!isWritten && !ended) onLost({ hits: 1, reason: 'refused' })
      })
      if (!isStuck()) await orAfter(clock, ANSWER_WITHIN_MS, settled)
    },
    async stop() {
      await orAfter(clock, STOP_WITHIN_MS, Promise.all(waiting))
      ended = true
      const hits = await recorder.stop(0)
      if (hits > 0) onLost({ hits, reason: 'ended' })
    },
  }
}

/** Resolves with the work, or after so long without it. */
async function orAfter(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(limitMs, resolve)
  await Promise.race([work, late])
  cancel()
}

async function writeHits(sql: pg.Pool, batch: HitBatch, hits: readonly AgedHit[]): Promise<void> {
  await inTransaction(sql, ALL_WORKSPACES, async (tx) => {
    const workspaceIds = await insertHits(tx, batch, hits)
    const jobs = workspaceIds.map((workspaceId) => ({ payload: { workspaceId } }))
    await enqueueAll(tx, JUDGE_HITS, jobs)
  })
}

/** One turn of judging waits for each workspace, however many hits come. */
export const JUDGE_HITS = jobKind<{ workspaceId: string }>({
  kind: 'judge_hits',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId }) => workspaceId,
  delayMs: JUDGE_AFTER_MS,
})
