import { ALIAS_FIELDS } from '../../catalogue/contact-fields.ts'
import { overloaded } from '../../catalogue/problems.ts'
import { brokenConstraint, errorCode } from '../../platform/db/errors.ts'
import { isDeadlock, retrying } from '../../platform/db/retry.ts'
import { SQLSTATE } from '../../platform/db/sqlstates.ts'
import type { Transaction } from '../../platform/db/transaction.ts'
import type { FieldError } from '../../platform/problem.ts'
import { fieldsNamed } from '../custom-fields/fields-named.ts'
import { type Taken, takeCustomFields } from '../custom-fields/take-custom-fields.ts'
import { emitEvents } from '../domain-events/emit-events.ts'
import { contactEvent } from './contact-events.ts'
import { type ContactItem, changesOf, type PlannedContact, planUpsert } from './plan-upsert.ts'
import type { ContactValues } from './queries.ts'
import type { UpsertMode } from './schemas.ts'
import { proveAddresses } from './unproven.ts'
import { contactsToUpsert, holdAliases, insertContacts, updateContactRows } from './upsert-queries.ts'
import { takeUpsertTurn } from './upsert-turn.ts'

/** The outcome of an item; `updated` is any item that found its contact, and `changed` names what it changed, if anything. */
export type Upserted =
  | { status: 'created' | 'updated'; contactId: string; changed: readonly string[] }
  | { status: 'failed'; error: FieldError }

export type Upsert = {
  items: readonly ContactItem[]
  mode: UpsertMode
  /** Custom fields that a contact has stay as they are, whatever the mode: what comes fills those that it has not. */
  fillsCustomFields?: true
  /** Stated by a page alone: what is told of it says so. */
  claimed?: true
  /** False where an address need not have been stated by one who may: it stays as unproven as it was. */
  provesAddresses?: boolean
}

/**
 * Creates or completes a contact for each item, as if they were done one after another (see `planUpsert`), in a handful
 * of statements however many they are. Emits `contact.created` for each new contact, as it is after all items, and
 * `contact.updated` for each stored one that changed. Answers in the order of items.
 *
 * Others may create or change the same contacts meanwhile: run it in `retryingRaces`. Callers record the audit entry.
 */
export async function upsertContacts(
  tx: Transaction,
  workspaceId: string,
  { items, mode, fillsCustomFields, claimed, provesAddresses = !claimed }: Upsert,
): Promise<Upserted[]> {
  // Sent together, in this order: what comes after the turn has come sees what the one before has committed.
  const [, taken, stored] = await Promise.all([
    takeUpsertTurn(tx, workspaceId),
    takeCustomFields(
      tx,
      workspaceId,
      items.map((item) => item.customFields),
    ),
    contactsToUpsert(tx, workspaceId, items),
  ])
  const formerKeys = fillsCustomFields && (await formerKeysOf(tx, workspaceId, taken))
  const planned = planUpsert(
    stored,
    items.map(({ fields }, n) => {
      const { values, errors } = taken[n]!
      return { fields, customFields: values, fault: errors[0], formerKeys }
    }),
    mode,
  )
  const contacts = new Set(planned.flatMap((item) => ('fault' in item ? [] : [item.contact])))
  const stated = new Set(items.map(({ fields }) => fields.email))
  const proven = [...contacts].flatMap(({ id, values }) => {
    return id !== null && values.email !== null && stated.has(values.email) ? [id] : []
  })
  // Sent together.
  await Promise.all([
    provesAddresses ? proveAddresses(tx, workspaceId, proven) : undefined,
    writeContacts(tx, workspaceId, { contacts, claimed }),
  ])
  return planned.map((item) => {
    if ('fault' in item) return { status: 'failed', error: item.fault }
    return { status: item.created ? 'created' : 'updated', contactId: item.contact.id!, changed: item.changed }
  })
}

/** The keys that fields had before their renames that are under way, by the keys that they have. */
async function formerKeysOf(
  tx: Transaction,
  workspaceId: string,
  taken: readonly Taken[],
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(taken.flatMap(({ values }) => Object.keys(values)))]
  const rules = await fieldsNamed(tx, workspaceId, keys)
  return new Map(
    [...rules.values()].flatMap(({ key, previousKey }) => (previousKey === null ? [] : [[key, previousKey]])),
  )
}

async function writeContacts(
  tx: Transaction,
  workspaceId: string,
  { contacts, claimed }: { contacts: Set<PlannedContact>; claimed: true | undefined },
): Promise<void> {
  const created = [...contacts].filter((contact) => contact.id === null)
  const changed = [...contacts]
    .map((contact) => ({ ...contact, changed: changesOf(contact) }))
    .filter((contact) => contact.changed.length > 0)
  await releaseAliases(tx, workspaceId, changed)
  if (created.length > 0) {
    const values = created.map((contact) => contact.values)
    const ids = await insertContacts(tx, workspaceId, values)
    for (const [n, contact] of created.entries()) contact.id = ids[n]!
  }
  const rowOf = ({ id, values }: PlannedContact): ContactValues & { id: string } => ({ ...values, id: id! })
  if (changed.length > 0) await updateContactRows(tx, workspaceId, changed.map(rowOf))
  const events = [
    ...created.map((contact) => contactEvent('contact.created', workspaceId, rowOf(contact))),
    ...changed.map((contact) =>
      contactEvent('contact.updated', workspaceId, rowOf(contact), { changed: contact.changed }),
    ),
  ]
  const origin = claimed ? ({ source: 'collect', proof: 'claimed' } as const) : {}
  await emitEvents(
    tx,
    workspaceId,
    events.map((event) => ({ ...event, ...origin })),
  )
}

/**
 * Takes away aliases that contacts give up, before others are written that may take them over: items may hand one on, and
 * even exchange two.
 */
async function releaseAliases(tx: Transaction, workspaceId: string, changed: readonly PlannedContact[]): Promise<void> {
  for (const { name, column } of ALIAS_FIELDS) {
    const leaving = changed.filter(({ stored, values }) => stored![name] !== null && stored![name] !== values[name])
    if (leaving.length > 0) await holdAliases(tx, workspaceId, { column, ids: leaving.map(({ id }) => id!) })
  }
}

/**
 * Runs a transaction that upserts contacts again when another one was faster: it has taken an alias that was free when we
 * looked, has merged or erased a contact that we had found, or waited for a row of ours while we waited for one of its. Upserts take
 * turns, so the others are writers of single contacts. Throws 503 when that happens again and again.
 */
export function retryingRaces<T>(transaction: () => Promise<T>): Promise<T> {
  const isRace = (error: unknown) => isTakenAlias(error) || isGoneContact(error)
  return retrying(transaction, (error) => isDeadlock(error) || isRace(error)).catch((error: unknown) => {
    throw isRace(error) ? overloaded(1) : error
  })
}

function isGoneContact(error: unknown): boolean {
  return errorCode(error) === SQLSTATE.foreignKeyViolation && /_contact_id_fkey$/.test(brokenConstraint(error) ?? '')
}

function isTakenAlias(error: unknown): boolean {
  return /^contacts_\w+_taken$/.test(brokenConstraint(error) ?? '')
}
