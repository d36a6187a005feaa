import type pg from 'pg'
import { ALL_WORKSPACES, queryInScope } from '../../server/platform/db/transaction.ts'
import type { EngineWorld } from './engine-worlds.ts'
import type { LoggedEvent } from './interpret-acts.ts'

/** Who a step has had come in, or leave, and when. */
export type Leading = { contactId: string; position: string; at: string; leaves: boolean; depth: number }

/** The place of that among others of its moment, before all events: exact as a number. */
export const placeOfLeading = ({ position }: Leading): number => Number(BigInt(position) + 2n ** 62n) - 2 ** 52

export type RunRow = {
  id: string
  contactId: string | null
  key: string
  state: string
  reason: string | null
  goalAt: string | null
  goalValue: string | null
  node: string
  visit: number
  variables: string | null
  eventId: string | null
  enteredAt: string
}
export type StepRow = {
  run: string
  visit: number
  node: string
  way: string
  next: string | null
  came: string
  left: string
}
/** What the ledger of entries knows of a contact and a key. */
export type LedgerRow = {
  contactId: string
  key: string
  entries: number
  enteredAt: string | null
  refusals: number
  refusedAt: string | null
  refusal: string | null
}
/** What waits for a run at the end. */
export type QueueRow = { run: string; kind: string; looks: boolean; due: string }
type Visit = { contactId: string; node: string; visit: number }

/** All that the database has of one world after a drive. */
export type Found = {
  events: LoggedEvent[]
  runs: RunRow[]
  steps: StepRow[]
  ledger: LedgerRow[]
  queue: QueueRow[]
  tags: { contactId: string; name: string }[]
  fields: { contactId: string; fields: string }[]
  sums: { key: string; total: string }[]
  hours: object[]
  quarters: object[]
  mails: Visit[]
  notices: (Visit & { at: string })[]
  counted: { node: string; people: string }[]
  news: { told: string }[]
  calls: (Visit & { endpoint: string; properties: string })[]
  leadings: Leading[]
}

const OF = 'workspace_id = any ($1::int8[])'
const whose = (of: string) => `${of}.workspace_id as world`

const SUMS = (of: string) =>
  `select workspace_id as world, automation_id, version, node, kind, sum(total) as total from ${of} where ${OF} group by 1, 2, 3, 4, 5`
const QUARTERS_KEPT = `select workspace_id as world, version, quarter, sum(entered) as entered, sum(goals) as goals, sum(value) as value,
    sum(held_out) as held_out
  from entry_quarters where ${OF} group by 1, 2, 3 having (sum(entered), sum(held_out)) <> (0, 0)`
const QUARTERS_COUNTED = `select workspace_id as world, version, date_bin('15 minutes', entered_at, 'epoch'), count(*) filter (where not held),
    count(goal_at) filter (where not held), coalesce(sum(goal_value) filter (where not held), 0), count(*) filter (where held)
  from (
    select workspace_id, version, entered_at, false as held, goal_at, goal_value from runs where ${OF}
    union all select workspace_id, version, entered_at, state = 'held_out', goal_at, goal_value from ended_runs where ${OF}) r
  group by 1, 2, 3`
const unequal = (one: string, other: string) => `(${one} except ${other}) union all (${other} except ${one})`

