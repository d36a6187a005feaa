import { int8Array } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

type HeldContact = { id: string; timeZone: string | null }

/**
 * Holds contacts, and answers those that there are: none of them is merged or erased until the transaction ends. A writer of something that is
 * a contact's holds it first: one that was only looked up may be gone by then, and what is written with it lost. A writer of what a person
 * wants holds it against others of these as well (consents/hold-for-consent.ts).
 */
export async function holdContacts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<HeldContact[]> {
  const { rows } = await tx.query<HeldContact>({
    name: 'hold_contacts',
    text: `select id, time_zone as "timeZone" from contacts where workspace_id = $1 and id = any ($2::int8[]) order by id for key share`,
    values: [workspaceId, int8Array(ids)],
  })
  return rows
}

/** Holds contacts, and instead of those that were merged whom they are part of; answers whom it holds by the id that was given. */
export async function holdSurvivors(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const held = new Map((await holdContacts(tx, workspaceId, ids)).map(({ id }) => [id, id]))
  for (let gone = ids.filter((id) => !held.has(id)); gone.length > 0; ) {
    const { rows } = await tx.query<{ id: string; survivorId: string }>({
      name: 'survivors_of_contacts',
      text: `select merged_id as id, survivor_id as "survivorId" from contact_merges
        where workspace_id = $1 and merged_id = any ($2::int8[])`,
      values: [workspaceId, int8Array(gone)],
    })
    const survivors = await holdContacts(
      tx,
      workspaceId,
      rows.map(({ survivorId }) => survivorId),
    )
    const isHeld = new Set(survivors.map(({ id }) => id))
    for (const { id, survivorId } of rows) if (isHeld.has(survivorId)) held.set(id, survivorId)
    // A survivor may have been merged, or erased, while this waited for it: then the merges tell anew.
    gone = rows.filter(({ survivorId }) => !isHeld.has(survivorId)).map(({ id }) => id)
  }
  return held
}
