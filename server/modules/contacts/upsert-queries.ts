import { int8Array, textArray } from '../../platform/db/arrays.ts'
import type { Queryable } from '../../platform/db/transaction.ts'
import { ALIASES, type ContactItem } from './plan-upsert.ts'
import { COLUMNS, type ContactRow, type ContactValues } from './queries.ts'

/** Makes the set-based writers of a workspace's contacts take turns, until the transaction ends. */
export async function takeTurn(tx: Queryable, workspaceId: string): Promise<void> {
  const text = `select pg_advisory_xact_lock(hashtextextended('contacts.upsert', $1::bigint))`
  await tx.query({ name: 'take_upsert_turn', text, values: [workspaceId] })
}

/** Every contact that has an alias of any item, locked in the order of ids. */
export async function contactsToUpsert(
  tx: Queryable,
  workspaceId: string,
  items: readonly ContactItem[],
): Promise<ContactRow[]> {
  const given = ALIASES.map((alias) => new Set(items.flatMap((item) => item.fields[alias] ?? [])))
  const { rows } = await tx.query<ContactRow>({
    name: 'contacts_to_upsert',
    text: `select ${COLUMNS} from contacts c join (
        select c.id from unnest($2::text[]) alias join contacts c on c.workspace_id = $1 and c.subject_id = alias
        union select c.id from unnest($3::text[]) alias join contacts c on c.workspace_id = $1 and c.email = alias
        union select c.id from unnest($4::text[]) alias join contacts c on c.workspace_id = $1 and c.phone = alias
      ) hit on hit.id = c.id
      where c.workspace_id = $1 order by c.id for no key update of c`,
    values: [workspaceId, ...given.map((aliases) => textArray([...aliases]))],
  })
  return rows
}

const VALUES = `unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[]`

function columnsOf(contacts: readonly ContactValues[]): Buffer[] {
  const fields = ['subjectId', 'email', 'phone', 'firstName', 'lastName', 'timeZone', 'customFields'] as const
  return fields.map((field) => textArray(contacts.map((contact) => contact[field])))
}

/** Inserts contacts; answers their ids in the same order. Breaks a unique constraint when somebody else was faster. */
export async function insertContacts(
  tx: Queryable,
  workspaceId: string,
  contacts: readonly ContactValues[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'insert_contacts',
    text: `insert into contacts
        (workspace_id, subject_id, email, phone, first_name, last_name, time_zone, custom_fields)
      select $1, subject_id, email, phone, first_name, last_name, time_zone, custom_fields::jsonb
      from ${VALUES}) with ordinality
        as given (subject_id, email, phone, first_name, last_name, time_zone, custom_fields, n) order by n
      returning id`,
    values: [workspaceId, ...columnsOf(contacts)],
  })
  return rows.map((row) => row.id)
}

/** Writes contacts that were read with `contactsToUpsert`. */
export async function updateContactRows(
  tx: Queryable,
  workspaceId: string,
  contacts: readonly (ContactValues & { id: string })[],
): Promise<void> {
  await tx.query({
    name: 'update_contacts',
    text: `update contacts c set subject_id = given.subject_id, email = given.email, phone = given.phone,
        first_name = given.first_name, last_name = given.last_name, time_zone = given.time_zone,
        custom_fields = given.custom_fields::jsonb, updated_at = now()
      from ${VALUES}, $9::int8[]) as given (subject_id, email, phone, first_name, last_name, time_zone, custom_fields, id)
      where c.workspace_id = $1 and c.id = given.id`,
    values: [workspaceId, ...columnsOf(contacts), int8Array(contacts.map((contact) => contact.id))],
  })
}
