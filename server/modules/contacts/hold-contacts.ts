import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

export type HeldContact = { id: string; email: string | null; timeZone: string | null }

const HELD = 'id, email, time_zone as "timeZone"'

/**
 * Holds contacts, and answers those there are: none of them is merged or erased until the transaction ends. A writer of something that is
 * a contact's holds it first: one that was only looked up may be gone by then, and what is written with it lost.
 */
export async function holdContacts(
  tx: Transaction,
  workspaceId: string,
  ids: readonly string[],
): Promise<HeldContact[]> {
  const { rows } = await tx.query<HeldContact>({
    name: 'hold_contacts',
    text: `select ${HELD} from contacts where workspace_id = $1 and id = any ($2::int8[]) order by id for key share`,
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

/**
 * Holds whoever has these addresses; answers their ids by address. Where one is being merged, this waits, and holds the contact that has
 * the address after it. Before anything else that the transaction locks, as those who merge and erase do.
 */
export async function holdContactsWithEmails(
  tx: Transaction,
  workspaceId: string,
  emails: readonly string[],
): Promise<Map<string, string>> {
  const values = [workspaceId, textArray(emails)]
  const found = `select id, email from contacts where workspace_id = $1 and email = any ($2::text[])`
  for (;;) {
    // A statement that has waited for a lock sees nobody who has come by the address meanwhile: the second one does.
    const [held, there] = await Promise.all([
      tx.query<{ id: string }>({
        name: 'hold_contacts_with_emails',
        text: `${found} order by id for key share`,
        values,
      }),
      tx.query<{ id: string; email: string }>({ name: 'contacts_with_emails', text: found, values }),
    ])
    const isHeld = new Set(held.rows.map(({ id }) => id))
    if (there.rows.every(({ id }) => isHeld.has(id))) return new Map(there.rows.map(({ id, email }) => [email, id]))
  }
}

/** The same of one address; null: nobody has it. */
export async function holdContactWithEmail(
  tx: Transaction,
  workspaceId: string,
  email: string,
): Promise<string | null> {
  return (await holdContactsWithEmails(tx, workspaceId, [email])).get(email) ?? null
}
