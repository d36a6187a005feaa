import type pg from 'pg'
import { boundedStep, StepSize } from '../../../platform/db/bounded-step.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/durations.ts'
import { loadFacts } from '../../segments/segment-facts.ts'
import { restraintsOf } from '../../sending/restraint/restraints.ts'
import { rulesOf } from '../definition/check-references.ts'
import { storedDefinition } from '../definition/read-definition.ts'
import { microsOf } from '../micros.ts'
import { askedBy } from './asked-of-people.ts'
import { type PeopleAsked, type ReadPage, readPeople } from './read-people.ts'
import { type NamesOfOthers, notReplayedOf, othersTold, type Reported, reportOf } from './report-of.ts'
import type { SimulationPlan } from './simulation-plan.ts'
import { endSimulation, noteProgress, type SimulationKey, simulationToRun } from './simulation-queries.ts'
import { addTallied, emptyTallied, type Tallied } from './tally.ts'
import type { PeoplePage } from './walk-people.ts'

/** People of one page: some tenths of a second to read, and as long to walk. */
const PAGE_PEOPLE = 500
/** Nothing waits for a page, which writes nothing; only what it takes in memory is to stay small. */
const PAGE_MS_MAX = 10_000
/** Limits of one simulation; what was seen by then is its report. */
const WALL_MS_MAX = 15 * MINUTE_MS
const EVENTS_MAX = 20_000_000
const PROGRESS_EVERY_MS = 1_000

export type SimulationDeps = {
  pool: pg.Pool
  walk: (plan: SimulationPlan, page: PeoplePage) => Promise<Tallied>
  /** Whether to end here, and begin anew another time. */
  shouldYield?: () => boolean
}

type Key = Omit<SimulationKey, 'automationId'>

/**
 * The job `simulate_automation`: reads people page by page, each in a read-only transaction of its own, has them walked, and
 * writes the report. Nothing else is written. `more`: it has to begin anew.
 */
export async function runSimulation(deps: SimulationDeps, key: Key): Promise<'done' | 'more'> {
  const prepared = await inTransaction(deps.pool, key.workspaceId, (tx) => prepareSimulation(tx, key))
  if (prepared === undefined) return 'done'
  const { plan, asked, peopleTotal, notReplayed } = prepared
  const tallied = emptyTallied(plan.live !== null)
  const beganMs = performance.now()
  const isOver = () => performance.now() - beganMs > WALL_MS_MAX || tallied.events > EVENTS_MAX
  const pages = pagesOf(deps.pool, asked)
  const seen = { page: pages('0'), done: 0, cut: 0, notedMs: 0, isPartial: false }
  for (let page = await seen.page; page.last !== null; page = await seen.page) {
    if (deps.shouldYield?.()) return 'more'
    seen.isPartial = isOver()
    if (seen.isPartial) break
    // The next page is read while this one is walked.
    seen.page = pages(page.last)
    seen.page.catch(() => undefined)
    addTallied(tallied, await deps.walk(plan, page))
    seen.done += page.people
    seen.cut += page.cut
    if (performance.now() - seen.notedMs < PROGRESS_EVERY_MS) continue
    seen.notedMs = performance.now()
    const progress = { peopleTotal: Math.max(peopleTotal, seen.done), peopleDone: seen.done, events: tallied.events }
    if (!(await inTransaction(deps.pool, key.workspaceId, (tx) => noteProgress(tx, key, progress)))) return 'done'
  }
  const { isPartial, cut: peopleCut } = seen
  await finish(deps.pool, key, { tallied, isPartial, peopleCut, notReplayed, peopleTotal })
  return 'done'
}

type Finished = Omit<Reported, 'names'> & { tallied: Tallied; peopleTotal: number }

async function finish(pool: pg.Pool, key: Key, { tallied, peopleTotal, ...reported }: Finished): Promise<void> {
  const { people, events } = tallied
  await inTransaction(pool, key.workspaceId, async (tx) => {
    const names = await namesOfOthers(tx, key.workspaceId, othersTold(tallied))
    const total = reported.isPartial ? Math.max(peopleTotal, people) : people
    await noteProgress(tx, key, { peopleTotal: total, peopleDone: people, events })
    const report = JSON.stringify(reportOf(tallied, { ...reported, names }))
    await endSimulation(tx, key, { state: 'done', report })
  })
}

