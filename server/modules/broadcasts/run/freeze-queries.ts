import type { Queryable } from '../../../platform/db/transaction.ts'
import type { BroadcastKey } from '../queries.ts'

/** How far the next stretch goes: to the last of so many contacts behind `after`, at the most to `to`. */
export async function stretchEnd(
  tx: Queryable,
  { workspaceId }: BroadcastKey,
  { after, to, size }: { after: string; to: string; size: number },
): Promise<string> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'end_of_freeze_stretch',
    text: `select id from contacts where workspace_id = $1 and id > $2 and id <= $3 order by id offset $4 limit 1`,
    values: [workspaceId, after, to, size - 1],
  })
  return rows[0]?.id ?? to
}

const IS_NEXT = `b.workspace_id = $1 and b.id = $2 and b.freeze_after_id = $3 and b.recipients_total is null
  and b.status in ('sending', 'paused')`

/** Notes that the contacts up to `to` are judged; false when they were, or it was given up, meanwhile. */
export async function markStretch(
  tx: Queryable,
  key: BroadcastKey,
  { after, to, size, nextSize }: { after: string; to: string; size: number; nextSize: number },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'mark_broadcast_stretch',
    text: `update broadcasts b set freeze_after_id = $4, frozen_total = frozen_total + $5, freeze_size = $6,
        freeze_failures = 0
      where ${IS_NEXT}`,
    values: [key.workspaceId, key.id, after, to, size, nextSize],
  })
  return rowCount === 1
}

/** Notes how many the frozen audience has, and answers that; undefined when it was frozen, or given up, meanwhile. */
export async function markFrozen(
  tx: Queryable,
  key: BroadcastKey,
  { after }: { after: string },
): Promise<number | undefined> {
  const { rows } = await tx.query<{ total: string }>({
    name: 'freeze_broadcast',
    text: `update broadcasts b set recipients_total = (
          select coalesce(sum(cardinality(c.contact_ids)), 0) from broadcast_chunks c
          where c.workspace_id = b.workspace_id and c.broadcast_id = b.id)
      where ${IS_NEXT} returning recipients_total as total`,
    values: [key.workspaceId, key.id, after],
  })
  return rows[0] && Number(rows[0].total)
}

/** Has the next stretch be of so many contacts. The first time nobody who comes later belongs to it any more. */
export async function markSlow(
  tx: Queryable,
  key: BroadcastKey,
  { after, size, failures }: { after: string; size: number; failures: number },
): Promise<void> {
  await tx.query({
    name: 'slow_broadcast_stretch',
    text: `update broadcasts b set freeze_size = $4, freeze_failures = $5, freeze_to_id = coalesce(b.freeze_to_id, (
          select coalesce(max(c.id), 0) from contacts c where c.workspace_id = $1))
      where ${IS_NEXT}`,
    values: [key.workspaceId, key.id, after, size, failures],
  })
}

/** Puts the chunks of all stretches into the order in which they are due. */
export async function orderChunks(tx: Queryable, { workspaceId, id }: BroadcastKey): Promise<void> {
  // By way of numbers that no chunk has: two of one number would be refused in the middle of it.
  await tx.query({
    name: 'order_broadcast_chunks',
    text: `update broadcast_chunks c set number = -o.number
      from (select number as was, row_number() over (order by due_at nulls first, number) as number
        from broadcast_chunks where workspace_id = $1 and broadcast_id = $2) o
      where c.workspace_id = $1 and c.broadcast_id = $2 and c.number = o.was`,
    values: [workspaceId, id],
  })
  await tx.query({
    name: 'number_broadcast_chunks',
    text: 'update broadcast_chunks set number = -number - 1 where workspace_id = $1 and broadcast_id = $2',
    values: [workspaceId, id],
  })
}
