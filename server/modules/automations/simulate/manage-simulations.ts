import type pg from 'pg'
import { limitReached, notFound, wrongStatus } from '../../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { enqueue } from '../../../platform/jobs/enqueue.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { recordAudit } from '../../audit/record-audit.ts'
import type { Caller } from '../../auth/caller.ts'
import { canonicalJson } from '../definition/canonical-json.ts'
import { draftToPublish } from '../definition/draft-to-publish.ts'
import { readAutomation } from '../definition/read-automations.ts'
import {
  type SimulateBody,
  type Simulation,
  type SimulationReport,
  type SimulationSummary,
  WINDOW_DAYS,
} from './schemas.ts'
import {
  endSimulation,
  failForsaken,
  insertSimulation,
  runningForAdding,
  type SimulationKey,
  type SimulationRow,
  simulationByIdStatement,
  simulationsStatement,
} from './simulation-queries.ts'

/** Simulations of a workspace that are under way at once. */
const RUNNING_MAX = 2

export const SIMULATE_AUTOMATION = jobKind<{ workspaceId: string; simulationId: string }>({
  kind: 'simulate_automation',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  // Mail and runs of people go first.
  priority: -1,
})

type Deps = { sql: pg.Pool }

/**
 * Has the draft replayed over a window of past events, by a job; `byJob: false` leaves the work to the caller. Throws 404, 409 while too many run, 422 for a draft that holds no longer.
 */
export async function createSimulation(
  { sql }: Deps,
  caller: Caller,
  { id, body, byJob = true }: { id: string; body: SimulateBody; byJob?: boolean },
): Promise<Simulation> {
  const { workspaceId } = caller
  const window = windowOf(body, Date.now())
  const row = await inTransaction(sql, workspaceId, async (tx) => {
    const { name, after, before, publishedVersion } = await draftToPublish(tx, { workspaceId, id })
    await failForsaken(tx, workspaceId)
    if ((await runningForAdding(tx, workspaceId)) >= RUNNING_MAX) {
      throw limitReached(`A workspace has ${RUNNING_MAX} replays run at once: wait for one, or cancel it.`)
    }
    const inserted = await insertSimulation(tx, workspaceId, {
      ...window,
      ...{ automationId: id, draft: canonicalJson(after) },
      ...{ live: before === undefined ? null : canonicalJson(before), liveVersion: before ? publishedVersion : null },
    })
    // It was deleted since it was read.
    if (inserted === undefined) throw notFound()
    if (byJob) await enqueue(tx, SIMULATE_AUTOMATION, { workspaceId, simulationId: inserted.id })
    await recordAudit(tx, caller, {
      action: 'automation.simulate',
      target: { type: 'automation', id, name },
      diff: { replay: { from: null, to: inserted.id } },
    })
    return inserted
  })
  return simulationOf(row)
}

function windowOf({ days = WINDOW_DAYS, until, samplePercent = 100 }: SimulateBody, nowMs: number) {
  const untilMs = until === undefined ? nowMs : Math.min(nowMs, Date.parse(until))
  return {
    from: new Date(untilMs - days * DAY_MS).toISOString(),
    until: new Date(untilMs).toISOString(),
    share: Math.round(samplePercent * 100),
  }
}

/** Throws 404. */
export async function readSimulation({ sql }: Deps, key: SimulationKey): Promise<Simulation> {
  if (isBeyondIds(key.id)) throw notFound()
  const [row] = await queryInScope(sql, key.workspaceId, simulationByIdStatement(key))
  if (!row) throw notFound()
  return simulationOf(row)
}

/** Those that are kept, the newest first. Throws 404 for the automation. */
export async function listSimulations({ sql }: Deps, key: Omit<SimulationKey, 'id'>): Promise<SimulationSummary[]> {
  await readAutomation(sql, { workspaceId: key.workspaceId, id: key.automationId })
  return (await queryInScope(sql, key.workspaceId, simulationsStatement(key))).map(summaryOf)
}

/** Ends one that is under way; it leaves no report. Throws 404, 409. */
export async function cancelSimulation({ sql }: Deps, caller: Caller, key: SimulationKey): Promise<Simulation> {
  await readSimulation({ sql }, key)
  const { id, name } = await readAutomation(sql, { workspaceId: key.workspaceId, id: key.automationId })
  return inTransaction(sql, key.workspaceId, async (tx) => {
    if (!(await endSimulation(tx, key, { state: 'canceled' }))) throw wrongStatus('It is over.')
    await recordAudit(tx, caller, {
      action: 'automation_simulation.cancel',
      target: { type: 'automation', id, name },
      diff: { replay: { from: key.id, to: null } },
    })
    return simulationOf((await tx.query(simulationByIdStatement(key))).rows[0]!)
  })
}

/** Ends one that is under way because whatever ran it came to nothing. */
export async function failSimulation(
  { sql }: Deps,
  { workspaceId, id }: Omit<SimulationKey, 'automationId'>,
  failure: string,
): Promise<void> {
  await inTransaction(sql, workspaceId, (tx) => endSimulation(tx, { workspaceId, id }, { state: 'failed', failure }))
}

function summaryOf({ share, peopleTotal, peopleDone, events, ...row }: SimulationRow): SimulationSummary {
  const { id, automationId, state, from, until, liveVersion, failure, createdAt, endedAt } = row
  return {
    ...{ id, automationId, state, from, until, liveVersion, failure, createdAt, endedAt },
    ...{ samplePercent: share / 100, people: { total: Number(peopleTotal), done: Number(peopleDone) } },
    events: Number(events),
  }
}

/** Reports that are older than `peopleCut`, `notReplayed`, what is held back and `notices` say nothing of them. */
function simulationOf(row: SimulationRow): Simulation {
  if (row.report === null) return { ...summaryOf(row), report: null }
  const report = { peopleCut: 0, notReplayed: [], ...JSON.parse(row.report) }
  const { draft, live } = report
  return { ...summaryOf(row), report: { ...report, draft: withNews(draft), live: live && withNews(live) } }
}

const withNews = (outcome: SimulationReport['draft']): SimulationReport['draft'] => ({
  ...outcome,
  nodes: outcome.nodes.map((node) => ({ ...node, notices: node.notices ?? 0 })),
  mails: { ...outcome.mails, held: outcome.mails.held ?? [], waiting: outcome.mails.waiting ?? 0 },
})
