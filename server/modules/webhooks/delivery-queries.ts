import type { Statement } from '../../platform/db/statement.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { isParked } from '../../platform/outbox/parked.ts'
import type { Cursor } from '../../platform/outbox/range.ts'
import type { ExaminedRow } from '../../platform/schema/paging.ts'
import { inMonths } from '../events/in-months.ts'
import { wants } from './delivery-body.ts'

export type DeliveryRow = {
  id: string
  endpointId: string
  eventId: string
  eventType: string
  state: 'pending' | 'delivered' | 'discarded'
  attempts: number
  nextAttemptAt: string | null
  lastStatus: number | null
  lastError: string | null
  createdAt: string
  finishedAt: string | null
}

export type AttemptRow = {
  attempt: number
  outcome: 'delivered' | 'failed' | 'refused' | 'lost'
  status: number | null
  error: string | null
  durationMs: number | null
  response: string | null
  startedAt: string
}

const DELIVERY = `d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.event_type as "eventType", d.state,
  coalesce(tried.attempts, 0)::int as attempts, case when q.turn is null then q.due_at end as "nextAttemptAt",
  tried.status as "lastStatus", tried.error as "lastError",
  d.created_at as "createdAt", d.finished_at as "finishedAt"`

const JOINED = `left join delivery_queue q on q.workspace_id = d.workspace_id and q.delivery_id = d.id
  left join lateral (
    select count(*) over () as attempts, a.status, a.error from delivery_attempts a
    where a.workspace_id = d.workspace_id and a.delivery_id = d.id order by a.started_at desc limit 1
  ) tried on true`

export type DeliverySearch = {
  workspaceId: string
  endpointId: string
  state?: string | undefined
  eventType?: string | undefined
  before?: { eventId: string; id: string } | undefined
  limit: number
}

/** Deliveries that one page looks at, at most: what is rare is found over several pages, each of which is answered at once. */
export const EXAMINED_MAX = 20_000

/** Deliveries of an endpoint that fit, newest event first, strictly before a key; the last one looked at is among them, whether it fits or not. */
export function deliveriesOfStatement(search: DeliverySearch): Statement<DeliveryRow & ExaminedRow> {
  const { state = null, eventType = null, before, limit } = search
  // Without a filter every delivery fits, and no more are looked at than are shown.
  const looked = state === null && eventType === null ? limit : EXAMINED_MAX
  return {
    name: 'deliveries_of_endpoint',
    text: `with examined as materialized (
        select id, created_at, ($3::text is null or state = $3) and ($4::text is null or event_type = $4) as fits,
          row_number() over (order by event_id desc, id desc) as n
        from (
          select id, created_at, event_id, state, event_type from deliveries
          where workspace_id = $1 and endpoint_id = $2 and ($5::bigint is null or (event_id, id) < ($5::bigint, $6::bigint))
          order by event_id desc, id desc limit $8
        ) newest
      ), fitting as (
        select * from examined where fits order by n limit $7
      ), last as (
        select * from examined where (select count(*) from fitting) < $7 order by n desc limit 1
      )
      select ${DELIVERY}, s.fits, s.n as examined
      from (select * from fitting union select * from last) s
      join deliveries d on d.workspace_id = $1 and d.id = s.id and d.created_at = s.created_at
      ${JOINED} order by s.n`,
    values: [
      search.workspaceId,
      search.endpointId,
      state,
      eventType,
      before?.eventId ?? null,
      before?.id ?? null,
      limit,
      looked,
    ],
  }
}

export function deliveryByIdStatement(
  workspaceId: string,
  endpointId: string,
  id: string,
): Statement<DeliveryRow & { body: string }> {
  return {
    name: 'delivery_by_id',
    text: `select ${DELIVERY}, d.body
      from deliveries d ${JOINED} where d.workspace_id = $1 and d.endpoint_id = $2 and d.id = $3`,
    values: [workspaceId, endpointId, id],
  }
}

/** The log of a delivery's attempts, oldest first. A resend starts counting at 1 again. */
export function attemptsOfStatement(workspaceId: string, deliveryId: string): Statement<AttemptRow> {
  return {
    name: 'attempts_of_delivery',
    text: `select attempt, outcome, status, error, duration_ms as "durationMs", response, started_at as "startedAt"
      from delivery_attempts where workspace_id = $1 and delivery_id = $2 order by started_at limit 1000`,
    values: [workspaceId, deliveryId],
  }
}

/**
 * Makes deliveries due now with all their attempts before them: those that ended are queued again, those that wait for a
 * retry are moved up, those under way are left alone. Returns how many are due.
 */
export async function queueAgain(tx: Queryable, workspaceId: string, deliveryIds: readonly string[]): Promise<number> {
  // Places in the queue before the deliveries, as results are written: the two would wait for each other.
  await tx.query({
    name: 'hold_queued_deliveries',
    text: `select from delivery_queue where workspace_id = $1 and delivery_id = any ($2::bigint[])
      order by delivery_id for update`,
    values: [workspaceId, deliveryIds],
  })
  const { rowCount } = await tx.query({
    name: 'queue_deliveries_again',
    text: `with again as (
        update deliveries set state = 'pending', finished_at = null
        where workspace_id = $1 and id = any ($2::bigint[]) returning workspace_id, endpoint_id, id, created_at
      )
      insert into delivery_queue as q (workspace_id, endpoint_id, delivery_id, delivery_created_at)
      select workspace_id, endpoint_id, id, created_at from again order by id
      on conflict (workspace_id, delivery_id) do update set due_at = now(), attempt = 0 where q.turn is null`,
    values: [workspaceId, deliveryIds],
  })
  return rowCount ?? 0
}

