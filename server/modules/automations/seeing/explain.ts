import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { invalid } from '../../../platform/problem.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { mailStories } from './mails-of-runs.ts'
import { withTraces } from './read-runs.ts'
import { knownAutomationStatement, runsStatement } from './run-queries.ts'
import type { Explanation, RunTrace } from './schemas.ts'
import { troublesOf } from './troubles.ts'

const RUNS_TOLD_MAX = 10
type Entry = Explanation['entries'][number]

/** Why a contact is in an automation or not, what it has done there, and what comes next. Throws 400, 404. */
export async function explainContact(
  sql: pg.Pool,
  key: { workspaceId: string; id: string },
  contactId: string | undefined,
): Promise<Explanation> {
  const { workspaceId, id } = key
  const [known] = await queryInScope(sql, workspaceId, knownAutomationStatement(key))
  if (!known || (contactId !== undefined && isBeyondIds(contactId))) throw notFound()
  if (contactId === undefined) throw invalid([{ pointer: '/contactId', detail: 'is required' }])
  const [contact] = await queryInScope<{ waits: boolean; reads: boolean }>(sql, workspaceId, {
    name: 'contact_to_explain',
    text: `select exists (select from run_queue q where q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = $3
        and q.kind = 'entry') as waits
      from contacts where workspace_id = $1 and id = $3`,
    values: [workspaceId, id, contactId],
  })
  if (!contact) throw notFound()
  const entries = await queryInScope<Entry>(sql, workspaceId, {
    name: 'entries_to_explain',
    text: `select entry_key as "entryKey", entries, entered_at as "enteredAt", refusals, refused_at as "refusedAt", refusal
      from enrollments where workspace_id = $1 and automation_id = $2 and contact_id = $3
      order by greatest(entered_at, refused_at) desc, entry_key limit ${RUNS_TOLD_MAX}`,
    values: [workspaceId, id, contactId],
  })
  const page = { beforeId: null, limit: RUNS_TOLD_MAX }
  const rows = await queryInScope(sql, workspaceId, runsStatement(key, { contactId }, page))
  const runs = await withTraces(sql, workspaceId, rows)
  const mails = await mailStories(sql, key, runs)
  const isInside = runs.some(({ endedAt }) => endedAt === null)
  const story = [
    ...(contact.waits ? ['An event that brings it in waits for its turn.'] : []),
    ...runs.flatMap((run) => [...storyOf(run), ...(mails.get(run) ?? [])]),
    ...entries.flatMap(refusalOf),
  ]
  const troubles = await inTransaction(sql, workspaceId, (tx) => troublesOf(tx, key))
  if (story.length === 0) story.push(neverTriggered(known.status))
  story.push(...troubles)
  return { contactId, isInside, story, entries, runs }
}

const REFUSALS: Readonly<Record<string, string>> = {
  filter: 'the event did not pass the filter of the trigger',
  rule: 'the contact did not fulfil the rule of the entry',
  mode: 'the contact had come in before, and the automation does not take it again',
  closed: 'the entry was closed',
  limit: 'the contact was in it too often at once',
  loop: 'too many automations had led to each other',
  key: 'the value that tells its entries apart is too long',
  failed: 'what was asked of it failed time and again',
}

function refusalOf({ refusal, refusedAt, refusals }: Entry): string[] {
  if (refusal === null || refusedAt === null) return []
  const times = refusals === 1 ? '' : `, as ${refusals} times in all`
  return [`Did not come in by an event of ${refusedAt}${times}: ${REFUSALS[refusal] ?? refusal}.`]
}

function neverTriggered(status: string): string {
  const closed = status === 'active' ? '' : ` The automation is ${status}.`
  return `No event that brings anybody in has named this contact since the automation was in force.${closed}`
}

const ENDS: Readonly<Record<string, string>> = {
  completed: 'came to the end',
  held_out: 'was held out, and got nothing',
  failed: 'has failed',
  erased: 'ended with the erasure',
}
const EXITS: Readonly<Record<string, string>> = {
  criterion: 'something happened that ends it',
  goal: 'it reached the goal',
  restart: 'the same event brought it in anew',
  unsubscribed: 'the person wants no more of it',
  stopped: 'the automation was stopped',
  left: 'another automation had it leave',
  by_hand: 'somebody had it leave',
  merged: 'the contact it was merged with was further',
  loop: 'it had made too many steps',
  moved: 'a new version was published, and those who stood there left',
}

function storyOf(run: RunTrace): string[] {
  const came = run.steps[0]
  const by = came?.eventId ? ` by the event ${came.eventId}` : ''
  const steps = run.steps.slice(1).map(({ node, way, leftAt, next, seen }) => {
    const told = seen === null ? '' : `, seeing ${JSON.stringify(seen)}`
    return `${leftAt}: left “${node}” by “${way}”${next === null ? '' : ` for “${next}”`}${told}.`
  })
  return [`Came in on ${run.enteredAt}${by}, in version ${run.version}.`, ...steps, endOf(run)]
}

function endOf({ state, reason, node, endedAt, dueAt, error }: RunTrace): string {
  if (endedAt !== null) {
    const how = state === 'exited' ? `left at “${node}”: ${EXITS[reason ?? ''] ?? reason}` : (ENDS[state] ?? state)
    return `${endedAt}: ${how}.`
  }
  if (state === 'parked')
    return `Stands at “${node}”, where it failed: ${error}. Somebody has to retry, skip or exit it.`
  return dueAt === null ? `Stands at “${node}”.` : `Stands at “${node}”, until ${dueAt} at the latest.`
}
