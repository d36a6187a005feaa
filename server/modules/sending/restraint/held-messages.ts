import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'
import type { Settled } from '../../pacing/daily-allowance.ts'
import type { SendTurn } from '../lanes.ts'
import type { Claim } from '../turn/claim-messages.ts'
import type { Restraint } from './restraints.ts'

/** Facts of the queue and the contact about a claimed message. Milliseconds since 1970. */
export type Fact = {
  id: string
  zone: string | null
  wasHeld: boolean
  cappedSinceMs: number | null
  notAfterMs: number | null
}
export type Facts = { priority: number; of: ReadonlyMap<string, Fact> }

/** A message that waits, and until when in milliseconds since 1970. `collided`: not for room, only to look for it again. */
export type Held = { id: string; contactId: string; reason: Restraint; untilMs: number; collided: boolean }

/** Of claims of a turn. */
export async function factsOf(tx: Transaction, turn: SendTurn, claims: readonly Claim[]): Promise<Facts> {
  const { workspaceId, streamId } = turn
  const [{ rows }, { rows: streams }] = await Promise.all([
    tx.query<Fact>({
      name: 'facts_of_claims',
      text: `select q.message_id as id, c.time_zone as zone, q.held_for is not null as "wasHeld",
          (extract(epoch from q.capped_since) * 1000)::float8 as "cappedSinceMs",
          (extract(epoch from q.not_after) * 1000)::float8 as "notAfterMs"
        from unnest($2::int8[], $3::int8[]) as g(id, contact_id)
        cross join lateral (select * from message_queue where workspace_id = $1 and message_id = g.id limit 1) q
        left join lateral (select time_zone from contacts where workspace_id = $1 and id = g.contact_id limit 1) c on true`,
      values: [workspaceId, int8Array(claims.map(({ id }) => id)), int8Array(claims.map(({ contactId }) => contactId))],
    }),
    tx.query<{ priority: number }>({
      name: 'priority_of_stream',
      text: 'select priority from send_streams where workspace_id = $1 and id = $2',
      values: [workspaceId, streamId],
    }),
  ])
  return { priority: streams[0]?.priority ?? 0, of: new Map(rows.map((row) => [row.id, row])) }
}

/**
 * Gives claims back that are held, each until its moment. The timeline has one entry when a reason begins. Answers what is to be
 * settled of the allowance, behind whatever else the transaction settles. Their places hold: nobody else changes a claim that stays this
 * turn's and is not being handed over.
 */
export async function putOff(tx: Transaction, turn: SendTurn, held: readonly Held[]): Promise<Settled[]> {
  if (held.length === 0) return []
  const { workspaceId, slot } = turn
  const { rows } = await tx.query<Settled>({
    name: 'put_off_messages',
    text: `with held as materialized (
        select g.id, g.contact_id, g.reason, to_timestamp(g.until::float8 / 1000) as until, g.collided, q.row, q.held_for,
          q.attempt, q.integration_id
        from unnest($4::int8[], $5::int8[], $6::text[], $7::text[], $8::bool[]) as g(id, contact_id, reason, until, collided)
        cross join lateral (
          select ctid as row, held_for, attempt, integration_id from message_queue
          where workspace_id = $1 and message_id = g.id and slot = $2 and turn = $3 and handing_at is null limit 1 for update) q
      ), back as (
        update message_queue q set slot = null, turn = null, integration_id = null, due_at = held.until, held_for = held.reason,
          contact_id = held.contact_id,
          capped_since = case when held.reason = 'frequency_cap' and not held.collided then coalesce(q.capped_since, now())
            else q.capped_since end
        from held where q.ctid = held.row
      ), told as (
        insert into message_attempts (workspace_id, message_id, at, attempt, outcome, cause)
        select $1, id, clock_timestamp(), attempt, 'held', reason from held where held_for is distinct from reason
      )
      select integration_id as "integrationId", 0 as sent, count(*)::int as unused from held group by 1`,
    values: [
      ...[workspaceId, slot, turn.turn],
      int8Array(held.map(({ id }) => id)),
      int8Array(held.map(({ contactId }) => contactId)),
      textArray(held.map(({ reason }) => reason)),
      textArray(held.map(({ untilMs }) => String(untilMs))),
      held.map(({ collided }) => collided),
    ],
  })
  return rows
}

/** Says of claims that were held and may go that they are held no more. */
export async function endHeld(
  tx: Transaction,
  turn: SendTurn,
  { facts, kept }: { facts: Facts; kept: ReadonlySet<string> },
): Promise<void> {
  const free = [...facts.of.values()].filter(({ id, wasHeld }) => wasHeld && !kept.has(id)).map(({ id }) => id)
  if (free.length === 0) return
  await tx.query({
    name: 'end_held_messages',
    text: `update message_queue set held_for = null, contact_id = null
      where workspace_id = $1 and message_id = any ($2::int8[]) and slot = $3 and turn = $4`,
    values: [turn.workspaceId, int8Array(free), turn.slot, turn.turn],
  })
}
