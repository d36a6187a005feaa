import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { crashPoint } from '../../platform/crash-point.ts'
import { boundedStep, StepSize } from '../../platform/db/bounded-step.ts'
import { planByIndex } from '../../platform/db/plan-by-index.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import { jobKind } from '../../platform/jobs/job-kind.ts'
import { endOfLog, haveAllPassed } from '../../platform/outbox/progress.ts'
import { currentWriters, writersAmong } from '../../platform/outbox/writers.ts'
import { areBeingMailed } from '../sending/ledger/erase-messages.ts'
import {
  finishSweep,
  hasUnsettled,
  insertSweep,
  joinSweep,
  type Members,
  membersOf,
  moveSweep,
  Overtaken,
  STAGES,
  type Sweep,
  sweepOf,
} from './sweep-queries.ts'
import { behindStep, STEPS } from './sweep-steps.ts'

/**
 * The job `erase_contact`: sweeps a workspace for the persons that were erased and moves the histories of contacts that
 * were merged, all of them in one pass. Nothing that was in flight may bring a person back, so it keeps this order:
 *
 * 1. A request joins SETTLED_MS later, when requests received before it have been answered.
 * 2. Every transaction that is writing to the log ends: one may have looked up the contact before it was gone. So does
 *    every message to the contact that a worker has in hand.
 * 3. The end of the log is the fence. An event recorded behind it under an erased alias is about somebody new.
 * 4. Every consumer group passes the fence: no effect of what lies before it is still to come.
 * 5. Log, attached events, messages, other events, traces elsewhere, in the order of STAGES and in steps of bounded time;
 *    each commits with how far it came, so that a sweep that is killed goes on where it was.
 */
export const SETTLED_MS = 2_000
const WRITERS_MS_MAX = 2_000
const LOOK_AT_WRITERS_MS = 10
/** How long until it is worth looking again at groups that have not passed the fence. */
const PASS_MS = 250

/** One sweep of a workspace at once; what is asked for while one runs is the next one's. */
export const ERASE_CONTACT = jobKind<{ workspaceId: string }>({
  kind: 'erase_contact',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId }) => `erase_contact/${workspaceId}`,
  delayMs: SETTLED_MS,
})

/** Puts the job that sweeps a workspace into the queue. */
export function enqueueSweep(tx: Transaction, workspaceId: string): Promise<void> {
  return enqueue(tx, ERASE_CONTACT, { workspaceId })
}

export type SweepDeps = { pool: pg.Pool }
export type SweepEnd = { end: 'done' } | { end: 'later'; afterMs: number }

export async function eraseContact(
  deps: SweepDeps,
  workspaceId: string,
  stopping: AbortSignal,
  settledMs = SETTLED_MS,
): Promise<SweepEnd> {
  const { pool } = deps
  const inWorkspace = <T>(work: (tx: Transaction) => Promise<T>) => inTransaction(pool, workspaceId, work)
  const members = await inWorkspace(async (tx) => {
    // Those of a sweep under way stay among themselves: its fence is older than what came later.
    if (!(await sweepOf(tx, workspaceId))) await joinSweep(tx, workspaceId, settledMs)
    return membersOf(tx, workspaceId)
  })
  if (isEmpty(members))
    return (await inWorkspace((tx) => hasUnsettled(tx, workspaceId))) ? later(settledMs) : { end: 'done' }
  let sweep = await inWorkspace((tx) => sweepOf(tx, workspaceId))
  if (!sweep) {
    if (!(await writersHaveEnded(pool))) return later(PASS_MS)
    const contactIds = members.erased.flatMap((one) => one.contactIds)
    if (await inWorkspace((tx) => areBeingMailed(tx, workspaceId, contactIds))) return later(PASS_MS)
    const fence = await endOfLog(pool)
    sweep = await inWorkspace(async (tx) => {
      await insertSweep(tx, workspaceId, fence)
      return sweepOf(tx, workspaceId)
    })
  }
  if (!(await haveAllPassed(pool, sweep!.fence))) return later(PASS_MS)
  if (!(await walk(pool, { workspaceId, members, sweep: sweep!, stopping }))) return later(0)
  return (await inWorkspace((tx) => hasUnsettled(tx, workspaceId))) ? later(settledMs) : { end: 'done' }
}

const later = (afterMs: number): SweepEnd => ({ end: 'later', afterMs })

function isEmpty({ erased, merges }: Members): boolean {
  return erased.length + merges.length === 0
}

type Walk = { workspaceId: string; members: Members; sweep: Sweep; stopping: AbortSignal }

/** Takes the sweep step by step to its end; false when it was told to stop before, or another run is ahead. */
async function walk(pool: pg.Pool, { workspaceId, members, sweep, stopping }: Walk): Promise<boolean> {
  let at: Sweep | undefined = sweep
  for (const stage of STAGES.slice(STAGES.indexOf(sweep.stage))) {
    const { rowsMax, step } = STEPS[stage]
    const size = new StepSize(rowsMax)
    while (at?.stage === stage) {
      if (stopping.aborted) return false
      const from: Sweep = at
      const work = async (tx: Transaction, rows: number) => {
        await planByIndex(tx)
        const mark = await step(tx, { workspaceId, members, sweep: from, rows })
        const to = behindStep(from, mark, STAGES[STAGES.indexOf(stage) + 1])
        if (to) await moveSweep(tx, workspaceId, { from, to })
        else await finishSweep(tx, workspaceId, from)
        return to
      }
      try {
        at = await boundedStep(pool, workspaceId, { size, work })
      } catch (error) {
        if (error instanceof Overtaken) return false
        throw error
      }
      crashPoint('erase_contact_step')
    }
  }
  return true
}

async function writersHaveEnded(pool: pg.Pool): Promise<boolean> {
  const deadlineMs = performance.now() + WRITERS_MS_MAX
  let writers = await currentWriters(pool)
  while (writers.length > 0 && performance.now() < deadlineMs) {
    await delay(LOOK_AT_WRITERS_MS)
    writers = await writersAmong(pool, writers)
  }
  return writers.length === 0
}