/** The people to read, and the plan they are walked by; undefined when the simulation has ended. */
export async function prepareSimulation(tx: Transaction, key: Key) {
  const row = await simulationToRun(tx, key)
  if (row === undefined) return undefined
  const { draft, live, automationId, share } = row
  const definitions = [draft, live].flatMap((text) => (text === null ? [] : [storedDefinition(text)]))
  const texts = definitions.flatMap((definition) => rulesOf(definition).map(({ text }) => text))
  const notReplayed = notReplayedOf(storedDefinition(draft))
  const facts = await loadFacts(tx, key.workspaceId, texts)
  const { quietHours = null, frequencyCap = null } = (await restraintsOf(tx, key.workspaceId)) ?? {}
  const restraints = { quietHours, frequencyCap }
  const [from, until] = [Number(microsOf(row.from)), Number(microsOf(row.until))]
  const asked: PeopleAsked = {
    ...{ workspaceId: key.workspaceId, automationId, from, until, share },
    othersFrom: from - (restraints.frequencyCap?.days ?? 0) * DAY_MS * 1_000,
    asked: askedBy(definitions, facts),
  }
  const { fields, tagIds, segments } = facts
  const plan: SimulationPlan = {
    ...{ automationId, from, until, draft, live, facts: { fields, tagIds, segments } },
    restraints,
    doubleOptIn: await asksForConsent(tx, key.workspaceId),
    clickShares: await clickShares(tx, { workspaceId: key.workspaceId, automationId, nodes: asked.asked.clicked }),
  }
  return { plan, asked, notReplayed, peopleTotal: await peopleIn(tx, { workspaceId: key.workspaceId, share }) }
}

/** Large pages become smaller where people have done much, and grow again. */
function pagesOf(pool: pg.Pool, asked: PeopleAsked): (after: string) => Promise<ReadPage> {
  const size = new StepSize(PAGE_PEOPLE)
  return (after) =>
    boundedStep(pool, asked.workspaceId, {
      ...{ size, msMax: PAGE_MS_MAX },
      work: (tx, limit) => readPeople(tx, asked, { after, limit }),
    })
}

async function asksForConsent(tx: Transaction, workspaceId: string): Promise<boolean> {
  const { rows } = await tx.query<{ asks: boolean }>({
    name: 'consent_of_simulation',
    text: 'select double_opt_in as asks from sending_settings where workspace_id = $1',
    values: [workspaceId],
  })
  return rows[0]?.asks ?? false
}

async function peopleIn(tx: Transaction, { workspaceId, share }: { workspaceId: string; share: number }) {
  const { rows } = await tx.query<{ total: string }>({
    name: 'people_to_simulate',
    text: `select coalesce(sum(total), 0)::bigint as total from row_counts where workspace_id = $1 and relation = 'contacts'`,
    values: [workspaceId],
  })
  return Math.round((Number(rows[0]!.total) * share) / 10_000)
}

/** Mails of a node that the shares of clicks are reckoned from, the last ones. */
const CLICKS_SAMPLE = 5_000

type Clicked = { workspaceId: string; automationId: string; nodes: readonly string[] }

/** How many of 10,000 have clicked in the mail of each node, as far as it was ever sent. */
async function clickShares(tx: Transaction, { workspaceId, automationId, nodes }: Clicked) {
  const shares: Record<string, number> = {}
  if (nodes.length === 0) return shares
  const { rows } = await tx.query<{ node: string; mails: number; clicked: number }>({
    name: 'click_shares_of_nodes',
    text: `select r.node, count(*)::int as mails, count(m.clicked_at)::int as clicked from (
        select node, message_id, created_at from run_messages
        where workspace_id = $1 and automation_id = $2 and node = any ($3::text[])
        order by created_at desc limit ${CLICKS_SAMPLE}) r
      join messages m on m.workspace_id = $1 and m.id = r.message_id and m.created_at = r.created_at and m.state = 'accepted'
      group by 1`,
    values: [workspaceId, automationId, nodes],
  })
  for (const { node, mails, clicked } of rows) shares[node] = Math.round((clicked / mails) * 10_000)
  return shares
}

async function namesOfOthers(tx: Transaction, workspaceId: string, keys: readonly string[]): Promise<NamesOfOthers> {
  if (keys.length === 0) return new Map()
  const { rows } = await tx.query<{ key: string; name: string }>({
    name: 'names_of_others',
    text: `select 'broadcast:' || id as key, name from broadcasts where workspace_id = $1 and 'broadcast:' || id = any ($2::text[])
      union all select 'automation:' || id, name from automations where workspace_id = $1 and 'automation:' || id = any ($2::text[])`,
    values: [workspaceId, keys],
  })
  return new Map(rows.map(({ key, name }) => [key, name]))
}
