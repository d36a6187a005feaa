import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Cursor } from '../../platform/outbox/range.ts'

/** Contacts that became part of others, and of which. */
export type Merged = { workspaceId: string; mergedIds: readonly string[]; survivorIds: readonly string[] }

const parametersOf = (merged: Merged) => [
  merged.workspaceId,
  int8Array(merged.mergedIds),
  int8Array(merged.survivorIds),
]

/** Attaches stored events of merged contacts to the survivors, the next of them; returns how many. */
export async function moveEvents(tx: Transaction, merged: Merged, limit: number): Promise<number> {
  if (merged.mergedIds.length === 0) return 0
  const { rowCount } = await tx.query(
    `update events e set contact_id = m.survivor_id
     from (
       select e.id, e.recorded_at, w.survivor_id from unnest($2::bigint[], $3::bigint[]) as w(merged_id, survivor_id)
       join events e on e.workspace_id = $1 and e.contact_id = w.merged_id limit $4
     ) m
     where e.workspace_id = $1 and e.id = m.id and e.recorded_at = m.recorded_at`,
    [...parametersOf(merged), limit],
  )
  return rowCount ?? 0
}

/** The same for the log, whose rows may be replayed: those behind `after` up to and with `until`. */
export async function moveLogRows(
  tx: Transaction,
  merged: Merged,
  stretch: { after: Cursor; until: Cursor },
): Promise<void> {
  await tx.query(
    `update outbox set contact_id = ($3::bigint[])[array_position($2::bigint[], contact_id)]
     where (tx, position) > ($4::bigint, $5::bigint) and (tx, position) <= ($6::bigint, $7::bigint)
       and workspace_id = $1 and contact_id = any ($2::bigint[])`,
    [...parametersOf(merged), stretch.after.tx, stretch.after.position, stretch.until.tx, stretch.until.position],
  )
}
