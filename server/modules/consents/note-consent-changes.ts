import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'

export const CONSENT_CHANGES = [
  'requested',
  'confirmed',
  'imported',
  'grandfathered',
  'unsubscribed',
  'resubscribed',
  'tracking_granted',
  'tracking_denied',
] as const
/** The person by a link of a mail, somebody of the workspace, the system. */
export const CONSENT_AUTHORS = ['person', 'workspace', 'system'] as const

/** How the consent of a contact that is held changed. */
export type ConsentChange = {
  contactId: string
  change: (typeof CONSENT_CHANGES)[number]
  /** Of what: null is all marketing mail. */
  sendingSource: string | null
  byWhom: (typeof CONSENT_AUTHORS)[number]
  ip: string | null
  messageId: string | null
  /** The import that tells of it. */
  importId?: string
}

/** Adds to the histories of contacts that are held: an address may have become somebody else's since it was looked up. */
export async function noteConsentChanges(
  tx: Transaction,
  workspaceId: string,
  changes: readonly ConsentChange[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query({
    name: 'note_consent_changes',
    text: `insert into consent_changes (workspace_id, contact_id, change, sending_source, by_whom, ip, message_id, import_id)
      select $1, contact_id, change, sending_source, by_whom, ip::inet, message_id, import_id
      from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[], $8::int8[])
        with ordinality as g(contact_id, change, sending_source, by_whom, ip, message_id, import_id, n) order by n`,
    values: [
      workspaceId,
      int8Array(changes.map(({ contactId }) => contactId)),
      textArray(changes.map(({ change }) => change)),
      textArray(changes.map(({ sendingSource }) => sendingSource)),
      textArray(changes.map(({ byWhom }) => byWhom)),
      textArray(changes.map(({ ip }) => ip)),
      int8Array(changes.map(({ messageId }) => messageId)),
      int8Array(changes.map(({ importId = null }) => importId)),
    ],
  })
}

/** How the consent of somebody who needs no address for it changed. */
export type ContactConsent = Pick<ConsentChange, 'change' | 'byWhom' | 'importId'> & {
  contactId: string
  sendingSource?: string
  /** As the person was asked, where they were. */
  wording?: string | null | undefined
}

/** Adds to the histories of contacts, whether they have an address or not. */
export async function noteContactConsents(
  tx: Transaction,
  workspaceId: string,
  changes: readonly ContactConsent[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query({
    name: 'note_contact_consents',
    text: `insert into consent_changes (workspace_id, contact_id, change, sending_source, by_whom, wording, import_id)
      select $1, contact_id, change, sending_source, by_whom, wording, import_id
      from unnest($2::int8[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int8[])
        with ordinality as g(contact_id, change, sending_source, by_whom, wording, import_id, n) order by n`,
    values: [
      workspaceId,
      int8Array(changes.map(({ contactId }) => contactId)),
      textArray(changes.map(({ change }) => change)),
      textArray(changes.map(({ sendingSource = null }) => sendingSource)),
      textArray(changes.map(({ byWhom }) => byWhom)),
      textArray(changes.map(({ wording = null }) => wording)),
      int8Array(changes.map(({ importId = null }) => importId)),
    ],
  })
}

/** Forgets that contacts, which are held, agreed to marketing mail; that they once did stays in the history. */
export async function withdrawConsents(tx: Transaction, workspaceId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await tx.query({
    name: 'withdraw_consents',
    text: 'delete from contact_consents where workspace_id = $1 and contact_id = any ($2::int8[])',
    values: [workspaceId, int8Array(ids)],
  })
}
