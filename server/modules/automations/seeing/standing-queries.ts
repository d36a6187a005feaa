import type { Transaction } from '../../../platform/db/transaction.ts'
import type { PeopleAtNode } from '../definition/people-at-nodes.ts'

type Key = { workspaceId: string; id: string }

/** How long the people of an automation may be looked through: a million timers take 4 s. The answer is over after ten. */
const STANDINGS_TIMEOUT_MS = 8_000

/** People of a node whose new end is worked out one by one. */
const SAMPLE_MAX = 2_000

/**
 * How many at a node have a rest that ends in so many minutes, rounded down: below 0 it is over, and was not noticed yet. People who do
 * not rest (`rests`) are on the way, look for what came before, or stay where something failed.
 */
export type Standing = PeopleAtNode & { rests: boolean; minute: number }

/** Those of an automation that may go on within 24 hours without an event. */
export async function standingsOf(tx: Transaction, { workspaceId, id }: Key): Promise<Standing[]> {
  const { rows } = await tx.query<Standing>({
    name: 'standings_within_day',
    text: `with due as (
        select r.version, r.node, r.state = 'waiting' and not q.looks as rests,
          case when q.looks then postroom_clock()
            -- Asked of those alone whom a pause has put off: 12 us for each of a million.
            when r.pauses < (select pauses from automations where workspace_id = $1 and id = $2)
            then postroom_put_off(r.workspace_id, r.automation_id, r.pauses, q.due_at) else q.due_at end as due_at
        from run_queue q join runs r on r.workspace_id = q.workspace_id and r.id = q.run_id
        where q.workspace_id = $1 and q.automation_id = $2 and q.kind = 'timer' and r.state <> 'parked'
          and q.due_at <= postroom_clock() + interval '24 hours'
        union all
        select version, node, false, postroom_clock() from runs
        where workspace_id = $1 and automation_id = $2 and state = 'parked'
      )
      select version, node, rests, floor(extract(epoch from due_at - postroom_clock()) / 60)::float8 as minute,
        count(*)::float8 as people
      from due where due_at <= postroom_clock() + interval '24 hours' group by 1, 2, 3, 4`,
    values: [workspaceId, id],
    query_timeout: STANDINGS_TIMEOUT_MS,
  })
  return rows
}

export type Resting = {
  at: string
  putOff: string
  zone: string | null
  contactId: string
  eventId: string | null
  kept: string | null
  now: string
}

/** The first who rest at a node. */
export async function restingAt(
  tx: Transaction,
  { workspaceId, id }: Key,
  { version, node }: PeopleAtNode,
): Promise<Resting[]> {
  const { rows } = await tx.query<Resting>({
    name: 'resting_at_node',
    text: `select r.at, r.put_off as "putOff", r.contact_id as "contactId", r.event_id as "eventId", c.time_zone as zone,
        r.variables::text as kept, postroom_clock() as now from runs r
      left join contacts c on c.workspace_id = r.workspace_id and c.id = r.contact_id
      where r.workspace_id = $1 and r.automation_id = $2 and r.version = $3 and r.node = $4 and r.state = 'waiting'
      order by r.id limit ${SAMPLE_MAX}`,
    values: [workspaceId, id, version, node],
  })
  return rows
}
