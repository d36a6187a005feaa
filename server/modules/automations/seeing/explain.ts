import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { inTransaction, queryInScope } from '../../../platform/db/transaction.ts'
import { invalid } from '../../../platform/problem.ts'
import { isBeyondIds } from '../../../platform/schema/schemas.ts'
import { type Definition, END, wayPast } from '../definition/definition.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { mailStories } from './mails-of-runs.ts'
import { type SeeingKey, withTraces } from './read-runs.ts'
import { refusalValues } from './refusal-values.ts'
import { knownAutomationStatement, runsStatement } from './run-queries.ts'
import type { Explanation, RunTrace } from './schemas.ts'
import { troublesOf } from './troubles.ts'

const RUNS_TOLD_MAX = 10
type Entry = Explanation['entries'][number]
type StoredEntry = Omit<Entry, 'refusedEvent' | 'values'>

/** Why a contact is in an automation or not, what it has done there, and what comes next. Throws 400, 404. */
export async function explainContact(
  sql: pg.Pool,
  key: SeeingKey,
  contactId: string | undefined,
): Promise<Explanation> {
  const { workspaceId, id, seesValues } = key
  const [known] = await queryInScope(sql, workspaceId, knownAutomationStatement(key))
  if (!known || (contactId !== undefined && isBeyondIds(contactId))) throw notFound()
  if (contactId === undefined) throw invalid([{ pointer: '/contactId', detail: 'is required' }])
  const [contact] = await queryInScope<{ waits: boolean; version: number | null }>(sql, workspaceId, {
    name: 'contact_to_explain',
    text: `select exists (select from run_queue q where q.workspace_id = $1 and q.automation_id = $2 and q.contact_id = $3
        and q.kind = 'entry') as waits,
        (select published_version from automations where workspace_id = $1 and id = $2) as version
      from contacts where workspace_id = $1 and id = $3`,
    values: [workspaceId, id, contactId],
  })
  if (!contact) throw notFound()
  const stored = await queryInScope<StoredEntry>(sql, workspaceId, {
    name: 'entries_to_explain',
    text: `select entry_key as "entryKey", entries, entered_at as "enteredAt", refusals, refused_at as "refusedAt", refusal,
        refused_event_id as "refusedEventId"
      from enrollments where workspace_id = $1 and automation_id = $2 and contact_id = $3
      order by greatest(entered_at, refused_at) desc, entry_key limit ${RUNS_TOLD_MAX}`,
    values: [workspaceId, id, contactId],
  })
  const page = { beforeId: null, limit: RUNS_TOLD_MAX }
  const rows = await queryInScope(sql, workspaceId, runsStatement(key, { contactId }, page))
  const runs = await withTraces(sql, key, rows)
  const told = await mailStories(sql, key, runs)
  const isInside = runs.some(({ endedAt }) => endedAt === null)
  const { entries, troubles, definitions } = await inTransaction(sql, workspaceId, async (tx) => {
    const versions = [...runs.map(({ version }) => version), ...(contact.version === null ? [] : [contact.version])]
    const definitions = await loadDefinitions(tx, { workspaceId, automationId: id }, versions)
    const asked = { workspaceId, contactId, definition: seesValues ? definitions.get(contact.version ?? 0) : undefined }
    const entries = await refusalValues(tx, asked, stored)
    return { entries, troubles: await troublesOf(tx, key), definitions }
  })
  const story = [
    ...(contact.waits ? ['An event that brings it in waits for its turn.'] : []),
    ...runs.flatMap((run) => [
      ...storyOf(run, definitions.get(run.version)),
      ...(told.get(run) ?? []).map(({ node, line }) => `The mail of “${node}” ${line}.`),
    ]),
    ...entries.flatMap(refusalOf),
  ]
  if (story.length === 0) story.push(neverTriggered(known.status))
  story.push(...troubles)
  const mails = [...told.values()].flat().map(({ messageId, line }) => ({ messageId, told: `It ${line}.` }))
  return { contactId, isInside, waits: contact.waits, story, entries, mails, troubles, runs }
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

function refusalOf({ refusal, refusedAt, refusals, refusedEvent, values }: Entry): string[] {
  if (refusal === null || refusedAt === null) return []
  const times = refusals === 1 ? '' : `, as ${refusals} times in all`
  const seen = Object.keys(values).length === 0 ? '' : `, seeing ${JSON.stringify(values)}`
  const event = refusedEvent === null ? 'an event' : `the event ${refusedEvent}`
  return [`Did not come in by ${event} of ${refusedAt}${times}: ${REFUSALS[refusal] ?? refusal}${seen}.`]
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

function storyOf(run: RunTrace, definition: Definition | undefined): string[] {
  const came = run.steps[0]
  const by = came === undefined ? '' : byEvent(came)
  const steps = run.steps.slice(1).map(({ node, way, leftAt, next, seen, ...step }, n) => {
    if (way === 'moved') {
      const version = run.steps[n + 2]?.version ?? run.version
      return `${step.doneAt}: was moved from “${node}” to ${namedTarget(next ?? END)} of version ${version}, by publishing.`
    }
    const told = seen === null ? '' : `, seeing ${JSON.stringify(seen)}`
    return `${leftAt}: left “${node}” by “${way}”${next === null ? '' : ` for “${next}”`}${byEvent(step)}${told}.`
  })
  return [
    `Came in on ${run.enteredAt}${by}, in version ${came?.version ?? run.version}.`,
    ...steps,
    endOf(run, definition),
  ]
}

function byEvent({ event, eventId }: Pick<RunTrace['steps'][number], 'event' | 'eventId'>): string {
  return eventId === null ? '' : ` by the event ${event === null ? eventId : `${event} (${eventId})`}`
}

function endOf(run: RunTrace, definition: Definition | undefined): string {
  const { state, reason, node, endedAt, dueAt, error } = run
  if (endedAt !== null) {
    const how = state === 'exited' ? `left at “${node}”: ${EXITS[reason ?? ''] ?? reason}` : (ENDS[state] ?? state)
    return `${endedAt}: ${how}.`
  }
  if (state === 'parked')
    return `Stands at “${node}”, where it failed: ${error}. Somebody has to retry, skip or exit it.`
  if (dueAt === null) return `Stands at “${node}”.`
  const at = definition?.nodes[node ?? '']
  const then = at === undefined ? '' : `; then comes ${namedTarget(wayPast(at).to)}`
  return `Stands at “${node}”, until ${dueAt} at the latest${then}.`
}

const namedTarget = (target: string) => (target === END ? 'the end' : `“${target}”`)
