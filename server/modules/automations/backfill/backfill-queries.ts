import { textArray } from '../../../platform/db/arrays.ts'
import type { Statement } from '../../../platform/db/statement.ts'
import type { Queryable, Transaction } from '../../../platform/db/transaction.ts'
import { inMonths } from '../../events/in-months.ts'
import { BACKFILL_NOW_WAY, BACKFILL_THEN_WAY, CLOSED_WAY } from '../definition/listens.ts'
import { DEPTH } from '../entry/depth-of-event.ts'
import { RUN_SLOTS } from '../entry/slots.ts'
import type { AsOf, Backfill } from './schemas.ts'

export type BackfillKey = { workspaceId: string; automationId: string }
export type Window = { names: readonly string[]; from: string; until: string }

const WAYS = `${BACKFILL_NOW_WAY}, ${BACKFILL_THEN_WAY}`

/** SQL: events `e` of triggers in a window ($2 names, $3 from, $4 until) by which nobody has come into the automation $5. */
const UNENTERED = `e.workspace_id = $1 and e.name = any ($2::text[]) and e.recorded_at >= $3::timestamptz
  and e.recorded_at < $4::timestamptz and e.contact_id is not null
  and not exists (select from runs r where r.workspace_id = $1 and r.contact_id = e.contact_id and r.automation_id = $5
    and r.event_id = e.id)
  and not exists (select from ended_runs r where r.workspace_id = $1 and r.contact_id = e.contact_id and r.automation_id = $5
    and r.event_id = e.id)`

export type Counted = { events: string; people: string; enteredBefore: string }

/** How many events there are to go through, whose, and who of these has come in before. */
export async function countPast(
  tx: Queryable,
  { workspaceId, automationId }: BackfillKey,
  { names, from, until }: Window,
): Promise<Counted> {
  const { rows } = await tx.query<Counted>({
    name: 'count_past_triggers',
    text: `with past as (select e.contact_id, count(*) as events from events e where ${UNENTERED} group by 1)
      select coalesce(sum(events), 0) as events, count(*) as people, count(*) filter (where exists (
        select from enrollments n where n.workspace_id = $1 and n.automation_id = $5 and n.contact_id = past.contact_id
          and n.entries > 0)) as "enteredBefore"
      from past`,
    values: [workspaceId, textArray(names), from, until, automationId],
  })
  return rows[0]!
}

/** No event has this number. */
const BEHIND_ALL = String(2n ** 63n - 1n)

/** `limit`: of those put into the queue; `lookedAt`: of those that are passed on the way. */
export type Placing = Window & { asOf: AsOf; lastId: string | null; limit: number; lookedAt: number }

/**
 * Looks at the next events, and puts those of the window into the queue as wishes to come in: from the oldest where people begin as of
 * then, from the newest where they begin now, so that the newest of a person counts; an event of somebody merged whose history has not
 * followed yet is the survivor's. One that waits already stays as it is, but for one
 * that waits to be refused because the entry was closed: whoever goes through the past means it, while the entry is open. Answers the
 * lanes to wake, how many there were, the last that was looked at, and whether there are no more behind it.
 */
