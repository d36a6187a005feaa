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
import {
  dropSweep,
  finishSweep,
  hasUnsettled,
  insertSweep,
  joinSweep,
  MAIL_STAGES,
  type Members,
  membersOf,
  moveSweep,
  Overtaken,
  STAGES,
  type Stage,
  type Sweep,
  setFence,
  sweepOf,
  takeTurnOfSweep,
} from './sweep-queries.ts'
import { behindStep, STEPS } from './sweep-steps.ts'

/**
 * The job `erase_contact`: sweeps a workspace for the persons that were erased and moves the histories of contacts that
 * were merged, all of them in one pass. Nothing that was in flight may bring a person back, so it keeps this order:
 *
 * 1. A request joins SETTLED_MS later, when requests received before it have been answered.
 * 2. Every transaction that is writing to the log ends: one may have looked up the contact before it was gone.
 * 3. Mail: what is queued is taken back, what a worker has in hand is waited for, and the ledger loses the address. All that is
 *    told of a message takes the address from its row in the ledger, held: it is in the log now, or names nobody.
 * 4. The end of the log is the fence. An event recorded behind it under an erased alias is about somebody new.
 * 5. Every consumer group passes the fence: no effect of what lies before it is still to come.
 * 6. Log, attached events, other events, traces elsewhere, in the order of STAGES.
 *
 * All of it in steps of bounded time; each commits with how far it came, so that a sweep that is killed goes on where it was.
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
  singletonKey: ({ workspaceId }) => workspaceId,
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
    await takeTurnOfSweep(tx, workspaceId)
    if (isEmpty(await membersOf(tx, workspaceId))) await dropSweep(tx, workspaceId)
    // Those of a sweep under way stay among themselves: its fence is older than what came later.
    if (!(await sweepOf(tx, workspaceId))) await joinSweep(tx, workspaceId, settledMs)
    return membersOf(tx, workspaceId)
  })
  if (isEmpty(members))
    return (await inWorkspace((tx) => hasUnsettled(tx, workspaceId))) ? later(settledMs) : { end: 'done' }
  let sweep = await inWorkspace((tx) => sweepOf(tx, workspaceId))
  if (!sweep) {
    if (!(await writersHaveEnded(pool))) return later(PASS_MS)
    sweep = await inWorkspace(async (tx) => {
      await takeTurnOfSweep(tx, workspaceId)
      // Another run may have ended it meanwhile, and one have begun that is of others.
      if (!areSame(await membersOf(tx, workspaceId), members)) return undefined
      await insertSweep(tx, workspaceId)
      return sweepOf(tx, workspaceId)
    })
    if (!sweep) return later(0)
  }
  const ended = await walkAll(pool, { workspaceId, members, sweep, stopping })
  if (ended !== 'ended') return later(ended === 'waits' ? PASS_MS : 0)
  return (await inWorkspace((tx) => hasUnsettled(tx, workspaceId))) ? later(settledMs) : { end: 'done' }
}

const later = (afterMs: number): SweepEnd => ({ end: 'later', afterMs })

function isEmpty({ erased, merges }: Members): boolean {
  return erased.length + merges.length === 0
}

function areSame(some: Members, others: Members): boolean {
  const idsOf = ({ erased, merges }: Members) =>
    [...erased.map(({ id }) => `e${id}`), ...merges.map(({ mergedId }) => `m${mergedId}`)].join()
  return idsOf(some) === idsOf(others)
}

type Walk = { workspaceId: string; members: Members; sweep: Sweep; stopping: AbortSignal }
/** `stopped`: told to, or another run is ahead. `waits`: for others. */
type Walked = 'ended' | 'stopped' | 'waits'

/** Takes the sweep through the stages of mail, behind which its fence is, and when all have passed that, through the others. */
async function walkAll(pool: pg.Pool, walk: Walk): Promise<Walked> {
  const { workspaceId } = walk
  let { sweep } = walk
  try {
    if (isOfMail(sweep.stage)) {
      const walked = await walkStages(pool, walk, MAIL_STAGES)
      if (walked.end !== 'ended') return walked.end
      const fence = await endOfLog(pool)
      sweep = await inTransaction(pool, workspaceId, (tx) =>
        setFence(tx, workspaceId, { from: walked.sweep!, members: walk.members, fence }),
      )
    }
    if (!(await haveAllPassed(pool, sweep.fence))) return 'waits'
    return (await walkStages(pool, { ...walk, sweep }, STAGES.slice(MAIL_STAGES.length))).end
  } catch (error) {
    if (error instanceof Overtaken) return 'stopped'
    throw error
  }
}

const isOfMail = (stage: Stage) => MAIL_STAGES.some((one) => one === stage)

/** Takes the sweep step by step to the end of some stages, where it stays; behind the last of all it is finished. */
async function walkStages(
  pool: pg.Pool,
  { workspaceId, members, sweep, stopping }: Walk,
  stages: readonly Stage[],
): Promise<{ end: Walked; sweep: Sweep | undefined }> {
  let at: Sweep | undefined = sweep
  for (const [n, stage] of stages.entries()) {
    const { rowsMax, step } = STEPS[stage]
    const size = new StepSize(rowsMax)
    for (let isThrough = false; at?.stage === stage && !isThrough; ) {
      if (stopping.aborted) return { end: 'stopped', sweep: at }
      const from: Sweep = at
      const work = async (tx: Transaction, rows: number) => {
        await planByIndex(tx)
        const came = await step(tx, { workspaceId, members, sweep: from, rows })
        const to = behindStep(from, came, stages[n + 1])
        if (to) await moveSweep(tx, workspaceId, { from, members, to })
        else if (stage === STAGES.at(-1)) await finishSweep(tx, workspaceId, { from, members })
        return { to, came }
      }
      const { to, came } = await boundedStep(pool, workspaceId, { size, work })
      crashPoint('erase_contact_step')
      if (came?.waits) return { end: 'waits', sweep: to }
      isThrough = to === undefined
      if (!isThrough || stage === STAGES.at(-1)) at = to
    }
  }
  return { end: 'ended', sweep: at }
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
