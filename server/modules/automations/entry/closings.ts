import { int8Array, textArray } from '../../../platform/db/arrays.ts'
import type { Transaction } from '../../../platform/db/transaction.ts'

/*
 * When the entry of an automation was closed. Wishes to come in are judged by when they came, in the order of the log or, without an event, by
 * the moment at which their person was to begin: not by how late they are read or done. A trigger on `automations` writes these times down.
 */

/**
 * SQL, for a listening place `l`: whether its automation took nobody in when a transaction of the log was written. The last closing before
 * says it, so that an automation which is opened and closed without end costs those who read the log no more than another.
 */
export const closedAt = (tx: string) => `coalesce((select k.to_tx is null or ${tx} <= k.to_tx from automation_closings k
  where k.workspace_id = l.workspace_id and k.automation_id = l.automation_id and k.from_tx < ${tx}
  order by k.from_tx desc, k.to_tx desc limit 1), false)`

type Key = { workspaceId: string; automationId: string }

/** Those of some wishes without an event, by their positions, whose moment came while the entry was closed. */
export async function comeToClosed(
  tx: Transaction,
  { workspaceId, automationId }: Key,
  wishes: readonly { position: string; dueAt: string }[],
): Promise<ReadonlySet<string>> {
  if (wishes.length === 0) return new Set()
  const { rows } = await tx.query<{ position: string }>({
    name: 'wishes_to_come_to_closed',
    text: `select w.position from unnest($3::int8[], $4::text[]) as w(position, due)
      cross join lateral (select k.to_at from automation_closings k
        where k.workspace_id = $1 and k.automation_id = $2 and k.from_at <= w.due::timestamptz
        order by k.from_tx desc, k.to_tx desc limit 1) last
      where last.to_at is null or w.due::timestamptz < last.to_at`,
    values: [
      ...[workspaceId, automationId],
      int8Array(wishes.map(({ position }) => position)),
      textArray(wishes.map(({ dueAt }) => dueAt)),
    ],
  })
  return new Set(rows.map(({ position }) => position))
}

/** Times at which the entry was closed, in milliseconds since 1970, within two moments. */
export async function closingsWithin(
  tx: Transaction,
  { workspaceId, automationId }: Key,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<(atMs: number) => boolean> {
  const { rows } = await tx.query<{ fromMs: number; toMs: number }>({
    name: 'closings_within',
    text: `select extract(epoch from from_at)::float8 * 1000 as "fromMs", coalesce(extract(epoch from to_at), 'infinity')::float8 * 1000 as "toMs"
      from automation_closings where workspace_id = $1 and automation_id = $2
        and from_at <= to_timestamp($4::float8 / 1000) and (to_at is null or to_at > to_timestamp($3::float8 / 1000))`,
    values: [workspaceId, automationId, fromMs, toMs],
  })
  return (atMs) => rows.some((closing) => atMs >= closing.fromMs && atMs < closing.toMs)
}