export async function putPast(
  tx: Transaction,
  { workspaceId, automationId }: BackfillKey,
  { names, from, until, asOf, lastId, limit, lookedAt }: Placing,
): Promise<{ slots: number[]; placed: number; lastId: string | null; isOver: boolean }> {
  const isNow = asOf === 'now'
  const [order, behind, last, start] = isNow ? ['desc', '<', 'min', BEHIND_ALL] : ['asc', '>', 'max', '0']
  const { rows } = await tx.query<{ slots: number[]; placed: number; lastId: string | null; isOver: boolean }>({
    name: `put_past_triggers_${asOf}`,
    text: `with clock as materialized (select postroom_clock() as at), looked as materialized (
        select e.workspace_id, e.id, e.recorded_at, e.name, e.contact_id, e.type,
          case when e.name = any ($2::text[]) then e.data end as data
        from events e
        where e.workspace_id = $1 and ${inMonths('e.recorded_at', { from: '$3', until: '$4' })} and e.id ${behind} $6::bigint
        order by e.id ${order} limit $9
      ), past as materialized (
        select e.id, e.recorded_at, c.id as contact_id, least(${DEPTH}, 1000) as depth
        from (select l.workspace_id, l.id, l.recorded_at, l.name, l.type, l.data, coalesce((
            select survivor_id from contact_merges where workspace_id = $1 and merged_id = l.contact_id), l.contact_id) as contact_id
          from looked l where l.name = any ($2::text[]) offset 0) e
        join contacts c on c.workspace_id = $1 and c.id = e.contact_id
        where ${UNENTERED}
        order by e.id ${order} limit $7
      ), put as (
        insert into run_queue (workspace_id, automation_id, slot, contact_id, run_id, kind, position, due_at, version, depth, way)
        select $1, $5, (contact_id % $8)::smallint, contact_id, 0, 'entry', id,
          ${isNow ? `(select at from clock) + interval '1 microsecond' * row_number() over (order by id desc)` : 'recorded_at'}, 0, depth,
          case when (select entry_open from automations where workspace_id = $1 and id = $5) then ${isNow ? BACKFILL_NOW_WAY : BACKFILL_THEN_WAY}
            else ${CLOSED_WAY} end
        from past order by contact_id, id
        on conflict (workspace_id, automation_id, contact_id, run_id, kind, position, visit) do update
          set way = excluded.way, version = excluded.version, due_at = excluded.due_at, depth = excluded.depth
          where run_queue.way = ${CLOSED_WAY}
        returning slot
      ), ends as (
        select (select count(*) from past) as placed, (select count(*) from looked) as looked
      )
      select array(select distinct slot from put) as slots, placed::int, placed < $7 and looked < $9 as "isOver",
        (case when placed < $7 then (select ${last}(id) from looked) else (select ${last}(id) from past) end)::text as "lastId"
      from ends`,
    values: [workspaceId, textArray(names), from, until, automationId, lastId ?? start, limit, RUN_SLOTS, lookedAt],
  })
  return rows[0]!
}

/**
 * Takes some of those that wait out of the queue again, and answers how many it has found. None: none is left, for what a turn is about to
 * take out is waited for. One that a merge gives to its survivor meanwhile has another place by then: it is found, and taken by the next call.
 */
export async function takeBackPast(tx: Transaction, key: BackfillKey, limit: number): Promise<number> {
  const { rows } = await tx.query<{ found: number }>({
    name: 'take_back_past_triggers',
    text: `with held as materialized (
        select ctid as row from run_queue
        where workspace_id = $1 and automation_id = $2 and kind = 'entry' and way in (${WAYS}) limit $3 for update
      ), gone as (
        delete from run_queue where ctid = any (array(select row from held))
      )
      select count(*)::int as found from held`,
    values: [key.workspaceId, key.automationId, limit],
  })
  return rows[0]!.found
}

export type BackfillRow = Omit<Backfill, 'events' | 'placed' | 'waiting'> & {
  names: string[]
  lastId: string | null
  events: string
  placed: string
  waiting: string
}

const COLUMNS = `b.state, b.as_of as "asOf", b.names, b.from_at as "from", b.until_at as "until", b.per_minute as "perMinute", b.events,
  b.placed, b.last_id as "lastId", b.created_at as "createdAt", b.ended_at as "endedAt"`
const OF_KEY = 'b.workspace_id = $1 and b.automation_id = $2'

export const backfillStatement = ({ workspaceId, automationId }: BackfillKey): Statement<BackfillRow> => ({
  name: 'backfill_of_automation',
  text: `select ${COLUMNS}, (select count(*) from run_queue q where q.workspace_id = $1 and q.automation_id = $2 and q.kind = 'entry'
      and q.way in (${WAYS})) as waiting
    from automation_backfills b where ${OF_KEY}`,
  values: [workspaceId, automationId],
})

/** The same, held until the transaction ends. */
export async function backfillForChange(tx: Transaction, key: BackfillKey): Promise<BackfillRow | undefined> {
  const { rows } = await tx.query<BackfillRow>({
    name: 'backfill_for_change',
    text: `select ${COLUMNS}, 0 as waiting from automation_backfills b where ${OF_KEY} for update`,
    values: [key.workspaceId, key.automationId],
  })
  return rows[0]
}
