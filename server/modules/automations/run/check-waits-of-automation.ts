import type pg from 'pg'
import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import { boundedStep, STEP_MS_MAX, StepSize } from '../../../platform/db/bounded-step.ts'
import { databaseOutcome } from '../../../platform/db/errors.ts'
import { inTransaction, queryInScope, type Transaction } from '../../../platform/db/transaction.ts'
import { jobKind } from '../../../platform/jobs/job-kind.ts'
import { asks, type Definition, isAsked } from '../definition/definition.ts'
import { ASKED_WAY } from '../definition/listens.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import { type RunLane, wakeRuns } from '../run-lanes.ts'
import { datesMovedUp } from './dates-moved-up.ts'
import { RuleBroken, type Subject, subjectsFor } from './judge-rules.ts'
import { TIMER_POSITION } from './run-state.ts'
import { storedVariables } from './variables.ts'

/** How much of the time asking may take, and how soon it begins again at the earliest. */
const CHECK_SHARE = 0.05
const PAUSE_SECONDS = 15
/** Runs that a transaction looks at. */
const CHUNK = 2_000
/** Runs that take too long by themselves before asking ends: each costs a whole step. */
const PASSED_OVER_MAX = 20

export type WaitsKey = { workspaceId: string; automationId: string }

export const CHECK_WAITS_OF_AUTOMATION = jobKind<WaitsKey>({
  kind: 'check_waits_of_automation',
  queue: 'default',
  groupKey: ({ workspaceId }) => workspaceId,
  singletonKey: ({ workspaceId, automationId }) => `${workspaceId}/${automationId}`,
})

/**
 * The job `check_waits_of_automation`: asks all who wait for what no event tells whether it holds, or their date is an earlier one by
 * now, and puts a signal into the queue for each for whom that is so. It moves nobody: their turns ask once more. An automation in which nobody can wait so any more is
 * forgotten. Faults that keep some from being asked are noted, and the others are asked. `stopped` before the end: the next run begins anew.
 */
export async function checkWaitsOfAutomation(
  pool: pg.Pool,
  key: WaitsKey,
  stop: AbortSignal,
  steps: Partial<Steps> = {},
): Promise<'done' | 'stopped'> {
  const startedMs = performance.now()
  const asked = await askEverybody(pool, key, { stop, chunk: CHUNK, msMax: STEP_MS_MAX, ...steps })
  if (asked === 'stopped') return 'stopped'
  const seconds = (performance.now() - startedMs) / 1_000
  await inTransaction(pool, key.workspaceId, async (tx) => {
    if (asked.isNeeded || (await mayComeToWait(tx, key, asked.upTo))) {
      await note(tx, key, { error: asked.fault, pauseSeconds: Math.max(PAUSE_SECONDS, seconds / CHECK_SHARE) })
    } else await forget(tx, key)
  })
  return 'done'
}

type Steps = { chunk: number; msMax: number }
/** `fault`: the first that kept somebody from being asked. `upTo`: the last run that was looked at. */
type Asked = { isNeeded: boolean; fault: string | null; upTo: string }

async function askEverybody(
  pool: pg.Pool,
  key: WaitsKey,
  { stop, chunk, msMax }: Steps & { stop: AbortSignal },
): Promise<Asked | 'stopped'> {
  const size = new StepSize(chunk)
  const asked: Asked = { isNeeded: false, fault: null, upTo: '0' }
  let passedOver = 0
  for (let last: string | null = '0'; last !== null; ) {
    if (stop.aborted) return 'stopped'
    const after: string = last
    const step = { size, msMax, work: (tx: Transaction, limit: number) => checkSome(tx, key, { after, limit }) }
    const page = await boundedStep(pool, key.workspaceId, step).catch((error) => {
      if (databaseOutcome(error) !== 'timed_out') throw error
      passedOver += 1
      return pageOfOne(pool, key, { after, isLast: passedOver === PASSED_OVER_MAX })
    })
    asked.isNeeded ||= page.asks
    asked.fault ??= page.fault
    asked.upTo = page.upTo
    last = page.last
  }
  return asked
}

/** The page of the one run that takes too long by itself: it is not asked. */
async function pageOfOne(
  pool: pg.Pool,
  { workspaceId, automationId }: WaitsKey,
  { after, isLast }: { after: string; isLast: boolean },
): Promise<Page> {
  const [run] = await queryInScope<{ id: string }>(pool, workspaceId, {
    name: 'run_that_is_not_asked',
    text: 'select id from runs where workspace_id = $1 and automation_id = $2 and id > $3 order by id limit 1',
    values: [workspaceId, automationId, after],
  })
  const fault = 'a single one of them takes too long'
  return { last: isLast ? null : (run?.id ?? null), upTo: run?.id ?? after, asks: true, fault }
}

type Waiting = Subject & { version: number; node: string; state: string; visit: number }
/** `last`: the run to go on behind; null when there are no more. `upTo`: the last one. `asks`: whether anybody is in a version that asks. */
type Page = { last: string | null; upTo: string; asks: boolean; fault: string | null }