const STATEMENTS: Record<keyof Found, string> = {
  events: `select workspace_id as world, case type when 'event.recorded' then subject else data ->> 'contactId' end as doer,
      id as position, recorded_at as at, name, data, proof, data ? 'cause' as "isEmitted", type = 'event.recorded' as "isOwnWords" from events
    where ${OF} and (type in ('event.recorded', 'segment.entered', 'segment.left')
      or type in ('contact.tagged', 'contact.untagged', 'automation.entered', 'automation.completed')) order by id`,
  runs: `select workspace_id as world, id, contact_id as "contactId", entry_key as key, state, null as reason, goal_at as "goalAt",
      goal_value as "goalValue", node, visit, coalesce(variables, '{}')::text as variables, event_id as "eventId", entered_at as "enteredAt" from runs where ${OF}
    union all select workspace_id, id, contact_id, entry_key, state, reason, goal_at, goal_value, node, visit, null, event_id, entered_at from ended_runs where ${OF} order by id`,
  steps: `select workspace_id as world, run_id as run, visit, node, way, next_node as next, came_at as came, left_at as left from run_steps
    where ${OF} order by run_id, visit`,
  ledger: `select workspace_id as world, contact_id as "contactId", entry_key as key, entries, entered_at as "enteredAt", refusals,
      refused_at as "refusedAt", refusal from enrollments where ${OF} order by contact_id, entry_key`,
  queue: `select workspace_id as world, run_id as run, kind, looks, due_at as due from run_queue where ${OF}`,
  tags: `select ${whose('c')}, c.contact_id as "contactId", t.name from contact_tags c
    join tags t on t.workspace_id = c.workspace_id and t.id = c.tag_id where c.${OF}`,
  fields: `select workspace_id as world, id as "contactId", jsonb_build_object('day', custom_fields -> 'day', 'level', custom_fields -> 'level') as fields
    from contacts where ${OF}`,
  // As the trigger keeps them.
  sums: `select workspace_id as world, node || ' ' || kind as key, sum(total) as total from node_totals where ${OF} group by 1, 2`,
  hours: unequal(SUMS('node_totals'), SUMS('node_hours')),
  quarters: unequal(QUARTERS_KEPT, QUARTERS_COUNTED),
  // Those taken back after an exit were queued as well.
  mails: `select ${whose('r')}, m.contact_id as "contactId", r.node, r.visit from run_messages r
    join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id and m.created_at = r.created_at
    where r.${OF} and (m.state = 'pending' or m.state = 'skipped' and m.reason = 'run_ended')`,
  notices: `select workspace_id as world, contact_id as "contactId", node, visit, came_at as at from automation_notice_people where ${OF}`,
  counted: `select workspace_id as world, node, sum(people) as people from automation_notices where ${OF} group by 1, 2`,
  // What is told of a contact in flight is told of whom it has become part of.
  news: `select ${whose('o')}, concat_ws(' ', coalesce(m.survivor_id, o.contact_id), o.name, coalesce(o.data ->> 'reason', '')) as told
    from outbox o left join contact_merges m on m.workspace_id = o.workspace_id and m.merged_id = o.contact_id
    where o.${OF} and o.type like 'automation.%' and o.type <> 'automation.called' and o.data ->> 'automationId' is not null`,
  calls: `select ${whose('o')}, coalesce(m.survivor_id, o.contact_id) as "contactId", o.data ->> 'node' as node,
      (o.data ->> 'visit')::int as visit, o.data ->> 'endpointId' as endpoint, (o.data -> 'properties')::text as properties
    from outbox o left join contact_merges m on m.workspace_id = o.workspace_id and m.merged_id = o.contact_id
    where o.${OF} and o.type = 'automation.called'`,
  leadings: `select workspace_id as world, contact_id as "contactId", position, at, leaves, depth from leadings where ${OF} order by position`,
}

/** All that the database has of some worlds, by their workspaces: a statement for all of them each. */
export async function readWorlds(pool: pg.Pool, worlds: readonly EngineWorld[]): Promise<ReadonlyMap<string, Found>> {
  const ids = worlds.map(({ workspaceId }) => workspaceId)
  const names = Object.keys(STATEMENTS) as (keyof Found)[]
  const read = await Promise.all(
    names.map(async (name) => {
      const rows = await queryInScope<{ world: string }>(pool, ALL_WORKSPACES, {
        text: STATEMENTS[name],
        values: [ids],
      })
      return [name, Map.groupBy(rows, ({ world }) => world)] as const
    }),
  )
  const foundOf = (id: string) => Object.fromEntries(read.map(([name, byWorld]) => [name, byWorld.get(id) ?? []]))
  return new Map(ids.map((id) => [id, foundOf(id) as unknown as Found]))
}
