import { int8Array } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { FrequencyCap } from './restraints.ts'

/** A message that wants a place of its person. */
export type Wish = { id: string; createdAt: string; contactId: string }

/**
 * A message's finding no place: when it may find one, in milliseconds since 1970. It `collided` with one that took the same
 * place at the same moment, and its person may have room all the same.
 */
export type NoPlace = { untilMs: number; collided: boolean }

/** How soon somebody looks again who found a place taken at the same moment, or only others before them. */
const LOOK_AGAIN_SECONDS = 5
const BEHIND_OTHERS_SECONDS = 900

/**
 * Takes a place for each message whose person has one left. A message that waits already comes before others of its person:
 * by the priority of its stream, then by age. Answers for those without a place by their ids. Two turns that want one place of
 * a person meet at its row, and one of them gets it.
 */
export async function takeSlots(
  tx: Transaction,
  { workspaceId, cap, priority }: { workspaceId: string; cap: FrequencyCap; priority: number },
  wishes: readonly Wish[],
): Promise<Map<string, NoPlace>> {
  const { rows } = await tx.query<NoPlace & { id: string }>({
    name: 'take_frequency_slots',
    text: TAKE,
    values: [
      workspaceId,
      int8Array(wishes.map(({ id }) => id)),
      int8Array(wishes.map(({ contactId }) => contactId)),
      wishes.map(({ createdAt }) => createdAt),
      ...[cap.messages, cap.days, priority],
    ],
  })
  return new Map(rows.map(({ id, ...noPlace }) => [id, noPlace]))
}

/** SQL: whether the message of a place came to nothing. One that nobody knows any more counts as sent. */
const IS_VOID = (
  slot: string,
) => `exists (select from messages m where m.workspace_id = $1 and m.id = ${slot}.message_id
    and m.created_at = ${slot}.message_created_at and m.state in ('failed', 'skipped', 'suppressed'))`

/**
 * SQL: whether the message of a place waits, claimed by nobody, in a stream that does not move. Its next claim takes a place anew.
 * That may come at any moment: who takes the place over has to find it as it was. By key behind `offset 0`, because the queue has
 * no statistics.
 */
const IS_IDLE = (
  slot: string,
) => `exists (select from message_queue q join send_streams stream on stream.workspace_id = $1 and stream.id = q.stream_id
    where q.workspace_id = $1 and q.message_id = ${slot}.message_id and q.turn is null
      and (stream.state <> 'open' or stream.hold_reason is not null) offset 0)`

const TAKE = `with wanted as materialized (
    select g.id, g.contact_id, g.created_at::timestamptz as created_at
    from unnest($2::int8[], $3::int8[], $4::text[]) as g(id, contact_id, created_at)
    where exists (select from contacts c where c.workspace_id = $1 and c.id = g.contact_id for key share of c)
  ), known as materialized (
    select s.contact_id, s.slot, s.message_id, s.taken_at, ${IS_IDLE('s')} as idle from frequency_slots s
    where s.workspace_id = $1 and s.contact_id = any ($3::int8[]) and s.taken_at > now() - make_interval(days => $6)
      and not ${IS_VOID('s')}
  ), taken as materialized (
    select contact_id, slot, message_id, taken_at from known where not idle
  ), own as materialized (
    select w.*, t.slot from wanted w join taken t on t.contact_id = w.contact_id and t.message_id = w.id
  ), placed as materialized (
    select w.*, row_number() over (partition by w.contact_id order by w.id) as rank,
      (select count(*) from taken t where t.contact_id = w.contact_id) as used,
      (select count(*) from message_queue q
        join send_streams s on s.workspace_id = $1 and s.id = q.stream_id and s.state = 'open' and s.hold_reason is null
        where q.workspace_id = $1 and q.contact_id = w.contact_id and q.held_for is not null
          and q.message_id <> all ($2::int8[]) and (s.priority, -q.message_id) > ($7::int, -w.id)) as ahead
    from wanted w where w.id not in (select id from own)
  ), given as materialized (
    select p.*, f.slot from placed p
    join lateral (
      select n as slot, row_number() over (order by n) as rank from generate_series(1, $5::int) n
      where not exists (select from taken t where t.contact_id = p.contact_id and t.slot = n)) f on f.rank = p.rank
    where p.used + p.ahead + p.rank <= $5::int
  ), had as (
    insert into frequency_slots as s (workspace_id, contact_id, slot, message_id, message_created_at, taken_at)
    select $1, contact_id, slot, id, created_at, now()
    from (select contact_id, slot, id, created_at from own union all select contact_id, slot, id, created_at from given) g
    order by contact_id, slot
    on conflict (workspace_id, contact_id, slot) do update
      set message_id = excluded.message_id, message_created_at = excluded.message_created_at, taken_at = excluded.taken_at
      where s.message_id = excluded.message_id or s.taken_at <= now() - make_interval(days => $6) or ${IS_VOID('s')}
        or exists (select from known k where k.idle and (k.contact_id, k.slot, k.message_id, k.taken_at)
          = (s.contact_id, s.slot, s.message_id, s.taken_at))
    returning message_id
  )
  select w.id, c.collided, (extract(epoch from case when c.collided then now() + make_interval(secs => ${LOOK_AGAIN_SECONDS})
      else coalesce((
        select max(t.taken_at) + make_interval(days => $6) from (
          select taken_at from taken where contact_id = w.contact_id order by taken_at
          limit greatest(1, p.used + p.ahead + p.rank - $5::int)) t),
        now() + make_interval(secs => ${BEHIND_OTHERS_SECONDS})) end) * 1000)::float8 as "untilMs"
  from wanted w left join placed p on p.id = w.id
  cross join lateral (select w.id in (select id from own union all select id from given) as collided) c
  where w.id not in (select message_id from had)`

/** Gives a contact the places that another has taken, before the other is merged into it. */
export async function moveSlots(
  tx: Transaction,
  workspaceId: string,
  { fromId, toId }: { fromId: string; toId: string },
): Promise<void> {
  await tx.query({
    name: 'move_frequency_slots',
    text: `insert into frequency_slots (workspace_id, contact_id, slot, message_id, message_created_at, taken_at)
      select workspace_id, $3, (select coalesce(max(slot), 0) from frequency_slots
          where workspace_id = $1 and contact_id = $3) + row_number() over (order by slot), message_id, message_created_at, taken_at
      from frequency_slots where workspace_id = $1 and contact_id = $2`,
    values: [workspaceId, fromId, toId],
  })
}
