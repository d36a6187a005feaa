import { textArray } from '../../platform/db/arrays.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import { holdForConsentByEmails } from '../consents/hold-for-consent.ts'
import { noteConsentChanges, withdrawConsents } from '../consents/note-consent-changes.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { addressEvent } from '../sending/ledger/email-events.ts'
import { endSubscriptionsForEveryone } from '../topics/topics-of-person.ts'

/** A no that stands in a file: to newsletters, or to all marketing mail. The address is normalised. */
export type ImportedNo = { destination: string; sendingSource: 'broadcasts' | 'everything' }

const CHANGE = { change: 'unsubscribed', byWhom: 'workspace', ip: null, messageId: null } as const

type Noted = ImportedNo & { isNew: boolean }

/**
 * Unsubscribes many addresses as `unsubscribe` does each: a yes to what goes to everyone ends, who wants nothing has no consent left,
 * and a no that was not known is told and stands in the contact's history. The workspace says it, by this import.
 */
export async function unsubscribeImported(
  tx: Transaction,
  workspaceId: string,
  given: readonly ImportedNo[],
  importId: string,
): Promise<void> {
  if (given.length === 0) return
  const addresses = given.map(({ destination }) => destination)
  const contacts = await holdForConsentByEmails(tx, workspaceId, addresses)
  const { rows } = await tx.query<Noted>({
    name: 'unsubscribe_imported',
    text: `with given as materialized (
        select distinct destination, sending_source from unnest($2::text[], $3::text[]) as g(destination, sending_source)
      ), made as (
        insert into unsubscribes (workspace_id, destination, sending_source)
        select $1, destination, sending_source from given order by 2, 3
        on conflict (workspace_id, destination, sending_source) do nothing returning destination, sending_source
      )
      select g.destination, g.sending_source as "sendingSource", m.destination is not null as "isNew"
      from given g left join made m using (destination, sending_source) order by 1, 2`,
    values: [workspaceId, textArray(addresses), textArray(given.map(({ sendingSource }) => sendingSource))],
  })
  await endSubscriptionsForEveryone(tx, workspaceId, [...contacts.values()])
  const fresh = rows.filter(({ isNew }) => isNew)
  await emitEvents(
    tx,
    workspaceId,
    fresh.map(({ destination, sendingSource }) => {
      const about = { workspaceId, contactId: contacts.get(destination) ?? null, destination }
      return addressEvent('email.unsubscribed', about, { sendingSource })
    }),
  )
  await noteConsentChanges(
    tx,
    workspaceId,
    fresh.flatMap(({ destination, sendingSource }) => {
      const contactId = contacts.get(destination)
      if (contactId === undefined) return []
      const source = sendingSource === 'everything' ? null : sendingSource
      return [{ ...CHANGE, contactId, sendingSource: source, importId }]
    }),
  )
  const leaving = fresh.filter(({ sendingSource }) => sendingSource === 'everything')
  await withdrawConsents(
    tx,
    workspaceId,
    leaving.flatMap(({ destination }) => contacts.get(destination) ?? []),
  )
}
