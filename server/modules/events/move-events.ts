import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { Cursor } from '../../platform/outbox/range.ts'

/** Contacts that became part of others, and of which. */
export type Merged = { workspaceId: string; mergedIds: readonly string[]; survivorIds: readonly string[] }

const EVENTS_PER_STEP = 1_000
const STRETCH_ROWS = 20_000

const parametersOf = (merged: Merged) => [
  merged.workspaceId,
  int8Array(merged.mergedIds),
  int8Array(merged.survivorIds),
]

/** Attaches stored events of merged contacts to the survivors, the next of them; returns how many. */
export async function moveEvents(tx: Transaction, merged: Merged): Promise<number> {
  const { rowCount } = await tx.query(
    `update events e set contact_id = m.survivor_id
     from (
       select e.id, e.recorded_at, w.survivor_id from unnest($2::bigint[], $3::bigint[]) as w(merged_id, survivor_id)
       join events e on e.workspace_id = $1 and e.contact_id = w.merged_id limit ${EVENTS_PER_STEP}
     ) m
     where e.workspace_id = $1 and e.id = m.id and e.recorded_at = m.recorded_at`,
    parametersOf(merged),
  )
  return rowCount ?? 0
}

/** The same for the log, whose rows may be replayed: the next stretch behind `after` up to and with `until`. */
export async function moveLogRows(
  tx: Transaction,
  merged: Merged,
  stretch: { after: Cursor; until: Cursor },
): Promise<void> {
  await tx.query(
    `update outbox o set contact_id = m.survivor_id
     from (
       select s.tx, s.position, s.recorded_at, w.survivor_id from (
         select tx, position, recorded_at, workspace_id, contact_id from outbox
         where (tx, position) > ($4::bigint, $5::bigint) and (tx, position) <= ($6::bigint, $7::bigint)
         order by tx, position limit ${STRETCH_ROWS}
       ) s
       join unnest($2::bigint[], $3::bigint[]) as w(merged_id, survivor_id) on w.merged_id = s.contact_id
       where s.workspace_id = $1
     ) m
     where o.tx = m.tx and o.position = m.position and o.recorded_at = m.recorded_at`,
    [...parametersOf(merged), stretch.after.tx, stretch.after.position, stretch.until.tx, stretch.until.position],
  )
}