/** Adds a delivery for one endpoint outside the log of events: the test ping. */
export async function insertPing(tx: Queryable, ping: { workspaceId: string; endpointId: string; eventType: string }) {
  const { rows } = await tx.query<{ id: string }>({
    name: 'insert_ping_delivery',
    text: `with d as (
        insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body)
        select $1::bigint, $2::bigint, n.id, $3::text, '{"id":"' || n.id || '","type":' || to_json($3::text)::text
          || ',"occurredAt":"' || utc_text(now()) || '","workspaceId":' || $1::bigint || ',"subject":"","data":{}}'
        from (select nextval('outbox_position') as id) n
        returning workspace_id, endpoint_id, id, created_at
      )
      insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at)
      select workspace_id, endpoint_id, id, created_at from d returning delivery_id as id`,
    values: [ping.workspaceId, ping.endpointId, ping.eventType],
  })
  return rows[0]!.id
}

export type RecoverChunk = {
  workspaceId: string
  endpointId: string
  since: string
  until: string
  /** How far dispatching has come. Events behind it, and those put aside or parked, will have their deliveries from there. */
  dispatched: Cursor
  afterEventId: string
  /** Events that are looked at, whether they are of the time, and wanted, or not. */
  limit: number
  /** Events of other times have numbers among its own as far as this before and behind them. */
  marginMs: number
}

/** `last`: how far it came, null after the last chunk. `due`: deliveries that were made or queued again. */
export type RecoveredChunk = { last: string | null; due: number }

/** Of what comes before the time the index alone is read, and not beyond the first event of the time. */
const PASSED_FOR_ONE = 20
const NUMBERS = `select id, recorded_at from events
  where workspace_id = $1 and ${inMonths('recorded_at', { from: '$3', until: '$6' })}`

/**
 * Looks at the next stored events of a time, and sees to it that each that an endpoint wants has a delivery on its way: a
 * discarded one is queued again under its old id, a missing one is made. Delivered and pending ones stay.
 */
export async function recoverChunk(tx: Queryable, chunk: RecoverChunk, body: string): Promise<RecoveredChunk> {
  const { rows } = await tx.query<{ last: string | null; made: string; discarded: string[] }>({
    name: 'recover_deliveries',
    text: `with start as materialized (
        select coalesce(
          (select id - 1 from (${NUMBERS} and id > $4 order by id limit $10) n where recorded_at >= $3::timestamptz order by id limit 1),
          (select max(id) from (${NUMBERS} and id > $4 order by id limit $10) n), $4::bigint) as after
      ), reach as materialized (
        select max(id) as last, count(*) < $5 or bool_and(recorded_at > $6::timestamptz + $9 * interval '1 millisecond') as is_end
        from (${NUMBERS} and id > (select after from start) order by id limit $5) n
      ), looked as materialized (
        select v.*, e.id as endpoint_id, ${wants('e', 'v')} as is_wanted
        from (
          select id as position, workspace_id, type, name, subject, contact_id, subject_id, email, phone, data, occurred_at,
            visitor_id, source, proof
          from events where workspace_id = $1 and id > (select after from start) and id <= (select last from reach)
            and recorded_at between $3::timestamptz and $6::timestamptz
          order by id limit $5
        ) v join webhook_endpoints e on e.workspace_id = v.workspace_id and e.id = $2
      ), o as materialized (
        select v.* from looked v where v.is_wanted
          and not exists (select from outbox o where o.position = v.position and (o.tx, o.position) > ($7::bigint, $8::bigint))
          and not exists (select from webhook_backlog b where b.workspace_id = v.workspace_id and b.position = v.position)
          and not ${isParked('webhooks', 'v.position')}
      ), known as (
        select d.event_id, d.id, d.state from o
        join deliveries d on d.workspace_id = o.workspace_id and d.endpoint_id = o.endpoint_id and d.event_id = o.position
      ), missing as (
        insert into deliveries (workspace_id, endpoint_id, event_id, event_type, body)
        select o.workspace_id, o.endpoint_id, o.position, o.name, ${body}
        from o where not exists (select from known where known.event_id = o.position)
        returning workspace_id, endpoint_id, id, created_at
      ), queued as (
        insert into delivery_queue (workspace_id, endpoint_id, delivery_id, delivery_created_at)
        select workspace_id, endpoint_id, id, created_at from missing
      )
      select case when not is_end then last end as last, (select count(*) from missing) as made,
        array(select id::text from known where state = 'discarded') as discarded
      from reach`,
    values: [
      chunk.workspaceId,
      chunk.endpointId,
      chunk.since,
      chunk.afterEventId,
      chunk.limit,
      chunk.until,
      chunk.dispatched.tx,
      chunk.dispatched.position,
      chunk.marginMs,
      chunk.limit * PASSED_FOR_ONE,
    ],
  })
  const { last, made, discarded } = rows[0]!
  const again = discarded.length > 0 ? await queueAgain(tx, chunk.workspaceId, discarded) : 0
  return { last, due: Number(made) + again }
}
