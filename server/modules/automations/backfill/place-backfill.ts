import type pg from 'pg'
import { crashPoint } from '../../../platform/crash-point.ts'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import { MINUTE_MS } from '../../../platform/durations.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import type { Outcome } from '../../../platform/jobs/outcome.ts'
import { wakeRuns } from '../run-lanes.ts'
import { type BackfillKey, backfillForChange, putPast, takeBackPast } from './backfill-queries.ts'

/** Events of a chunk, and so at most of a transaction: as many as a turn does in one. */
const EVENTS_A_CHUNK = 2_000
/** Passing over an event costs so much less than putting one into the queue. */
const LOOKED_AT_FOR_ONE = 10

export const PLACE_BACKFILL = jobKind<BackfillKey>({
  kind: 'place_backfill',
  queue: 'default',
  singletonKey: ({ workspaceId, automationId }) => `${workspaceId}/${automationId}`,
  groupKey: ({ workspaceId }) => workspaceId,
})

/**
 * The job `place_backfill`: puts past triggers into the queue of an automation, a chunk a transaction, at the pace that was asked for. Of
 * one that was revoked it takes those out again that wait.
 */
export async function placeBackfill(pool: pg.Pool, key: BackfillKey, stop: AbortSignal): Promise<Outcome> {
  const size = new StepSize(EVENTS_A_CHUNK)
  while (!stop.aborted) {
    const work = (tx: Transaction, limit: number) => placeSome(tx, key, limit)
    const { isOver, waitMs } = await boundedStep(pool, key.workspaceId, { size, work })
    crashPoint('past_placed')
    if (isOver) return { outcome: 'ok' }
    if (waitMs > 0) return { outcome: 'snooze', afterMs: waitMs }
  }
  return { outcome: 'more' }
}

type Placed = { isOver: boolean; waitMs: number }

async function placeSome(tx: Transaction, key: BackfillKey, limit: number): Promise<Placed> {
  const backfill = await backfillForChange(tx, key)
  if (backfill?.state === 'revoked') return { isOver: (await takeBackPast(tx, key, limit)) === 0, waitMs: 0 }
  if (backfill?.state !== 'running') return { isOver: true, waitMs: 0 }
  const { names, from, until, asOf, lastId, perMinute } = backfill
  const many = Math.min(limit, perMinute ?? limit)
  const placing = { names, from, until, asOf, lastId, limit: many, lookedAt: limit * LOOKED_AT_FOR_ONE }
  const { slots, placed, lastId: last, isOver } = await putPast(tx, key, placing)
  await tx.query({
    name: 'note_backfill',
    text: `update automation_backfills set placed = placed + $3, last_id = coalesce($4::bigint, last_id),
        state = case when $5 then 'done' else state end, ended_at = case when $5 then now() end
      where workspace_id = $1 and automation_id = $2`,
    values: [key.workspaceId, key.automationId, placed, last, isOver],
  })
  await wakeRuns(
    tx,
    slots.map((slot) => ({ ...key, slot })),
  )
  return { isOver, waitMs: perMinute === null ? 0 : (placed / perMinute) * MINUTE_MS }
}
