import type pg from 'pg'
import { notFound, tooManyRequests, unprocessable } from '../../catalogue/problems.ts'
import { inTransaction, type Transaction } from '../../platform/db/transaction.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Caller } from '../auth/caller.ts'
import { type ConsentChange, noteConsentChanges } from '../consents/note-consent-changes.ts'
import { type CreatedMessage, createMessages, SINGLE } from '../sending/ledger/create-messages.ts'
import { topicSource } from '../topics/topics-of-person.ts'
import {
  type Askable,
  askableContacts,
  type ContactToAsk,
  contactToAsk,
  insertRequests,
  type RequestRow,
} from './queries.ts'
import { sendingSettingsOf } from './sending-settings.ts'

/** How long the link of a confirmation mail works. */
export const CONFIRM_WITHIN_DAYS = 7
/** Nobody is asked by the system again within this. */
const ASK_AGAIN_HOURS = 24
/** Nor by somebody of the workspace, or by their own click on an old link. */
export const ASK_AGAIN_SECONDS = 600

export type ConfirmationDeps = { sql: pg.Pool }

/** In whose name somebody is asked, and about which topic; null is all marketing mail. */
type Asking = { byWhom: ConsentChange['byWhom']; topicId: string | null }

export type Requested = RequestRow & Pick<CreatedMessage, 'state'>

/**
 * Asks new contacts whether they want marketing mail, where the workspace has double opt-in on: in the transaction that
 * creates them.
 */
export async function askNewContacts(
  tx: Transaction,
  created: { workspaceId: string; contactIds: readonly string[] },
): Promise<void> {
  const { workspaceId, contactIds } = created
  const { doubleOptIn } = await sendingSettingsOf(tx, workspaceId)
  if (!doubleOptIn) return
  const askable = await askableContacts(tx, workspaceId, { contactIds, hours: ASK_AGAIN_HOURS })
  if (askable.length === 0) return
  await ask(tx, { workspaceId, contacts: askable, byWhom: 'system', topicId: null })
}

/**
 * Asks one contact, at the workspace's word. Throws 404, 422 for a contact without an address or one that has confirmed,
 * 429 with the time to wait when it was asked a moment ago.
 */
export async function requestConfirmation(
  { sql }: ConfirmationDeps,
  caller: Caller,
  contactId: string,
): Promise<Requested> {
  const { workspaceId } = caller
  return inTransaction(sql, workspaceId, async (tx) => {
    const made = await askAgain(tx, { workspaceId, contactId, byWhom: 'workspace', topicId: null })
    const target = { type: 'contact', id: contactId, name: null }
    await recordAudit(tx, caller, { action: 'contact.request_confirmation', target })
    return made
  })
}

type Asked = { workspaceId: string; contactId: string } & Asking

/** Asks a contact that may have been asked before, about one topic or all marketing mail. Throws as `requestConfirmation`. */
export async function askAgain(tx: Transaction, asked: Asked): Promise<Requested> {
  const { workspaceId, contactId, topicId } = asked
  const contact = await contactToAsk(tx, workspaceId, { contactId, topicId })
  if (!contact) throw notFound()
  if (contact.email === null) throw unprocessable([{ pointer: '', detail: 'the contact has no email address' }])
  if (topicId === null && contact.provenance === 'double_opt_in') {
    throw unprocessable([{ pointer: '', detail: 'the contact has confirmed already' }])
  }
  const wait = secondsToWait(contact)
  if (wait > 0) throw tooManyRequests(wait)
  const [made] = await ask(tx, { ...asked, contacts: [{ id: contactId, email: contact.email }] })
  return made!
}

/** Asks a contact with an address about a topic, unless it was asked a moment ago. */
export async function askUnlessAsked(tx: Transaction, asked: Asked): Promise<void> {
  const { workspaceId, contactId, topicId } = asked
  const contact = await contactToAsk(tx, workspaceId, { contactId, topicId })
  if (!contact || contact.email === null || secondsToWait(contact) > 0) return
  await ask(tx, { ...asked, contacts: [{ id: contactId, email: contact.email }] })
}

function secondsToWait({ askedSecondsAgo }: ContactToAsk): number {
  return askedSecondsAgo === null ? 0 : ASK_AGAIN_SECONDS - askedSecondsAgo
}

async function ask(
  tx: Transaction,
  asked: { workspaceId: string; contacts: readonly Askable[] } & Asking,
): Promise<Requested[]> {
  const { workspaceId, contacts, byWhom, topicId } = asked
  const items = contacts.map(({ id, email }) => ({ contactId: id, destination: email }))
  const messages = await createMessages(tx, { workspaceId, origin: SINGLE.confirmation, items })
  const rows = await insertRequests(
    tx,
    workspaceId,
    items.map((item, n) => ({ ...item, messageId: messages[n]!.id })),
    topicId,
  )
  const change = { change: 'requested', sendingSource: topicId && topicSource(topicId), byWhom, ip: null } as const
  await noteConsentChanges(
    tx,
    workspaceId,
    rows.map(({ contactId, messageId }) => ({ ...change, contactId, messageId })),
  )
  return rows.map((row, n) => ({ ...row, state: messages[n]!.state }))
}
