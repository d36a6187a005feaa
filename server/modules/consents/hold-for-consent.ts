import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

/*
 * Contacts whose consent, topics or unsubscribes are about to be written are locked first, before all else that the transaction locks: they are
 * neither merged nor erased until it ends, and of a yes and a no to the same person one comes behind the other and sees it.
 */

/** Locks contacts for that; answers those that there are. */
export async function holdForConsent(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'hold_for_consent',
    text: 'select id from contacts where workspace_id = $1 and id = any ($2::int8[]) order by id for no key update',
    values: [workspaceId, int8Array(ids)],
  })
  return rows.map(({ id }) => id)
}

/**
 * Locks whoever has these addresses; answers their ids by address. Where one is being merged, this waits, and locks the contact that has
 * the address after it.
 */
export async function holdForConsentByEmails(
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
        name: 'hold_for_consent_by_emails',
        text: `${found} order by id for no key update`,
        values,
      }),
      tx.query<{ id: string; email: string }>({ name: 'contacts_with_emails', text: found, values }),
    ])
    const isHeld = new Set(held.rows.map(({ id }) => id))
    if (there.rows.every(({ id }) => isHeld.has(id))) return new Map(there.rows.map(({ id, email }) => [email, id]))
  }
}

/**
 * The same of one address; null: nobody has it, and nobody who said yes to anything comes by it in an import until the transaction ends:
 * whoever does comes behind this one, and sees what it writes.
 */
export async function holdForConsentByEmail(
  tx: Transaction,
  workspaceId: string,
  email: string,
): Promise<string | null> {
  const held = async () => (await holdForConsentByEmails(tx, workspaceId, [email])).get(email) ?? null
  const contactId = await held()
  if (contactId !== null) return contactId
  await tx.query({
    name: 'hold_strangers',
    text: `select pg_advisory_xact_lock_shared(hashtextextended('consents of strangers', $1))`,
    values: [workspaceId],
  })
  return held()
}

/**
 * A writer that makes contacts who said yes takes this before anything about consent. They are held as soon as they are there, but
 * for a no that looks for their address before that there is nobody to hold.
 */
export async function holdStrangersAlone(tx: Transaction, workspaceId: string): Promise<void> {
  await tx.query({
    name: 'hold_strangers_alone',
    text: `select pg_advisory_xact_lock(hashtextextended('consents of strangers', $1))`,
    values: [workspaceId],
  })
}
