import { sql as raw } from 'kysely'
import type pg from 'pg'
import { notFound } from '../../../catalogue/problems.ts'
import { createQueryBuilder, statementOf } from '../../../platform/db/query-builder.ts'
import { inTransaction, type Transaction } from '../../../platform/db/transaction.ts'
import { DAY_MS } from '../../../platform/durations.ts'
import { readSpan } from '../../overview/read-span.ts'
import type { Definition, Goal } from '../definition/definition.ts'
import { loadDefinitions } from '../definition/load-definitions.ts'
import { conditionsOf } from '../entry/passing-events.ts'
import { MATCHES } from '../entry/signals.ts'
import { differenceOfShares } from './difference-of-shares.ts'
import type { Lift } from './schemas.ts'

const LAST_MS = 90 * DAY_MS
/** Entries that are looked at, the newest: each is one look into the events of its person. */
const ENTRIES_MAX = 100_000

const build = createQueryBuilder<Record<string, never>>()

type Key = { workspaceId: string; id: string }
type Asked = { from?: string; to?: string }

/**
 * How many of those who came in within a span did what the goal of the version in force is, and how many of those who were held out then. Both
 * are read from the events of the window after the first entry of each person, so that nobody counts more for still being inside. Throws 400, 404.
 */
export async function readLift(sql: pg.Pool, key: Key, query: Asked): Promise<Lift> {
  const now = new Date()
  const { from, to } = readSpan(query, { now, lastMs: LAST_MS })
  return inTransaction(sql, key.workspaceId, async (tx) => {
    const definition = await definitionInForce(tx, key)
    const goal = definition?.goal
    const span = { from, to, goal: goal?.event ?? null }
    if (!definition || !goal)
      return { ...span, entered: null, heldOut: null, difference: null, lift: null, isPartial: false }
    const counts = await countGroups(tx, key, { from, to, goal, zone: definition.defaultZone, now: now.toISOString() })
    const [entered, heldOut] = [counts.get(false) ?? NOBODY, counts.get(true) ?? NOBODY]
    const isComparable = entered.people > 0 && heldOut.people > 0
    const difference = isComparable ? differenceOfShares(entered, heldOut) : null
    const base = heldOut.reached / heldOut.people
    const lift = difference !== null && base > 0 ? difference.value / base : null
    const looked = [...counts.values()].reduce((sum, { entries }) => sum + entries, 0)
    return {
      ...span,
      entered: sumsOf(entered),
      heldOut: sumsOf(heldOut),
      difference,
      lift,
      isPartial: looked > ENTRIES_MAX,
    }
  })
}

const NOBODY = { people: 0, reached: 0, entries: 0 }
const sumsOf = ({ people, reached }: Counted) => ({ people, reached, share: people === 0 ? null : reached / people })

/** Undefined before the first version. */
async function definitionInForce(tx: Transaction, { workspaceId, id }: Key): Promise<Definition | undefined> {
  const { rows } = await tx.query<{ version: number | null }>({
    name: 'version_in_force',
    text: 'select published_version as version from automations where workspace_id = $1 and id = $2 and deleted_at is null',
    values: [workspaceId, id],
  })
  const [known] = rows
  if (!known) throw notFound()
  if (known.version === null) return undefined
  return (await loadDefinitions(tx, { workspaceId, automationId: id }, [known.version])).get(known.version)
}

type Counted = { people: number; reached: number; entries: number }
type Counting = { from: string; to: string; goal: Goal; zone: string; now: string }

/** By whether they were held out. The time of the goal is that of the person's calendar, as it is for runs. */
async function countGroups(
  tx: Transaction,
  { workspaceId, id }: Key,
  { from, to, goal, zone, now }: Counting,
): Promise<Map<boolean, Counted>> {
  const [workspace, automation] = [raw`cast(${workspaceId} as bigint)`, raw`cast(${id} as bigint)`]
  const since = raw`cast(${from} as timestamptz)`
  const came = raw`workspace_id = ${workspace} and automation_id = ${automation} and entered_at >= ${since}
    and entered_at < cast(${to} as timestamptz)`
  const { months, days, ms } = goal.within
  const end = raw`((p.entered_at at time zone p.zone + make_interval(months => ${raw.lit(months)}, days => ${raw.lit(days)}))
    at time zone p.zone + make_interval(secs => ${raw.lit(ms / 1_000)}))`
  const match = raw`cast(${JSON.stringify(goal.match)} as jsonb)`
  const query = raw`with newest as materialized (
      select * from (
        select contact_id, id, false as held, entered_at, event_id, event_at from runs where ${came}
        union all
        select contact_id, id, state = 'held_out', entered_at, event_id, event_at from ended_runs
        where ${came} and created_at >= ${since} - interval '1 day' and contact_id is not null
      ) entries order by id desc limit ${raw.lit(ENTRIES_MAX + 1)}
    ), people as materialized (
      select distinct on (n.contact_id) n.*, coalesce(c.time_zone, ${zone}) as zone, count(*) over (partition by n.contact_id) as entries
      from newest n join contacts c on c.workspace_id = ${workspace} and c.id = n.contact_id
      order by n.contact_id, n.entered_at, n.id
    )
    select p.held, cast(count(*) as integer) as people, cast(count(*) filter (where found.reached) as integer) as reached,
      cast(sum(p.entries) as integer) as entries
    from people p cross join lateral (
      select exists (
        select from events e
        cross join lateral (select ${match} as match) l
        left join events t on t.workspace_id = ${workspace} and t.id = p.event_id and t.recorded_at = p.event_at
        where e.workspace_id = ${workspace} and e.contact_id = p.contact_id and e.name = ${goal.event}
          and (e.recorded_at, e.id) > (p.entered_at, coalesce(p.event_id, 0)) and e.recorded_at >= ${since} and e.recorded_at <= ${end}
          and ${raw.raw(MATCHES)} and ${conditionsOf(goal, now)}) as reached offset 0
    ) found
    group by p.held`
  const { rows } = await tx.query<Counted & { held: boolean }>(statementOf({ compile: () => query.compile(build) }))
  return new Map(rows.map(({ held, ...counted }) => [held, counted]))
}