async function checkSome(
  tx: Transaction,
  key: WaitsKey,
  { after, limit }: { after: string; limit: number },
): Promise<Page> {
  const { workspaceId, automationId } = key
  const { rows } = await tx.query<Omit<Waiting, 'variables'> & { kept: string | null; isPaused: boolean; now: string }>(
    {
      name: 'runs_to_ask',
      text: `select r.id, r.id as "runId", r.contact_id as "contactId", r.event_id as "eventId", r.event_at as "eventAt", r.version,
        r.variables::text as kept, r.node, r.state, r.visit, a.paused_at is not null as "isPaused", postroom_clock() as now
      from automations a join runs r on r.workspace_id = a.workspace_id and r.automation_id = a.id and r.id > $3
      where a.workspace_id = $1 and a.id = $2 and a.stopped_at is null
      order by r.id limit $4`,
      values: [workspaceId, automationId, after, limit],
    },
  )
  if (rows[0]?.isPaused) return { last: null, upTo: after, asks: true, fault: null }
  const versions = [...new Set(rows.map(({ version }) => version))]
  const definitions = await loadDefinitions(tx, key, versions)
  const holding: Waiting[] = []
  let fault: string | null = null
  const waiting = rows
    .filter(({ state }) => state === 'waiting')
    .map((row) => ({ ...row, variables: storedVariables(row.kept) }))
  for (const of of Map.groupBy(waiting, ({ version, node }) => `${version}/${node}`).values()) {
    const node = definitions.get(of[0]!.version)!.nodes[of[0]!.node]
    if (!asks(node)) continue
    try {
      let left = of
      for (const way of node.for.filter(isAsked)) {
        const ids = await subjectsFor(tx, workspaceId, { text: way.if, subjects: left, now: of[0]!.now })
        holding.push(...left.filter(({ id }) => ids.has(id)))
        left = left.filter(({ id }) => !ids.has(id))
      }
      const definition = definitions.get(of[0]!.version)!
      holding.push(...(await datesMovedUp(tx, workspaceId, { node, definition, waiting: left })))
    } catch (error) {
      // The rest of those who wait there are not asked for the ways behind it: their turns would fail by the same rule, and park them.
      if (!(error instanceof RuleBroken)) throw error
      fault ??= error.message
    }
  }
  await putSignals(tx, key, holding)
  return {
    last: rows.length < limit ? null : rows.at(-1)!.id,
    upTo: rows.at(-1)?.id ?? after,
    asks: versions.some((version) => hasAsking(definitions.get(version)!)),
    fault,
  }
}

const hasAsking = ({ nodes }: Definition) => Object.values(nodes).some(asks)

/** Signals as of now, behind all events of the moment. One that waits for its turn already stays. */
async function putSignals(tx: Transaction, key: WaitsKey, holding: readonly Waiting[]): Promise<void> {
  if (holding.length === 0) return
  const { workspaceId, automationId } = key
  const { rows } = await tx.query<RunLane>({
    name: 'put_asked_signals',
    text: `with put as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, visit, due_at, version, way)
        select $1, $2, r.contact_id % ${RUN_SLOTS}, r.contact_id, r.id, 'wait', ${TIMER_POSITION}, g.visit, postroom_clock(),
          r.version, ${ASKED_WAY}
        from unnest($3::int8[], $4::text[]::int4[]) as g(id, visit)
        join runs r on r.workspace_id = $1 and r.id = g.id
        order by r.contact_id, r.id on conflict do nothing returning workspace_id, automation_id, slot
      )
      select distinct workspace_id as "workspaceId", automation_id as "automationId", slot from put`,
    values: [
      ...[workspaceId, automationId],
      int8Array(holding.map(({ id }) => id)),
      textArray(holding.map(({ visit }) => String(visit))),
    ],
  })
  await wakeRuns(tx, rows)
}

/**
 * Whether people who come in now may wait for what no event tells, or some have come in behind the run that was looked at last: they may
 * be in a version that was in force until just now. No version is published meanwhile.
 */
async function mayComeToWait(tx: Transaction, key: WaitsKey, upTo: string): Promise<boolean> {
  const values = [key.workspaceId, key.automationId]
  const { rows } = await tx.query<{ version: number | null }>({
    name: 'version_that_may_ask',
    text: `select published_version as version from automations
      where workspace_id = $1 and id = $2 and stopped_at is null for share`,
    values,
  })
  const version = rows[0]?.version
  if (!version) return false
  if (hasAsking((await loadDefinitions(tx, key, [version])).get(version)!)) return true
  const { rows: later } = await tx.query({
    name: 'run_that_came_meanwhile',
    text: 'select from runs where workspace_id = $1 and automation_id = $2 and id > $3 limit 1',
    values: [...values, upTo],
  })
  return later.length > 0
}

async function note(
  tx: Transaction,
  { workspaceId, automationId }: WaitsKey,
  { error, pauseSeconds }: { error: string | null; pauseSeconds: number },
): Promise<void> {
  await tx.query({
    name: 'note_check_of_waits',
    text: `update automation_waits set error = $3, next_check_at = now() + make_interval(secs => $4),
        due_at = case when $3::text is null then now() + make_interval(secs => $4) else due_at end
      where workspace_id = $1 and automation_id = $2`,
    values: [workspaceId, automationId, error, pauseSeconds],
  })
}

async function forget(tx: Transaction, { workspaceId, automationId }: WaitsKey): Promise<void> {
  await tx.query({
    name: 'forget_automation_waits',
    text: 'delete from automation_waits where workspace_id = $1 and automation_id = $2',
    values: [workspaceId, automationId],
  })
}
